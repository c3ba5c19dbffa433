// Map: a function of every tile, or of the two tiles of every pair. The result goes out before the slot is freed.
//@ operator Map
//@ parameter FUNCTION function
//@ parameter WEIGHT_TRANSPOSED weight_transposed
//@ parameter COMPUTE_BW compute_bw
//@ parameter WRITE_BACK_MU write_back_mu
//@ parameter ON_CHIP_BANDWIDTH machine.on_chip_bandwidth
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_map #(
    parameter FUNCTION = "silu",
    parameter bit WEIGHT_TRANSPOSED = 0,
    parameter longint COMPUTE_BW = 1,
    parameter bit WRITE_BACK_MU = 0,
    parameter longint ON_CHIP_BANDWIDTH = 64
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
  localparam bit PAIRS = F == sluice::MATMUL || sluice::elementwise(F);

  sluice::cycle_t clock;  // when it last did something
  sluice::token_t first, second, a, b, y;
  sluice::cycle_t work, done_at;
  logic worked, fires;

  // The tiles of a pair.
    if (PAIRS) begin
      group_read first_memory (.place(in.token.value[31:0]), .token(first));
      group_read second_memory (.place(in.token.value[31:0] + 1), .token(second));
    end
  always_comb begin
    a = in.token;
    b = in.token;
    if (PAIRS) begin
      a = first;
      b = second;
    end
    y = sluice::with_stop(sluice::apply(F, a, b, WEIGHT_TRANSPOSED, 0), in.token.stop);
    y.from_memory = WRITE_BACK_MU;
    work = sluice::read_cycles(a, ON_CHIP_BANDWIDTH) + (PAIRS ? sluice::read_cycles(b, ON_CHIP_BANDWIDTH) : 0);
    work = sluice::later(work, sluice::compute_cycles(F, a, y, COMPUTE_BW));
    if (WRITE_BACK_MU) work = sluice::later(work, sluice::write_cycles(y, ON_CHIP_BANDWIDTH));
    done_at = sluice::later(clock, in.arrival) + work;
    worked = in.valid && now >= done_at;
`ifdef SLUICE_COMPUTES
    if (worked) y = sluice_tiles::applied(F, a, b, WEIGHT_TRANSPOSED, y);
`endif
    fires = worked && out_ready;
  end
  assign in_take = fires;
  assign out = sluice::push_of(fires, in.ended, now, y);
  assign status = sluice::status_of(fires, in.valid ? sluice::wait_until(done_at, now) : '0, !in.ended);

  always_ff @(posedge clk) begin
    if (rst) clock <= '0;
    else if (fires) clock <= now;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(worked && !out_ready, room, out, 0)
  `SLUICE_FAULT(in.valid && PAIRS && !sluice::fits(F, a, b, WEIGHT_TRANSPOSED), "the tiles of a pair do not fit the function")
endmodule
