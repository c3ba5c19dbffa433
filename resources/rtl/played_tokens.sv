// The tokens that a source gives, one after the other, from a file: an input of the program.
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module played_tokens #(
    parameter DATA = "tokens.hex",
    parameter int TOKENS = 1
) (
    input logic clk, rst,
    input logic next,
    output sluice::token_t token,
    output logic done,              // all have been given
    output logic [63:0] position
);
  localparam int SIZE = TOKENS > 0 ? TOKENS : 1;
  // A line: the value, how many targets a selector has, the stop level, the kind, the bytes of an element.
  logic [sluice::VALUE_BITS + 47:0] lines[SIZE];
  initial if (TOKENS > 0) $readmemh(DATA, lines);

  logic [63:0] at;
  logic [7:0] stop;
  logic [3:0] kind, element_bytes;
  logic [31:0] rows;
  logic [sluice::TOKEN_BITS-1:0] bits;
  logic [sluice::VALUE_BITS-1:0] value;
  assign {value, rows, stop, kind, element_bytes} = lines[at < SIZE ? at : 0];
  always_comb begin
    bits = sluice::with_stop(sluice::tile(rows, 1, element_bytes, 0), stop);
    bits[sluice::KIND_AT +: 2] = kind[1:0];
    bits[sluice::VALUE_AT +: sluice::VALUE_BITS] = value;
  end
  assign token = bits;
  assign done = at == 64'(TOKENS);
  assign position = at;
  always_ff @(posedge clk) begin
    if (rst) at <= 0;
    else if (next) at <= at + 1;
  end
endmodule
