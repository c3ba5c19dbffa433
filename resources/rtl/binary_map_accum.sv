// BinaryMapAccum: products of the tiles of two streams, summed over the innermost dimensions. The tiles' slots are freed
// earlier the sum goes out.
//@ operator BinaryMapAccum
//@ parameter WEIGHT_TRANSPOSED weight_transposed
//@ parameter INIT init
//@ parameter RANK rank
//@ parameter COMPUTE_BW compute_bw
//@ parameter WRITE_BACK_MU write_back_mu
//@ parameter ON_CHIP_BANDWIDTH machine.on_chip_bandwidth
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_binary_map_accum #(
    parameter bit WEIGHT_TRANSPOSED = 0,
    parameter logic [127:0] INIT = '0,
    parameter longint RANK = 1,
    parameter longint COMPUTE_BW = 1,
    parameter bit WRITE_BACK_MU = 0,
    parameter longint ON_CHIP_BANDWIDTH = 64
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in1, in2,
    output logic in1_take, in2_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  sluice::cycle_t clock;  // when it last did something
  sluice::token_t product, earlier, after, sum, leaving;
  sluice::cycle_t work, done_at;
  logic both, ended, worked, closes, holds, emits, starts;

  always_comb begin
    both = in1.valid && in2.valid && !holds;
    ended = in1.ended && in2.ended && !holds;
    closes = 64'(in1.token.stop) >= RANK;
    product = sluice::apply(sluice::MATMUL, in1.token, in2.token, WEIGHT_TRANSPOSED, 0);
    work = sluice::later(
        sluice::read_cycles(in1.token, ON_CHIP_BANDWIDTH) + sluice::read_cycles(in2.token, ON_CHIP_BANDWIDTH),
        sluice::compute_cycles(sluice::MATMUL, in1.token, product, COMPUTE_BW));
    if (WRITE_BACK_MU && closes)
      work = sluice::later(work, sluice::ceil_div(INIT[63:0] * INIT[127:64] * 64'(in1.token.element_bytes), ON_CHIP_BANDWIDTH));
    done_at = sluice::later(clock, sluice::later(in1.arrival, in2.arrival)) + work;
    worked = both && now >= done_at;
    after = product;
`ifdef SLUICE_COMPUTES
    after = starts ? sluice_tiles::cleared(product) : earlier;
    if (worked) after = sluice_tiles::multiplied(after, in1.token, in2.token, WEIGHT_TRANSPOSED);
`endif
    sum = product;
`ifdef SLUICE_COMPUTES
    if (worked && closes) begin
      sum = sluice_tiles::finished(after);
      sum.valid_rows = product.valid_rows;
    end
`endif
    sum.from_memory = WRITE_BACK_MU;
    sum.stop = in1.token.stop - 8'(RANK);
  end
  held_result folded (.clk, .rst, .made(worked && closes), .result(sum), .room(out_ready), .holds, .emits, .token(leaving));
  assign in1_take = worked;
  assign in2_take = worked;
  assign out = sluice::push_of(emits, ended, now, leaving);
  assign status = sluice::status_of(worked || emits, both ? sluice::wait_until(done_at, now) : '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      clock <= '0;
      starts <= 1;
    end else begin
      if (worked || emits) clock <= now;
      if (worked) begin
        earlier <= after;
        starts <= closes;
      end
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!holds && !in1.valid && !in1.ended, token, in1, 0)
  `SLUICE_WAITS(!holds && (in1.valid || in1.ended) && !in2.valid && !in2.ended, token, in2, 0)
  `SLUICE_WAITS(holds && !out_ready, room, out, 0)
  `SLUICE_FAULT((in1.valid && in2.ended) || (in2.valid && in1.ended), "one stream ended earlier the other")
  `SLUICE_FAULT(both && in1.token.stop != in2.token.stop, "the streams have different stop levels")
  `SLUICE_FAULT(both && !sluice::fits(sluice::MATMUL, in1.token, in2.token, WEIGHT_TRANSPOSED), "the tiles do not fit")
endmodule
