// RandomOffChipStore: writes the tiles to their addresses. Both slots are held until the acknowledgement has left.
//@ operator RandomOffChipStore
//@ parameter TILE tile
//@ parameter ACK_FROM_ADDRESS ack_from_address
//@ parameter PAR_DISPATCH par_dispatch
//@ parameter REQUEST_BYTES machine.hbm_request_bytes
//@ memory
//@ tensor
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_random_off_chip_store #(
    parameter logic [127:0] TILE = '0,
    parameter bit ACK_FROM_ADDRESS = 1,
    parameter longint PAR_DISPATCH = 1,
    parameter longint REQUEST_BYTES = 64,
    parameter TENSOR = "",
    parameter int TILES = 0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    output sluice::ask_t memory,
    input logic memory_answered,
    input sluice::head_t address, in,
    output logic address_take, in_take,
    output sluice::push_t ack,
    input logic ack_ready,
    output sluice::status_t status
);
  logic asked, both, pushes, ended, unsettled;

  last_cycles ends (.clk, .rst, .now, .finished(ended), .unsettled);
  assign both = address.valid && in.valid;
  assign ended = address.ended && in.ended;
  assign memory.valid = both && !asked;
  assign memory.requests = sluice::requests(in.token, REQUEST_BYTES);
  assign memory.at_once = 32'(PAR_DISPATCH);
  assign pushes = asked && memory_answered && ack_ready;
  assign address_take = pushes;
  assign in_take = pushes;
  assign ack = sluice::push_of(pushes, ended, now,
                               sluice::with_stop(sluice::tile(1, 1, 1, 0), ACK_FROM_ADDRESS ? address.token.stop : in.token.stop));
  assign status = sluice::status_of(memory.valid || pushes, ended && unsettled, unsettled);

  written_tiles #(.TENSOR(TENSOR), .TILES(TILES), .SIZE(TILE[31:0] * TILE[95:64])) tiles (
      .clk, .rst, .report, .write(pushes), .index(64'(address.token.value)), .tile(in.token));
  always_ff @(posedge clk) begin
    if (rst) asked <= 0;
    else if (memory.valid) asked <= 1;
    else if (pushes) asked <= 0;
  end
  `SLUICE_IDLE(ended)
  `SLUICE_WAITS(!address.valid && !address.ended, token, address, 0)
  `SLUICE_WAITS((address.valid || address.ended) && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(asked && !memory_answered, memory, memory, 0)
  `SLUICE_WAITS(asked && memory_answered && !ack_ready, room, ack, 0)
  `SLUICE_FAULT((address.valid && in.ended) || (in.valid && address.ended), "addresses and data do not come in equal number")
  `SLUICE_FAULT(in.valid && (64'(in.token.rows) != TILE[63:0] || 64'(in.token.cols) != TILE[127:64]),
                "a tile of another size than is stored arrived")
endmodule
