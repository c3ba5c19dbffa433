// TakeLast: drops the tokens of level 0.
//@ operator TakeLast
//@ groups
/* verilator lint_off WIDTH */
module operator_take_last (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic holds, emits, ended;
  sluice::token_t held;

  assign in_take = in.valid && !holds;
  assign emits = out_ready && (holds || (in_take && in.token.stop != 0));
  assign ended = in.ended && !holds;
  assign out = sluice::push_of(emits, ended, now, holds ? held : in.token);
  assign status = sluice::status_of(in_take || emits, '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) holds <= 0;
    else begin
      if (in_take) held <= in.token;
      holds <= (holds || (in_take && in.token.stop != 0)) && !emits;
    end
  end
  `SLUICE_WAITS(!holds && !in.valid && !in.ended, "token", "in", 0)
  `SLUICE_WAITS(holds && !out_ready, "room", "out", 0)
endmodule
