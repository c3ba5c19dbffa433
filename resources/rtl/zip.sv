// Zip: pairs of the tokens of two streams. Both are held until the pair has left.
//@ operator Zip
//@ parameter FIRST groups.first
//@ parameter PLACES groups.size
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_zip #(
    parameter int FIRST = 0,
    parameter int PLACES = 2
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in1, in2,
    output logic in1_take, in2_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic [31:0] place;
  logic both, ended, pushes;
  sluice::token_t pair;

  assign both = in1.valid && in2.valid;
  assign ended = in1.ended && in2.ended;
  assign pushes = both && out_ready;
  assign in1_take = pushes;
  assign in2_take = pushes;
  group_write first_memory (.clk, .write(pushes), .place(FIRST + place), .token(in1.token));
  group_write second_memory (.clk, .write(pushes), .place(FIRST + place + 1), .token(in2.token));
  assign pair = sluice::group(FIRST + place, 2, in1.token.stop);
  assign out = sluice::push_of(pushes, ended, now, pair);
  assign status = sluice::status_of(pushes, '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) place <= 0;
    else if (pushes) place <= place + 2;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!in1.valid && !in1.ended, token, in1, 0)
  `SLUICE_WAITS((in1.valid || in1.ended) && !in2.valid && !in2.ended, token, in2, 0)
  `SLUICE_WAITS(both && !out_ready, room, out, 0)
  `SLUICE_FAULT((in1.valid && in2.ended) || (in2.valid && in1.ended), "one stream ended before the other")
  `SLUICE_FAULT(both && in1.token.stop != in2.token.stop, "the streams have different stop levels")
  `SLUICE_FAULT(pushes && place + 1 >= PLACES, "there is no more room for groups")
endmodule
