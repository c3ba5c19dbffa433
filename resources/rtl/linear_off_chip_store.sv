// LinearOffChipStore: writes tiles to off-chip memory, one after the other. A tile's slot is held until the write has been
// acknowledged.
//@ operator LinearOffChipStore
//@ parameter TILE tile
//@ parameter PAR_DISPATCH par_dispatch
//@ parameter REQUEST_BYTES machine.hbm_request_bytes
//@ memory
//@ tensor
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_linear_off_chip_store #(
    parameter logic [127:0] TILE = '0,
    parameter longint PAR_DISPATCH = 1,
    parameter longint REQUEST_BYTES = 64,
    parameter TENSOR = "",
    parameter int TILES = 0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    output sluice::ask_t memory,
    input logic memory_answered,
    input sluice::head_t in,
    output logic in_take,
    output sluice::status_t status
);
  logic asked, unsettled;
  logic [63:0] index;  // of the tile

  last_cycles ends (.clk, .rst, .now, .finished(in.ended), .unsettled);
  assign memory.valid = in.valid && !asked;
  assign memory.requests = sluice::requests(in.token, REQUEST_BYTES);
  assign memory.at_once = 32'(PAR_DISPATCH);
  assign in_take = asked && memory_answered;
  assign status = sluice::status_of(memory.valid || in_take, in.ended && unsettled, unsettled);

  written_tiles #(.TENSOR(TENSOR), .TILES(TILES), .SIZE(TILE[31:0] * TILE[95:64])) tiles (
      .clk, .rst, .report, .write(in_take), .index, .tile(in.token));
  always_ff @(posedge clk) begin
    if (rst) index <= 0;
    else if (in_take) index <= index + 1;
    if (rst) asked <= 0;
    else if (memory.valid) asked <= 1;
    else if (in_take) asked <= 0;
  end
  `SLUICE_IDLE(in.ended)
  `SLUICE_WAITS(!in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(asked && !memory_answered, memory, memory, 0)
  `SLUICE_FAULT(in.valid && (64'(in.token.rows) != TILE[63:0] || 64'(in.token.cols) != TILE[127:64]),
                "a tile of another size than is stored arrived")
endmodule
