// Map: a function of every tile. The result goes out before the tile's slot is freed.
//@ operator Map
//@ parameter FUNCTION function silu exp row_sum
//@ parameter COMPUTE_BW compute_bw
//@ parameter WRITE_BACK_MU write_back_mu
//@ parameter ON_CHIP_BANDWIDTH machine.on_chip_bandwidth
/* verilator lint_off WIDTH */
module operator_map #(
    parameter FUNCTION = "silu",
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
  localparam sluice::function_t F = sluice::function_named(FUNCTION);

  sluice::cycle_t clock;  // when it last did something
  sluice::token_t x, y;
  sluice::cycle_t work, done_at;
  logic worked, fires;

  always_comb begin
    x = in.token;
    y = sluice::apply(F, x, x, 0, 0);
    y.from_memory = WRITE_BACK_MU;
    work = sluice::later(sluice::read_cycles(x, ON_CHIP_BANDWIDTH), sluice::compute_cycles(F, x, y, COMPUTE_BW));
    if (WRITE_BACK_MU) work = sluice::later(work, sluice::write_cycles(y, ON_CHIP_BANDWIDTH));
    done_at = sluice::later(clock, in.arrival) + work;
    worked = in.valid && now >= done_at;
    fires = worked && out_ready;
  end
  assign in_take = fires;
  assign out = '{valid: fires, closed: in.ended, stamp: now, token: y};
  assign status = '{moves: fires, pending: in.valid && !worked, unsettled: !in.ended};

  always_ff @(posedge clk) begin
    if (rst) clock <= '0;
    else if (fires) clock <= now;
  end
  `SLUICE_WAITS(!in.valid && !in.ended, "token", "in", 0)
  `SLUICE_WAITS(worked && !out_ready, "room", "out", 0)
endmodule
