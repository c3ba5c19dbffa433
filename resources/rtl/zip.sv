// Zip: pairs of the tokens of two streams. Both are held until the pair has left.
//@ operator Zip
//@ parameter FIRST groups.first
//@ parameter PLACES groups.size
//@ groups
/* verilator lint_off WIDTH */
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
  always_comb begin
    pair = '0;
    pair.kind = sluice::GROUP;
    pair.stop = in1.token.stop;
    pair.rows = 2;
    pair.value = FIRST + place;
  end
  assign out = '{valid: pushes, closed: ended, stamp: now, token: pair};
  assign status = '{moves: pushes, pending: '0, unsettled: !ended};

  always_ff @(posedge clk) begin
    if (rst) place <= 0;
    else if (pushes) begin
      sluice_groups::tokens[FIRST + place] <= in1.token;
      sluice_groups::tokens[FIRST + place + 1] <= in2.token;
      place <= place + 2;
    end
  end
  `SLUICE_WAITS(!in1.valid && !in1.ended, "token", "in1", 0)
  `SLUICE_WAITS((in1.valid || in1.ended) && !in2.valid && !in2.ended, "token", "in2", 0)
  `SLUICE_WAITS(both && !out_ready, "room", "out", 0)
  `SLUICE_FAULT((in1.valid && in2.ended) || (in2.valid && in1.ended), "one stream ended before the other")
  `SLUICE_FAULT(both && in1.token.stop != in2.token.stop, "the streams have different stop levels")
  `SLUICE_FAULT(pushes && place + 1 >= PLACES, "there is no more room for groups")
endmodule
