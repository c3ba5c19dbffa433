// RandomOffChipLoad: the tile of every address. The address is taken before the tile is read.
//@ operator RandomOffChipLoad
//@ parameter TILE tile
//@ parameter ELEMENT_BYTES element_bytes
//@ parameter PAR_DISPATCH par_dispatch
//@ parameter REQUEST_BYTES machine.hbm_request_bytes
//@ memory
//@ tensor
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_random_off_chip_load #(
    parameter logic [127:0] TILE = '0,
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
    input sluice::head_t address,
    output logic address_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic loading, pushes, ended, unsettled;
  logic [7:0] stop;
  logic [63:0] index;  // the address that is loaded
  sluice::token_t shape, tile;

  last_cycles ends (.clk, .rst, .now, .finished(ended), .unsettled);
  assign ended = address.ended && !loading;
  read_tiles #(.TENSOR(TENSOR), .TILES(TILES), .SIZE(TILE[31:0] * TILE[95:64])) tiles (.shape, .index, .tile);
  assign shape = sluice::with_stop(sluice::tile(TILE[31:0], TILE[95:64], ELEMENT_BYTES, 1), stop);
  assign pushes = loading && memory_answered && out_ready;
  assign address_take = address.valid && !loading;
  assign memory.valid = address_take;
  assign memory.requests = sluice::requests(shape, REQUEST_BYTES);
  assign memory.at_once = 32'(PAR_DISPATCH);
  assign out = sluice::push_of(pushes, ended, now, tile);
  assign status = sluice::status_of(pushes || address_take, ended && unsettled, unsettled);

  always_ff @(posedge clk) begin
    if (rst) loading <= 0;
    else if (address_take) begin
      loading <= 1;
      stop <= address.token.stop;
      index <= 64'(address.token.value);
    end else if (pushes) loading <= 0;
  end
  `SLUICE_IDLE(ended)
  `SLUICE_WAITS(!loading && !address.valid && !address.ended, token, address, 0)
  `SLUICE_WAITS(loading && !memory_answered, memory, memory, 0)
  `SLUICE_WAITS(loading && memory_answered && !out_ready, room, out, 0)
endmodule
