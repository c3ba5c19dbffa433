// DynOffChipStore: as LinearOffChipStore; an input of the program is the shape of the tensor, which must be filled.
//@ operator DynOffChipStore
//@ parameter TILE tile
//@ parameter DIMS input.extents.size
//@ parameter EXTENTS input.extents
//@ parameter PAR_DISPATCH par_dispatch
//@ parameter REQUEST_BYTES machine.hbm_request_bytes
//@ memory
//@ timing_only its tensor has no size before the run
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_dyn_off_chip_store #(
    parameter logic [127:0] TILE = '0,
    parameter int DIMS = 1,
    parameter int WIDTH = DIMS > 0 ? DIMS : 1,
    parameter logic [64*WIDTH-1:0] EXTENTS = '0,
    parameter longint PAR_DISPATCH = 1,
    parameter longint REQUEST_BYTES = 64
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    output sluice::ask_t memory,
    input logic memory_answered,
    input sluice::head_t in,
    output logic in_take,
    output sluice::status_t status
);
  logic [63:0] tiles, stored;
  /* verilator tracing_on */
  operator_linear_off_chip_store #(.TILE(TILE), .PAR_DISPATCH(PAR_DISPATCH), .REQUEST_BYTES(REQUEST_BYTES)) inner_operator (
      .clk, .rst, .report, .now, .memory, .memory_answered, .in, .in_take, .status);
  always_comb begin
    tiles = 1;
    for (int d = 0; d < DIMS; d++) tiles = tiles * EXTENTS[64*d +: 64];
  end
  always_ff @(posedge clk) begin
    if (rst) stored <= '0;
    else if (in_take) stored <= stored + 64'd1;
  end
  `SLUICE_FAULT((in.valid && stored == tiles) || (in.ended && stored != tiles), "another number of tiles than the tensor has")
endmodule
