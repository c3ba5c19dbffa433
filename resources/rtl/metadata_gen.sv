// MetadataGen: the numbers of an input. Number k is stamped k, so they leave as fast as there is room.
//@ operator MetadataGen
//@ tokens
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_metadata_gen #(
    parameter DATA = "tokens.hex",
    parameter int TOKENS = 1
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  sluice::token_t token;
  logic done, pushes;
  logic [63:0] position;

  played_tokens #(.DATA(DATA), .TOKENS(TOKENS)) played (.clk, .rst, .next(pushes), .token, .done, .position);
  assign pushes = !rst && !done && out_ready;
  assign out = sluice::push_of(pushes, done, position, token);
  assign status = sluice::status_of(pushes, '0, !done);
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!done && !out_ready, room, out, 0)
endmodule
