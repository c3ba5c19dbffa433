// Flatten: the dimensions MIN to MAX become one. Only stop levels change.
//@ operator Flatten
//@ parameter MIN min
//@ parameter MAX max
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_flatten #(
    parameter longint MIN = 0,
    parameter longint MAX = 1
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
    if (stop > 8'(MIN)) stop = stop <= 8'(MAX) ? 8'(MIN) : stop - 8'(MAX - MIN);
  end
  /* verilator tracing_on */
  take_first inner_operator (.clk, .rst, .report, .now, .in, .in_take, .token(sluice::with_stop(in.token, stop)), .out, .out_ready, .status);
endmodule
