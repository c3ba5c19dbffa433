// What operators without cycles of their own have in common: a token is taken as soon as it comes, and leaves, as `token`, when
// there is room.
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module take_first (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    input sluice::token_t token,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic holds, emits, ended;
  sluice::token_t leaving;

  held_result result (.clk, .rst, .made(in_take), .result(token), .room(out_ready), .holds, .emits, .token(leaving));
  assign in_take = in.valid && !holds;
  assign ended = in.ended && !holds;
  assign out = sluice::push_of(emits, ended, now, leaving);
  assign status = sluice::status_of(in_take || emits, '0, !ended);
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!holds && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(holds && !out_ready, room, out, 0)
endmodule
