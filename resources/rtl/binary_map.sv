// BinaryMap: a function of a tile of each stream. The result goes out before the tiles' slots are freed.
//@ operator BinaryMap
//@ parameter FUNCTION function matmul dynamic_matmul multiply add divide max set_offset row_append cache_write_address
//@ parameter WEIGHT_TRANSPOSED weight_transposed
//@ parameter ROW_OFFSET row_offset
//@ parameter COMPUTE_BW compute_bw
//@ parameter WRITE_BACK_MU write_back_mu
//@ parameter STOPS stops
//@ parameter ON_CHIP_BANDWIDTH machine.on_chip_bandwidth
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_binary_map #(
    parameter FUNCTION = "add",
    parameter bit WEIGHT_TRANSPOSED = 0,
    parameter longint ROW_OFFSET = 0,
    parameter longint COMPUTE_BW = 1,
    parameter bit WRITE_BACK_MU = 0,
    parameter STOPS = "both",
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
  localparam logic [4:0] F = sluice::function_named(FUNCTION);
  localparam bit BOTH = STOPS == "both", SECOND = STOPS == "in2";

  sluice::cycle_t clock;  // when it last did something
  sluice::token_t y;
  sluice::cycle_t work, done_at;
  logic both, ended, worked, fires;

  always_comb begin
    both = in1.valid && in2.valid;
    ended = in1.ended && in2.ended;
    y = sluice::apply(F, in1.token, in2.token, WEIGHT_TRANSPOSED, ROW_OFFSET);
    y.from_memory = WRITE_BACK_MU;
    if (SECOND) y.stop = in2.token.stop;
    work = sluice::later(
        sluice::read_cycles(in1.token, ON_CHIP_BANDWIDTH) + sluice::read_cycles(in2.token, ON_CHIP_BANDWIDTH),
        sluice::compute_cycles(F, in1.token, y, COMPUTE_BW));
    if (WRITE_BACK_MU) work = sluice::later(work, sluice::write_cycles(y, ON_CHIP_BANDWIDTH));
    done_at = sluice::later(clock, sluice::later(in1.arrival, in2.arrival)) + work;
    worked = both && now >= done_at;
`ifdef SLUICE_COMPUTES
    if (worked) y = sluice_tiles::applied(F, in1.token, in2.token, WEIGHT_TRANSPOSED, y);
`endif
    fires = worked && out_ready;
  end
  assign in1_take = fires;
  assign in2_take = fires;
  assign out = sluice::push_of(fires, ended, now, y);
  assign status = sluice::status_of(fires, both ? sluice::wait_until(done_at, now) : '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) clock <= '0;
    else if (fires) clock <= now;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!in1.valid && !in1.ended, token, in1, 0)
  `SLUICE_WAITS((in1.valid || in1.ended) && !in2.valid && !in2.ended, token, in2, 0)
  `SLUICE_WAITS(worked && !out_ready, room, out, 0)
  `SLUICE_FAULT((in1.valid && in2.ended) || (in2.valid && in1.ended), "one stream ended before the other")
  `SLUICE_FAULT(both && BOTH && in1.token.stop != in2.token.stop, "the streams have different stop levels")
  `SLUICE_FAULT(both && !sluice::fits(F, in1.token, in2.token, WEIGHT_TRANSPOSED), "the tiles do not fit the function")
endmodule
