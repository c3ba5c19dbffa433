// Promote: a new dimension of extent 1 at RANK. Only stop levels change.
//@ operator Promote
//@ parameter RANK rank
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_promote #(
    parameter longint RANK = 0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic [7:0] stop;
  always_comb begin
    stop = in.token.stop;
    if (stop == 0) stop = RANK == 0 ? 8'd1 : 8'd0;
    else if (8'(RANK) <= stop) stop = stop + 8'd1;
  end
  /* verilator tracing_on */
  take_first inner_operator (.clk, .rst, .report, .now, .in, .in_take, .token(sluice::with_stop(in.token, stop)), .out, .out_ready, .status);
endmodule
