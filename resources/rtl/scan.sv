// Scan: the state of a fold after every tile, or before it. The tile is taken first.
//@ operator Scan
//@ parameter FUNCTION function add multiply max
//@ parameter TAP tap
//@ parameter INIT init
//@ parameter RANK rank
//@ parameter COMPUTE_BW compute_bw
//@ timing_only a state that is kept from tile to tile has sizes only
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_scan #(
    parameter FUNCTION = "add",
    parameter TAP = "next",
    parameter logic [127:0] INIT = '0,
    parameter longint RANK = 1,
    parameter longint COMPUTE_BW = 1
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  localparam logic [4:0] F = sluice::function_named(FUNCTION);
  localparam bit PRIOR = TAP == "prior";

  sluice::cycle_t clock;  // when the result is there
  logic holds, starts, worked, emits, ended;
  sluice::token_t state, previous, after, held;

  always_comb begin
    previous = starts ? sluice::tile(INIT[31:0], INIT[95:64], in.token.element_bytes, 0) : state;
    after = sluice::accumulate(F, previous, in.token);
    after.from_memory = 0;
  end
  assign in_take = in.valid && !holds;
  assign worked = holds && now >= clock;
  assign emits = worked && out_ready;
  assign ended = in.ended && !holds;
  assign out = sluice::push_of(emits, ended, now, held);
  assign status = sluice::status_of(in_take || emits, holds ? sluice::wait_until(clock, now) : '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      holds <= 0;
      starts <= 1;
    end else if (in_take) begin
      holds <= 1;
      held <= sluice::with_stop(PRIOR ? previous : after, in.token.stop);
      state <= after;
      starts <= 64'(in.token.stop) >= RANK;
      clock <= now + sluice::compute_cycles(F, in.token, after, COMPUTE_BW);
    end else if (emits) holds <= 0;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!holds && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(worked && !out_ready, room, out, 0)
endmodule
