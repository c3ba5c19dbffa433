// Reassemble: gathers the groups that a selector names, in the order in which they arrive.
//@ operator Reassemble
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
module operator_reassemble #(
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
    input logic [WAYS*sluice::HEAD_BITS-1:0] in,
    output logic [WAYS-1:0] in_take,
    input sluice::head_t control,
    output logic control_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  localparam int INDEX_BITS = WAYS > 1 ? $clog2(WAYS) : 1;
  typedef logic [INDEX_BITS-1:0] way_t;

  sluice::cycle_t clock;             // when it last did something, or until when it is busy
  logic waits, holds;                // for a token on every selected input; an element waits for room
  logic [WAYS-1:0] left;             // inputs that a group is still taken from
  logic in_group;                      // of the group of `way`
  way_t way, first;                  // the input; of those that are left the one whose group came first
  logic [sluice::TIME_BITS*WAYS-1:0] arrivals;  // of the first tokens of the groups
  logic [7:0] control_stop;
  sluice::token_t held, x;
  sluice::head_t each, from;         // an input; that of the group
  logic takes_control, starts, chooses, takes, emits, ended, last, group_ends, missing, closed_early;
  logic [31:0] absent;               // the first selected input without a token
  sluice::cycle_t control_at, take_at, read;

  always_comb begin
    control_at = sluice::later(clock, control.arrival) + sluice::read_cycles(control.token, ON_CHIP_BANDWIDTH);
    takes_control = control.valid && left == '0 && !holds && !in_group && now >= control_at;
    missing = 0;
    absent = 0;
    closed_early = 0;
    for (int i = WAYS - 1; i >= 0; i--) begin
      each = in[sluice::HEAD_BITS*i +: sluice::HEAD_BITS];
      if (left[i] && !each.present) begin
        missing = 1;
        absent = i;
        closed_early = closed_early || each.ended;
      end
    end
    starts = waits && !missing;
    first = 0;
    for (int i = WAYS - 1; i >= 0; i--)
      if (left[i] && (!left[first] || arrivals[sluice::TIME_BITS*i +: sluice::TIME_BITS] <=
                                         arrivals[sluice::TIME_BITS*first +: sluice::TIME_BITS])) first = i;
    chooses = !waits && !in_group && !holds && left != '0;

    from = in[sluice::HEAD_BITS*way +: sluice::HEAD_BITS];
    x = from.token;
    last = (left & ~(WAYS'(1) << way)) == '0;
    read = sluice::read_cycles(x, ON_CHIP_BANDWIDTH);
    take_at = sluice::later(sluice::later(clock, from.arrival),
                            arrivals[sluice::TIME_BITS*way +: sluice::TIME_BITS] + (OWN_SWITCH_CYCLES > 0 ? PORT_SWITCH_CYCLES[64*way +: 64] : SWITCH_CYCLES) + read);
    takes = in_group && !holds && from.valid && now >= take_at;
    in_take = takes ? WAYS'(1) << way : '0;
    group_ends = (x.stop == 0 && RANK == 0) || (x.stop != 0 && 64'(x.stop) >= RANK);
    emits = holds && now >= clock && out_ready;
    ended = control.ended && left == '0 && !in_group && !holds && now >= clock;
  end
  assign control_take = takes_control;
  assign out = sluice::push_of(emits, ended, now, held);
  assign status = sluice::status_of(takes_control || starts || chooses || takes || emits,
                                    sluice::wait_until(clock, now) |
                                    (control.valid && left == '0 && !holds && !in_group ? sluice::wait_until(control_at, now) : '0) |
                                    (in_group && !holds && from.valid ? sluice::wait_until(take_at, now) : '0),
                                    !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      clock <= '0;
      left <= '0;
      waits <= 0;
      in_group <= 0;
      holds <= 0;
    end else if (takes_control) begin
      clock <= now;
      left <= control.token.value[WAYS-1:0];
      waits <= 1;
      control_stop <= control.token.stop;
    end else if (starts) begin
      clock <= now;
      waits <= 0;
      for (int i = 0; i < WAYS; i++)
        arrivals[sluice::TIME_BITS*i +: sluice::TIME_BITS] <= in[sluice::HEAD_BITS*i + sluice::ARRIVAL_AT +: sluice::TIME_BITS];
    end else if (chooses) begin
      way <= first;
      in_group <= 1;
    end else if (takes) begin
      clock <= now + (WRITE_BACK_MU ? sluice::write_cycles(x, ON_CHIP_BANDWIDTH) : 0);
      holds <= 1;
      held <= x;
      held.from_memory <= WRITE_BACK_MU;
      if (RANK == 0) held.stop <= !last ? 8'd0 : x.stop != 0 ? x.stop + control_stop + 8'd1 : control_stop + 8'd1;
      else held.stop <= last && 64'(x.stop) >= RANK ? x.stop + control_stop + 8'd1 : x.stop;
      if (group_ends) begin
        in_group <= 0;
        left[way] <= 0;
      end
    end else if (emits) begin
      clock <= now;
      holds <= 0;
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!waits && !in_group && !holds && left == '0 && !control.valid && !control.ended, token, control, 0)
  `SLUICE_WAITS((waits && missing) || (in_group && !holds && !from.valid && !from.ended), token, in, waits ? absent : way)
  `SLUICE_WAITS(holds && now >= clock && !out_ready, room, out, 0)
  `SLUICE_FAULT(waits && closed_early, "an input ended although a selector still asks for a group from it")
  `SLUICE_FAULT(in_group && !holds && from.ended, "an input ended in_group a group")
  `SLUICE_FAULT(takes_control && control.token.value[WAYS-1:0] == '0, "a selector names no input")
endmodule
