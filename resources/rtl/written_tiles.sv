// The tiles that a store has written, at the functional level, and at the end their comparison with a file of what is expected, an
// element a line. A line for the test bench says whether they agree to 1e-5 of the largest element, another one by how much not.
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module written_tiles #(
    parameter TENSOR = "",
    parameter int TILES = 0,
    parameter int SIZE = 1          // elements of a tile
) (
    input logic clk, rst, report,
    input logic write,
    input logic [63:0] index,
    input sluice::token_t tile
);
`ifdef SLUICE_COMPUTES
  logic [31:0] words[TILES > 0 ? TILES * SIZE : 1], expected[TILES > 0 ? TILES * SIZE : 1];
  logic present[TILES > 0 ? TILES : 1];
  int outside, tiles, other;
  real worst, largest, difference, magnitude;
  logic number;
  initial if (TILES > 0) $readmemh(TENSOR, expected);

  always @(posedge clk) begin
    if (rst) begin
      outside = 0;
      for (int i = 0; i < TILES; ++i) present[i] = 0;
    end else if (write && index >= TILES) outside = outside + 1;
    else if (write) begin
      present[index] = 1;
      for (int i = 0; i < SIZE; ++i) words[index*SIZE+i] = tile.elements[i];
    end
  end

  always @(posedge clk) if (report) begin
    tiles = 0;
    other = 0;
    worst = 0;
    largest = 0;
    number = 1;
    for (int t = 0; t < TILES; ++t)
      if (present[t]) begin
        tiles += 1;
        for (int i = t * SIZE; i < (t + 1) * SIZE; ++i) begin
          if (words[i] != expected[i]) other += 1;
          if (sluice_float32::is_nan(words[i]) || sluice_float32::is_infinite(words[i])) number = words[i] == expected[i] && number;
          magnitude = sluice_float32::to_real(expected[i]);
          difference = sluice_float32::to_real(words[i]) - magnitude;
          if (difference < 0) difference = -difference;
          if (magnitude < 0) magnitude = -magnitude;
          if (difference > worst) worst = difference;
          if (magnitude > largest) largest = magnitude;
        end
      end
    if (number && outside == 0 && worst <= 1e-5 * largest) $display("stored %m as expected");
    else $display("stored %m other values");
    $display("elements %m %0d of %0d differ, by at most %g, of at most %g", other, tiles * SIZE, worst, largest);
  end
`endif
endmodule
