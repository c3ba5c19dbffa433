// StaticReassemble: a group of every lane in turn. A token is taken first.
//@ operator StaticReassemble
//@ parameter WAYS ways
//@ parameter RANK rank
//@ parameter SWITCH_CYCLES switch_cycles
//@ parameter OWN_SWITCH_CYCLES port_switch_cycles.size
//@ parameter PORT_SWITCH_CYCLES port_switch_cycles
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_static_reassemble #(
    parameter int WAYS = 2,
    parameter longint RANK = 0,
    parameter longint SWITCH_CYCLES = 1,
    parameter int OWN_SWITCH_CYCLES = 0,
    parameter logic [64*WAYS-1:0] PORT_SWITCH_CYCLES = '0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input logic [WAYS*sluice::HEAD_BITS-1:0] in,
    output logic [WAYS-1:0] in_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic [31:0] lane, from;   // that the next token comes from; that the one held came from
  logic [7:0] level;         // that all lanes end this turn with; 0: the first has not ended
  sluice::cycle_t taken_at;  // the stamp counts from there
  logic holds, takes, emits, ended, final_lane, more;
  sluice::token_t held, x;
  sluice::head_t head;       // of the lane

  assign head = in[sluice::HEAD_BITS*lane +: sluice::HEAD_BITS];
  assign x = head.token;
  assign final_lane = lane == WAYS - 1;
  assign more = 64'(x.stop) <= RANK;
  assign takes = head.valid && !holds;
  assign in_take = takes ? WAYS'(1) << lane : '0;
  assign emits = holds && out_ready;
  assign ended = head.ended && lane == 0 && !holds;
  assign out = sluice::push_of(emits, ended, taken_at + (OWN_SWITCH_CYCLES > 0 ? PORT_SWITCH_CYCLES[64*from +: 64] : SWITCH_CYCLES), held);
  assign status = sluice::status_of(takes || emits, '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      holds <= 0;
      lane <= 0;
      level <= 0;
    end else if (takes) begin
      holds <= 1;
      held <= more || final_lane ? x : sluice::with_stop(x, 8'(RANK));
      from <= lane;
      taken_at <= now;
      if (!more) begin
        level <= final_lane ? 8'd0 : x.stop;
        lane <= final_lane ? 0 : lane + 1;
      end
    end else if (emits) holds <= 0;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!holds && !head.valid && !head.ended, token, in, lane)
  `SLUICE_WAITS(holds && !out_ready, room, out, 0)
  `SLUICE_FAULT(!holds && lane != 0 && head.ended, "a lane ended before the others")
  `SLUICE_FAULT(takes && !more && lane != 0 && x.stop != level, "the lanes end with different levels")
endmodule
