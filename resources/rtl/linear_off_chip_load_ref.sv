// LinearOffChipLoadRef: the tiles of a view of a tensor in off-chip memory, once for every element of `ref` that closes
// TRIGGER_RANK dimensions. The element is taken before the tiles are read.
//@ operator LinearOffChipLoadRef
//@ parameter TILE tile
//@ parameter DIMS out_shape.size
//@ parameter OUT_SHAPE out_shape
//@ parameter ELEMENT_BYTES element_bytes
//@ parameter TRIGGER_RANK trigger_rank
//@ parameter PAR_DISPATCH par_dispatch
//@ parameter REQUEST_BYTES machine.hbm_request_bytes
//@ memory
//@ tensor
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_linear_off_chip_load_ref #(
    parameter logic [127:0] TILE = '0,
    parameter int DIMS = 1,
    parameter int WIDTH = DIMS > 0 ? DIMS : 1,
    parameter logic [64*WIDTH-1:0] OUT_SHAPE = '0,
    parameter int ELEMENT_BYTES = 4,
    parameter longint TRIGGER_RANK = 0,
    parameter longint PAR_DISPATCH = 1,
    parameter longint REQUEST_BYTES = 64,
    parameter TENSOR = "",
    parameter int TILES = 0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    output sluice::ask_t memory,
    input logic memory_answered,
    input sluice::head_t ref_,
    output logic ref__take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic loading, last, pushes, triggers, ended, unsettled;
  logic [7:0] level, ref_stop;
  logic [63:0] index;  // of the tile in the view
  sluice::token_t shape, tile;

  stop_counter #(.DIMS(DIMS), .EXTENTS(OUT_SHAPE)) stops (.clk, .rst, .next(pushes), .level, .last);
  last_cycles ends (.clk, .rst, .now, .finished(ended), .unsettled);

  assign ended = ref_.ended && !loading;
  read_tiles #(.TENSOR(TENSOR), .TILES(TILES), .SIZE(TILE[31:0] * TILE[95:64])) tiles (.shape, .index, .tile);
  assign shape = sluice::with_stop(sluice::tile(TILE[31:0], TILE[95:64], ELEMENT_BYTES, 1),
                                  last ? level + ref_stop - 8'(TRIGGER_RANK) : level);
  assign pushes = loading && memory_answered && out_ready;
  assign ref__take = ref_.valid && !loading;
  assign triggers = ref__take && 64'(ref_.token.stop) >= TRIGGER_RANK;
  assign memory.valid = triggers || (pushes && !last);
  assign memory.requests = sluice::requests(shape, REQUEST_BYTES);
  assign memory.at_once = 32'(PAR_DISPATCH);
  assign out = sluice::push_of(pushes, ended, now, tile);
  assign status = sluice::status_of(pushes || ref__take, ended && unsettled, unsettled);

  always_ff @(posedge clk) begin
    if (rst) index <= 0;
    else if (pushes) index <= last ? 64'd0 : index + 1;
    if (rst) loading <= 0;
    else if (triggers) begin
      loading <= 1;
      ref_stop <= ref_.token.stop;
    end else if (pushes && last) loading <= 0;
  end
  `SLUICE_IDLE(ended)
  `SLUICE_WAITS(!loading && !ref_.valid && !ref_.ended, token, ref, 0)
  `SLUICE_WAITS(loading && !memory_answered, memory, memory, 0)
  `SLUICE_WAITS(loading && memory_answered && !out_ready, room, out, 0)
endmodule
