// Consumer, Printer: take a token a cycle.
//@ operator Consumer
//@ operator Printer
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_consumer (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output sluice::status_t status
);
  sluice::cycle_t clock;  // until when it is busy
  logic ended;

  assign in_take = in.valid && now >= clock;
  assign ended = in.ended && now >= clock;
  assign status = sluice::status_of(in_take, now < clock, !ended);

  always_ff @(posedge clk) begin
    if (rst) clock <= '0;
    else if (in_take) clock <= now + 1'b1;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!in.valid && !in.ended, token, in, 0)
endmodule
