// Expand: an element for every element of a group of `ref`. It is held until the group ends.
//@ operator Expand
//@ parameter RANK rank
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_expand #(
    parameter longint RANK = 1
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in, ref_,
    output logic in_take, ref__take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic holds;               // an element of ref has been taken; what it stands for waits for room
  logic over;                // an element of level 0 has served all of ref
  logic [7:0] stop;
  logic takes, pushes, more, serves, ended;
  wire [7:0] level = holds ? stop : ref_.token.stop;

  assign takes = in.valid && ref_.valid && !holds && !over;
  assign ref__take = takes;
  assign pushes = out_ready && (holds || takes);
  assign more = in.token.stop == 0 || level == 0 || 64'(level) < RANK;
  assign serves = in.valid && in.token.stop == 0 && ref_.ended && !holds && !over;
  assign in_take = (pushes && !more) || serves;
  assign ended = over || (in.ended && !holds);
  assign out = sluice::push_of(pushes, ended, now, sluice::with_stop(in.token, level));
  assign status = sluice::status_of(takes || pushes || serves, '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      holds <= 0;
      over <= 0;
    end else begin
      if (takes) stop <= ref_.token.stop;
      holds <= (holds || takes) && !pushes;
      if (serves) over <= 1;
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!holds && !over && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(!holds && !over && in.valid && !ref_.valid && !ref_.ended, token, ref, 0)
  `SLUICE_WAITS(holds && !out_ready, room, out, 0)
  `SLUICE_FAULT(in.valid && !over && !holds && in.token.stop != 0 && ref_.ended, "the reference stream ended too early")
  `SLUICE_FAULT(takes && in.token.stop == 0 && ref_.token.stop != 0, "a stop arrived on ref for an element without one")
endmodule
