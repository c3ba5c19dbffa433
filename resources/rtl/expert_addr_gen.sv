// ExpertAddrGen: the addresses of an expert's tiles, from its one-hot selector.
//@ operator ExpertAddrGen
//@ parameter TILES tiles
//@ parameter BASE base
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_expert_addr_gen #(
    parameter longint TILES = 1,
    parameter longint BASE = 0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic busy, emits, last, ended;
  logic [63:0] number, target, first;
  sluice::cycle_t begun_at;

  series addresses (.clk, .rst, .now, .begins(in_take), .count(64'(TILES)), .ready(out_ready), .busy, .emits, .last,
                    .index(number), .begun_at);
  always_comb begin
    target = 0;
    for (int i = 0; i < sluice::VALUE_BITS; i++) if (in.token.value[i]) target = i;
  end
  assign in_take = in.valid && !busy;
  assign ended = in.ended && !busy;
  assign out = sluice::push_of(emits, ended, now, sluice::with_stop(sluice::number(first + number), last ? 8'd2 : 8'd1));
  assign status = sluice::status_of(in_take || emits, '0, !ended);

  always_ff @(posedge clk) if (in_take) first <= BASE + target * TILES;
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!busy && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(busy && !out_ready, room, out, 0)
  `SLUICE_FAULT(in_take && (in.token.stop != 0 || in.token.value == 0 || (in.token.value & (in.token.value - 1'b1)) != 0),
                "a selector arrived that is not one-hot, or carries a stop")
endmodule
