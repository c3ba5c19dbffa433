// PromoteOuter: closes the whole stream with one more dimension, so that every element waits for the next one, or the end.
//@ operator PromoteOuter
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_promote_outer (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  sluice::cycle_t clock;              // when what is held may leave
  logic has, knows, is_last, learns, emits, ended;
  sluice::token_t held;

  assign in_take = in.valid && !has;
  assign learns = has && !knows && (in.valid || in.ended);
  assign emits = knows && now >= clock && out_ready;
  assign ended = in.ended && !has;
  assign out = sluice::push_of(emits, ended, now, is_last ? sluice::with_stop(held, held.stop + 8'd1) : held);
  assign status = sluice::status_of(in_take || learns || emits, knows && now < clock, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      has <= 0;
      knows <= 0;
    end else if (in_take) begin
      has <= 1;
      held <= in.token;
    end else if (learns) begin
      knows <= 1;
      is_last <= in.ended;
      clock <= now + 1'b1;
    end else if (emits) begin
      has <= 0;
      knows <= 0;
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!knows && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(knows && now >= clock && !out_ready, room, out, 0)
endmodule
