// DynStreamify: the tiles of a buffer, one a cycle, in a pass for every element of `ref`. The buffer is held until its last tile has
// left.
//@ operator DynStreamify
//@ parameter RANK rank
//@ parameter REPEAT_RANK repeat_rank
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_dyn_streamify #(
    parameter longint RANK = 1,
    parameter longint REPEAT_RANK = 0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in, ref_,
    output logic in_take, ref__take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  sluice::cycle_t clock;             // until when it is busy
  logic passes, left;                // within a pass; all passes are over
  logic [31:0] index;
  logic [7:0] stop, level;           // of the element of ref
  logic pushes, last, serves, idle, ended;
  sluice::token_t x;

  group_read memory (.place(in.token.value[31:0] + index), .token(x));
  always_comb begin
    last = index + 1 == in.token.rows;
    level = in.token.rows == 1 ? 8'd1 : 64'(x.stop) < RANK ? x.stop : 8'(RANK);
    if (level == 8'(RANK)) level = level + stop;
  end
  assign idle = in.valid && !passes && !left && now >= clock;
  assign ref__take = idle && ref_.valid;
  assign serves = idle && ref_.ended && in.token.stop == 0;
  assign pushes = in.valid && passes && now >= clock && out_ready;
  assign in_take = in.valid && left && now >= clock;
  assign ended = in.ended && now >= clock;
  assign out = sluice::push_of(pushes, ended, now, sluice::with_stop(x, level));
  assign status = sluice::status_of(ref__take || serves || pushes || in_take, now < clock, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      clock <= '0;
      passes <= 0;
      left <= 0;
      index <= 0;
    end else if (ref__take) begin
      passes <= 1;
      stop <= ref_.token.stop;
    end else if (serves) left <= 1;
    else if (pushes) begin
      clock <= now + 1'b1;
      index <= last ? 0 : index + 1;
      if (last) begin
        passes <= 0;
        left <= !(in.token.stop == 0 || 64'(stop) <= REPEAT_RANK);
      end
    end else if (in_take) left <= 0;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(idle && !ref_.valid && !ref_.ended, token, ref, 0)
  `SLUICE_WAITS(in.valid && passes && now >= clock && !out_ready, room, out, 0)
  `SLUICE_FAULT(idle && in.token.stop != 0 && ref_.ended, "the reference stream ended too early")
  `SLUICE_FAULT(ref__take && in.token.stop == 0 && ref_.token.stop != 0, "a stop arrived on ref for a buffer without one")
endmodule
