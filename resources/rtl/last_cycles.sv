// Memory ports end three cycles after their operator: the controller sees that they have ended, tells the channels, and sees
// them end.
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module last_cycles (
    input logic clk, rst,
    input sluice::cycle_t now,
    input logic finished,
    output logic unsettled
);
  logic was_finished;
  sluice::cycle_t finished_at;
  always_ff @(posedge clk) begin
    if (rst) was_finished <= 0;
    else if (finished && !was_finished) begin
      was_finished <= 1;
      finished_at <= now;
    end
  end
  assign unsettled = !was_finished || now < finished_at + 3;
endmodule
