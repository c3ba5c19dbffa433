// Counts what leaves for one token that was taken: COUNT elements, as fast as there is room.
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module series (
    input logic clk, rst,
    input sluice::cycle_t now,
    input logic begins,              // with `count` elements
    input logic [63:0] count,
    input logic ready,
    output logic busy, emits, last,  // an element is due; leaves at this edge; is the last one
    output logic [63:0] index,
    output sluice::cycle_t begun_at
);
  logic [63:0] left;
  assign busy = left != 0;
  assign emits = busy && ready;
  assign last = left == 1;
  always_ff @(posedge clk) begin
    if (rst) left <= '0;
    else if (begins) begin
      left <= count;
      index <= '0;
      begun_at <= now;
    end else if (emits) begin
      left <= left - 64'd1;
      index <= index + 64'd1;
    end
  end
endmodule
