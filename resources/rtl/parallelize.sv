// Parallelize: group after group to the outputs in turn. A token is taken first.
//@ operator Parallelize
//@ parameter WAYS ways
//@ parameter RANK rank
//@ parameter SWITCH_CYCLES switch_cycles
//@ parameter OWN_SWITCH_CYCLES port_switch_cycles.size
//@ parameter PORT_SWITCH_CYCLES port_switch_cycles
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_parallelize #(
    parameter int WAYS = 2,
    parameter longint RANK = 0,
    parameter longint SWITCH_CYCLES = 1,
    parameter int OWN_SWITCH_CYCLES = 0,
    parameter logic [64*WAYS-1:0] PORT_SWITCH_CYCLES = '0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output logic [WAYS*sluice::PUSH_BITS-1:0] out,
    input logic [WAYS-1:0] out_ready,
    output sluice::status_t status
);
  logic [31:0] turn;
  sluice::cycle_t taken_at;  // the stamp counts from there
  logic holds, emits, ended;
  sluice::token_t held;

  assign in_take = in.valid && !holds;
  assign emits = holds && out_ready[turn];
  assign ended = in.ended && !holds;
  always_comb
    for (int i = 0; i < WAYS; i++)
      out[sluice::PUSH_BITS*i +: sluice::PUSH_BITS] = sluice::push_of(emits && turn == i, ended,
                               taken_at + (OWN_SWITCH_CYCLES > 0 ? PORT_SWITCH_CYCLES[64*i +: 64] : SWITCH_CYCLES), held);
  assign status = sluice::status_of(in_take || emits, '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      holds <= 0;
      turn <= 0;
    end else if (in_take) begin
      holds <= 1;
      held <= in.token;
      taken_at <= now;
    end else if (emits) begin
      holds <= 0;
      if (64'(held.stop) >= RANK) turn <= turn + 1 == WAYS ? 0 : turn + 1;
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!holds && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(holds && !emits, room, out, turn)
  `SLUICE_FAULT(in_take && 64'(in.token.stop) > RANK, "a stop beyond the rank of the groups arrived")
endmodule
