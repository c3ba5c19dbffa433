// The stop levels of a row-major shape, one element after the other.
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module stop_counter #(
    parameter int DIMS = 1,
    parameter int WIDTH = DIMS > 0 ? DIMS : 1,
    parameter logic [64*WIDTH-1:0] EXTENTS = '0  // outermost first, at index 0
) (
    input logic clk, rst,
    input logic next,               // the element has been told
    output logic [7:0] level,       // of the element
    output logic last               // it is the last one
);
  logic [63:0] index[WIDTH];
  always_comb begin
    level = 0;
    last = 1;
    for (int d = DIMS - 1; d >= 0; d--) begin
      if (index[d] + 1 != EXTENTS[64*d +: 64]) last = 0;
      if (last) level = level + 1;
    end
  end
  always_ff @(posedge clk) begin
    if (rst) begin
      for (int d = 0; d < WIDTH; d++) index[d] <= 0;
    end else if (next) begin
      for (int d = 0; d < DIMS; d++) begin
        // The dimensions behind it are at their ends.
        if (level >= DIMS - 1 - d) index[d] <= index[d] + 1 == EXTENTS[64*d +: 64] ? 64'd0 : index[d] + 1;
      end
    end
  end
endmodule
