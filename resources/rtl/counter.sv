// Counter: the numbers 0 to MAX - 1, once, or for every element of `trigger`.
//@ operator Counter
//@ parameter MAX max
//@ parameter TRIGGERS triggers
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_counter #(
    parameter longint MAX = 1,
    parameter int TRIGGERS = 0  // 0 or 1
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t trigger,
    output logic trigger_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic started, begins, busy, emits, last, ended;
  logic [7:0] stop;
  logic [63:0] number;
  sluice::cycle_t begun_at;

  series numbers (.clk, .rst, .now, .begins, .count(64'(MAX)), .ready(out_ready), .busy, .emits, .last, .index(number), .begun_at);
  assign begins = !rst && !busy && (TRIGGERS > 0 ? trigger.valid : !started);
  assign trigger_take = TRIGGERS > 0 && begins;
  assign ended = !busy && (TRIGGERS > 0 ? trigger.ended : started);
  assign out = sluice::push_of(emits, ended, now, sluice::with_stop(sluice::number(number), last ? stop + 8'd1 : 8'd0));
  assign status = sluice::status_of(begins || emits, '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) started <= 0;
    else if (begins) begin
      started <= 1;
      stop <= TRIGGERS > 0 ? trigger.token.stop : 8'd0;
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(TRIGGERS > 0 && !busy && !trigger.valid && !trigger.ended, token, trigger, 0)
  `SLUICE_WAITS(busy && !out_ready, room, out, 0)
endmodule
