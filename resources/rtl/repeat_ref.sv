// RepeatRef: an element for every group of RANK dimensions of `ref`. The element is taken first.
//@ operator RepeatRef
//@ parameter RANK rank
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_repeat_ref #(
    parameter longint RANK = 0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in, ref_,
    output logic in_take, ref__take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic has, waits, pushes, more, ended;  // has an element; its copy waits for room
  logic [7:0] stop;
  sluice::token_t held;

  assign in_take = in.valid && !has;
  assign ref__take = has && ref_.valid && !waits;
  assign pushes = waits && out_ready;
  assign more = 64'(stop) == RANK;
  assign ended = in.ended && !has;
  assign out = sluice::push_of(pushes, ended, now, sluice::with_stop(held, stop - 8'(RANK)));
  assign status = sluice::status_of(in_take || ref__take || pushes, '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      has <= 0;
      waits <= 0;
    end else if (in_take) begin
      has <= 1;
      held <= in.token;
    end else if (ref__take) begin
      waits <= 64'(ref_.token.stop) >= RANK;
      stop <= ref_.token.stop;
    end else if (pushes) begin
      waits <= 0;
      has <= more;
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!has && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(has && !waits && !ref_.valid && !ref_.ended, token, ref, 0)
  `SLUICE_WAITS(waits && !out_ready, room, out, 0)
  `SLUICE_FAULT(has && !waits && ref_.ended, "the reference stream ended although an element still waits for it")
endmodule
