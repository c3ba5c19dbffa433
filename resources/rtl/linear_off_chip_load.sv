// LinearOffChipLoad: the tiles of a view of a tensor in off-chip memory, one after the other. The next tile is asked for when
// the one before has been handed on.
//@ operator LinearOffChipLoad
//@ parameter TILE tile
//@ parameter DIMS out_shape.size
//@ parameter OUT_SHAPE out_shape
//@ parameter ELEMENT_BYTES element_bytes
//@ parameter PAR_DISPATCH par_dispatch
//@ parameter REQUEST_BYTES machine.hbm_request_bytes
//@ memory
//@ tensor
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_linear_off_chip_load #(
    parameter logic [127:0] TILE = '0,
    parameter int DIMS = 1,
    parameter int WIDTH = DIMS > 0 ? DIMS : 1,
    parameter logic [64*WIDTH-1:0] OUT_SHAPE = '0,
    parameter int ELEMENT_BYTES = 4,
    parameter longint PAR_DISPATCH = 1,
    parameter longint REQUEST_BYTES = 64,
    parameter TENSOR = "",
    parameter int TILES = 0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    output sluice::ask_t memory,
    input logic memory_answered,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic asked, done, last, pushes, unsettled;
  logic [7:0] level;
  logic [63:0] index;  // of the tile in the view
  sluice::token_t shape, tile;

  stop_counter #(.DIMS(DIMS), .EXTENTS(OUT_SHAPE)) stops (.clk, .rst, .next(pushes), .level, .last);
  last_cycles ends (.clk, .rst, .now, .finished(done), .unsettled);

  read_tiles #(.TENSOR(TENSOR), .TILES(TILES), .SIZE(TILE[31:0] * TILE[95:64])) tiles (.shape, .index, .tile);
  assign shape = sluice::with_stop(sluice::tile(TILE[31:0], TILE[95:64], ELEMENT_BYTES, 1), level);
  assign pushes = asked && memory_answered && out_ready && !done;
  assign memory.valid = !done && !rst && (!asked || (pushes && !last));
  assign memory.requests = sluice::requests(shape, REQUEST_BYTES);
  assign memory.at_once = 32'(PAR_DISPATCH);
  assign out = sluice::push_of(pushes, done, now, tile);
  assign status = sluice::status_of(pushes || memory.valid, done && unsettled, unsettled);

  always_ff @(posedge clk) begin
    if (rst) begin
      asked <= 0;
      done <= 0;
      index <= 0;
    end else begin
      if (pushes) index <= last ? 64'd0 : index + 1;
      asked <= 1;
      if (pushes && last) done <= 1;
    end
  end
  `SLUICE_IDLE(done)
  `SLUICE_WAITS(asked && !memory_answered && !done, memory, memory, 0)
  `SLUICE_WAITS(asked && memory_answered && !out_ready && !done, room, out, 0)
endmodule
