// SelectGen: the selectors of an input, one a cycle.
//@ operator SelectGen
//@ tokens
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_select_gen #(
    parameter DATA = "tokens.hex",
    parameter int TOKENS = 1
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  sluice::cycle_t clock;  // when the next one may leave
  sluice::token_t token;
  logic done, pushes;
  logic [63:0] position;

  played_tokens #(.DATA(DATA), .TOKENS(TOKENS)) played (.clk, .rst, .next(pushes), .token, .done, .position);
  assign pushes = !rst && !done && now >= clock && out_ready;
  assign out = sluice::push_of(pushes, done && now >= clock, clock + 1'b1, token);
  assign status = sluice::status_of(pushes, now < clock, !done || now < clock);

  always_ff @(posedge clk) begin
    if (rst) clock <= '0;
    else if (pushes) clock <= now + 1'b1;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!done && now >= clock && !out_ready, room, out, 0)
endmodule
