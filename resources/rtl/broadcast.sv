// Broadcast: copies every token to all outputs in one cycle; the slowest consumer holds back all.
//@ operator Broadcast
//@ parameter WAYS ways
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_broadcast #(
    parameter int WAYS = 2
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output logic [WAYS*sluice::PUSH_BITS-1:0] out,
    input logic [WAYS-1:0] out_ready,
    output sluice::status_t status
);
  logic holds, emits, ended;
  sluice::token_t leaving;

  held_result result (.clk, .rst, .made(in_take), .result(in.token), .room(&out_ready), .holds, .emits, .token(leaving));
  assign in_take = in.valid && !holds;
  assign ended = in.ended && !holds;
  assign out = {WAYS{sluice::push_of(emits, ended, now, leaving)}};
  assign status = sluice::status_of(in_take || emits, '0, !ended);

  logic [31:0] full;  // the first output without room
  always_comb begin
    full = 0;
    for (int i = WAYS - 1; i >= 0; i--) if (!out_ready[i]) full = i;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!holds && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(holds && !(&out_ready), room, out, full)
endmodule
