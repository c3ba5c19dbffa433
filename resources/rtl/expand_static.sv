// ExpandStatic: every element FACTOR times in its dimension. The element is held until its last copy has left.
//@ operator ExpandStatic
//@ parameter FACTOR factor
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_expand_static #(
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
  logic [63:0] copy;
  logic last, pushes;

  assign last = copy == 64'(FACTOR - 1);
  assign pushes = in.valid && out_ready;
  assign in_take = pushes && last;
  assign out = sluice::push_of(pushes, in.ended, now, last ? in.token : sluice::with_stop(in.token, 0));
  assign status = sluice::status_of(pushes, '0, !in.ended);

  always_ff @(posedge clk) begin
    if (rst) copy <= '0;
    else if (pushes) copy <= last ? 64'd0 : copy + 64'd1;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(in.valid && !out_ready, room, out, 0)
endmodule
