// LoopScan: the running fold of a stream, before and after every element.
//@ operator LoopScan
//@ parameter OPERANDS operands
//@ parameter INIT init
//@ parameter COMPUTE_BW compute_bw
//@ parameter WRITE_BACK_MU write_back_mu
//@ timing_only a state that goes around a loop has sizes only
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_loop_scan #(
    parameter int OPERANDS = 0,  // 0 or 1
    parameter logic [127:0] INIT = '0,
    parameter longint COMPUTE_BW = 1,
    parameter bit WRITE_BACK_MU = 0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    input sluice::head_t operand,
    output logic operand_take,
    input sluice::head_t count,
    output logic count_take,
    output sluice::push_t next, prior,
    input logic next_ready, prior_ready,
    output sluice::status_t status
);
  typedef enum logic [2:0] {IDLE, COUNTS, TAKES_OPERAND, TELLS_PRIOR, TELLS_NEXT} state_t;
  state_t state;
  sluice::cycle_t clock, work;  // when the results are there; cycles of the first fold
  logic starts, counted, takes_operand, tells_prior, tells_next, ended, folds;
  sluice::token_t x, before_it, sum, folded, operand_sum;

  assign in_take = state == IDLE && in.valid;
  assign counted = state == COUNTS && (count.valid || count.ended);
  assign count_take = state == COUNTS && count.valid;
  assign takes_operand = state == TAKES_OPERAND && operand.valid;
  assign operand_take = takes_operand;
  assign folds = counted || (in_take && !starts);
  assign tells_prior = state == TELLS_PRIOR && now >= clock && prior_ready;
  assign tells_next = state == TELLS_NEXT && next_ready;
  assign ended = state == IDLE && in.ended;

  sluice::token_t element, start;
  assign element = state == IDLE ? in.token : x;
  always_comb begin
    start = state == COUNTS ? sluice::tile(INIT[31:0], INIT[95:64], element.element_bytes, 0) : sum;
    folded = sluice::accumulate(sluice::ADD, start, element);
    folded.from_memory = WRITE_BACK_MU;
    operand_sum = sluice::accumulate(sluice::ADD, sum, operand.token);
    operand_sum.from_memory = WRITE_BACK_MU;
  end
  assign prior = sluice::push_of(tells_prior, ended, now, sluice::with_stop(before_it, x.stop));
  assign next = sluice::push_of(tells_next, ended, now, sluice::with_stop(sum, x.stop));
  assign status = sluice::status_of(in_take || counted || takes_operand || tells_prior || tells_next,
                                    state == TELLS_PRIOR ? sluice::wait_until(clock, now) : '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      state <= IDLE;
      starts <= 1;
    end else begin
      if (in_take) begin
        x <= in.token;
        starts <= in.token.stop != 0;
        if (starts) state <= COUNTS;
      end
      if (folds) begin
        before_it <= start;
        sum <= folded;
        work <= sluice::compute_cycles(sluice::ADD, element, folded, COMPUTE_BW);
        clock <= now + sluice::compute_cycles(sluice::ADD, element, folded, COMPUTE_BW);
        state <= OPERANDS > 0 ? TAKES_OPERAND : TELLS_PRIOR;
      end
      if (takes_operand) begin
        sum <= operand_sum;
        clock <= now + sluice::later(work, sluice::compute_cycles(sluice::ADD, operand.token, operand_sum, COMPUTE_BW));
        state <= TELLS_PRIOR;
      end
      if (tells_prior) state <= TELLS_NEXT;
      if (tells_next) state <= IDLE;
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(state == IDLE && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(state == COUNTS && !counted, token, count, 0)
  `SLUICE_WAITS(state == TAKES_OPERAND && !operand.valid && !operand.ended, token, operand, 0)
  `SLUICE_WAITS(state == TELLS_PRIOR && now >= clock && !prior_ready, room, prior, 0)
  `SLUICE_WAITS(state == TELLS_NEXT && !next_ready, room, next, 0)
  `SLUICE_FAULT(state == TAKES_OPERAND && operand.ended, "the second operand ended before the stream did")
endmodule
