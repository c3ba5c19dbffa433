// The elements of the tiles that a load reads, at the functional level: tile `index` (beyond the last one, counted from the first
// again), from a file with an element a line. At the level of timing tiles have none.
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module read_tiles #(
    parameter TENSOR = "",
    parameter int TILES = 0,
    parameter int SIZE = 1          // elements of a tile
) (
    input sluice::token_t shape,
    input logic [63:0] index,
    output sluice::token_t tile
);
`ifdef SLUICE_COMPUTES
  logic [31:0] words[TILES > 0 ? TILES * SIZE : 1];
  initial if (TILES > 0) $readmemh(TENSOR, words);
  always_comb begin
    tile = shape;
    tile.elements = '0;
    if (TILES > 0) for (int i = 0; i < SIZE; i++) tile.elements[i] = words[(index % TILES) * SIZE + i];
  end
`else
  assign tile = shape;
`endif
endmodule
