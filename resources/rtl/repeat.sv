// Repeat: every element FACTOR times, as a new innermost dimension. The element is held until its last copy has left and the
// operator has been busy for FACTOR cycles.
//@ operator Repeat
//@ parameter FACTOR factor
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_repeat #(
    parameter longint FACTOR = 1
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  sluice::cycle_t clock;  // when it last did something; once all copies have left: until when it is busy
  logic [63:0] copy;
  logic left;             // all copies have
  logic last, pushes, ended;

  assign last = copy == 64'(FACTOR - 1);
  assign pushes = in.valid && !left && out_ready;
  assign in_take = left && now >= clock;
  assign ended = in.ended && !left;
  // The stamp counts from the clock before room was waited for.
  assign out = sluice::push_of(pushes, ended, sluice::later(clock, in.arrival) + copy,
                               sluice::with_stop(in.token, last ? in.token.stop + 8'd1 : 8'd0));
  assign status = sluice::status_of(pushes || in_take, left ? sluice::wait_until(clock, now) : '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      clock <= '0;
      copy <= '0;
      left <= 0;
    end else if (pushes) begin
      clock <= last ? now + FACTOR : now;
      copy <= last ? 64'd0 : copy + 64'd1;
      left <= last;
    end else if (in_take) left <= 0;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!left && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(!left && in.valid && !out_ready, room, out, 0)
endmodule
