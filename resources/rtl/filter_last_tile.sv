// FilterLastTile: for a number n, n - 1 selectors of target 1 and one of target 0.
//@ operator FilterLastTile
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_filter_last_tile (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic busy, emits, last, ended;
  logic [7:0] stop;
  logic [63:0] number;
  sluice::cycle_t begun_at;

  series selectors (.clk, .rst, .now, .begins(in_take), .count(64'(in.token.value)), .ready(out_ready), .busy, .emits, .last,
                    .index(number), .begun_at);
  assign in_take = in.valid && !busy;
  assign ended = in.ended && !busy;
  assign out = sluice::push_of(emits, ended, now, sluice::with_stop(sluice::selector(last ? 1 : 2, 2), last ? stop + 8'd1 : 8'd0));
  assign status = sluice::status_of(in_take || emits, '0, !ended);

  always_ff @(posedge clk) if (in_take) stop <= in.token.stop;
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!busy && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(busy && !out_ready, room, out, 0)
endmodule
