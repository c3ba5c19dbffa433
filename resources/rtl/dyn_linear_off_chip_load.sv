// DynLinearOffChipLoad: as LinearOffChipLoad; an input of the program is the shape of the view.
//@ operator DynLinearOffChipLoad
//@ parameter TILE tile
//@ parameter DIMS input.extents.size
//@ parameter OUT_SHAPE input.extents
//@ parameter ELEMENT_BYTES element_bytes
//@ parameter PAR_DISPATCH par_dispatch
//@ parameter REQUEST_BYTES machine.hbm_request_bytes
//@ memory
//@ timing_only its tensor has no size before the run
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_dyn_linear_off_chip_load #(
    parameter logic [127:0] TILE = '0,
    parameter int DIMS = 1,
    parameter int WIDTH = DIMS > 0 ? DIMS : 1,
    parameter logic [64*WIDTH-1:0] OUT_SHAPE = '0,
    parameter int ELEMENT_BYTES = 4,
    parameter longint PAR_DISPATCH = 1,
    parameter longint REQUEST_BYTES = 64
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    output sluice::ask_t memory,
    input logic memory_answered,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  /* verilator tracing_on */
  operator_linear_off_chip_load #(
      .TILE(TILE), .DIMS(DIMS), .OUT_SHAPE(OUT_SHAPE), .ELEMENT_BYTES(ELEMENT_BYTES), .PAR_DISPATCH(PAR_DISPATCH),
      .REQUEST_BYTES(REQUEST_BYTES)
  ) inner_operator (.clk, .rst, .report, .now, .memory, .memory_answered, .out, .out_ready, .status);
endmodule
