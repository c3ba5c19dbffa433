// Partition: sends every group to the outputs that its selector names.
//@ operator Partition
//@ parameter WAYS ways
//@ parameter RANK rank
//@ parameter SWITCH_CYCLES switch_cycles
//@ parameter OWN_SWITCH_CYCLES port_switch_cycles.size
//@ parameter PORT_SWITCH_CYCLES port_switch_cycles
//@ parameter WRITE_BACK_MU write_back_mu
//@ parameter ON_CHIP_BANDWIDTH machine.on_chip_bandwidth
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_partition #(
    parameter int WAYS = 2,
    parameter longint RANK = 0,
    parameter longint SWITCH_CYCLES = 1,
    parameter int OWN_SWITCH_CYCLES = 0,
    parameter logic [64*WAYS-1:0] PORT_SWITCH_CYCLES = '0,
    parameter bit WRITE_BACK_MU = 0,
    parameter longint ON_CHIP_BANDWIDTH = 64
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in, control,
    output logic in_take, control_take,
    output logic [WAYS*sluice::PUSH_BITS-1:0] out,
    input logic [WAYS-1:0] out_ready,
    output sluice::status_t status
);
  sluice::cycle_t clock;         // when it last did something, or until when it is busy
  logic in_group, holds;           // within a group; an element waits for room
  logic [WAYS-1:0] targets;      // of the group
  logic [WAYS-1:0] left, given;  // that the element still goes to; that it goes to now
  logic [7:0] closing;           // the stop that ends the group and outer dimensions; 0: none
  sluice::cycle_t turn;          // to turn to the targets
  sluice::token_t held;
  logic more, takes_control, takes, pushes, blocked, ended, group_ends;
  sluice::cycle_t control_at, take_at, write, longest;

  always_comb begin
    longest = 0;
    for (int i = 0; i < WAYS; i++)
      if (control.token.value[i])
        longest = sluice::later(longest, OWN_SWITCH_CYCLES > 0 ? PORT_SWITCH_CYCLES[64*i +: 64] : SWITCH_CYCLES);
    control_at = sluice::later(clock, control.arrival) + sluice::read_cycles(control.token, ON_CHIP_BANDWIDTH);
    takes_control = control.valid && !in_group && !holds && now >= control_at;
    take_at = sluice::later(clock, in.arrival) + sluice::read_cycles(in.token, ON_CHIP_BANDWIDTH);
    takes = in.valid && in_group && !holds && now >= take_at;
    write = WRITE_BACK_MU ? sluice::write_cycles(in.token, ON_CHIP_BANDWIDTH) : 0;
    group_ends = in.token.stop == 0 ? RANK == 0 : 64'(in.token.stop) == RANK || in.token.stop == closing;
    ended = control.ended && !in_group && !holds && now >= clock;
    // To each target in order; one without room holds back those behind it.
    given = '0;
    blocked = 0;
    for (int i = 0; i < WAYS; i++) begin
      if (left[i] && !out_ready[i]) blocked = 1;
      given[i] = holds && now >= clock && left[i] && !blocked;
    end
    pushes = given != '0;
    for (int i = 0; i < WAYS; i++)
      out[sluice::PUSH_BITS*i +: sluice::PUSH_BITS] = sluice::push_of(given[i], ended, now, held);
  end
  assign in_take = takes;
  assign control_take = takes_control;
  assign status = sluice::status_of(takes_control || takes || pushes,
                                    sluice::wait_until(clock, now) |
                                    (control.valid && !in_group && !holds ? sluice::wait_until(control_at, now) : '0) |
                                    (in.valid && in_group && !holds ? sluice::wait_until(take_at, now) : '0),
                                    !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      clock <= '0;
      in_group <= 0;
      holds <= 0;
      left <= '0;
    end else if (takes_control) begin
      clock <= now;
      in_group <= 1;
      targets <= control.token.value[WAYS-1:0];
      closing <= control.token.stop != 0 ? control.token.stop + 8'(RANK) : 8'd0;
      turn <= longest;
    end else if (takes) begin
      clock <= now + turn + write;
      holds <= targets != '0;
      left <= targets;
      held <= in.token;
      held.from_memory <= WRITE_BACK_MU;
      held.stop <= in.token.stop == 0 ? 8'd0 : closing != 0 ? 8'(RANK) : in.token.stop;
      in_group <= !group_ends;
    end else if (pushes) begin
      clock <= now;
      left <= left & ~given;
      holds <= (left & ~given) != '0;
    end
  end

  logic [31:0] full;  // the first target without room
  always_comb begin
    full = 0;
    for (int i = WAYS - 1; i >= 0; i--) if (left[i] && !out_ready[i]) full = i;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!in_group && !holds && !control.valid && !control.ended, token, control, 0)
  `SLUICE_WAITS(in_group && !holds && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(holds && now >= clock && blocked, room, out, full)
  `SLUICE_FAULT(in_group && !holds && in.ended, "the stream ended although a selector still waits for a group")
  `SLUICE_FAULT(takes && in.token.stop != 0 && (closing != 0 ? in.token.stop != closing : 64'(in.token.stop) > RANK),
                "a stop of another level than is due arrived")
endmodule
