// Accum: the tiles of the innermost dimensions folded into one. A tile's slot is freed before the result goes out.
//@ operator Accum
//@ parameter FUNCTION function add multiply max retile_row retile_col signal_all_read
//@ parameter INIT init
//@ parameter RANK rank
//@ parameter COMPUTE_BW compute_bw
//@ parameter WRITE_BACK_MU write_back_mu
//@ parameter KEEP_PADDING keep_padding
//@ parameter ON_CHIP_BANDWIDTH machine.on_chip_bandwidth
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_accum #(
    parameter FUNCTION = "add",
    parameter logic [127:0] INIT = '0,
    parameter longint RANK = 1,
    parameter longint COMPUTE_BW = 1,
    parameter bit WRITE_BACK_MU = 0,
    parameter bit KEEP_PADDING = 0,
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
  localparam bit PACKS = F == sluice::RETILE_ROW || F == sluice::RETILE_COL;
  // Folding is as much work as combining two tiles; packing is none.
  localparam logic [4:0] WORK = PACKS ? sluice::NO_FUNCTION : F == sluice::SIGNAL_ALL_READ ? F : sluice::ADD;

  sluice::cycle_t clock;  // when it last did something
  sluice::token_t sum, previous, after, result, leaving;
  sluice::cycle_t work, done_at;
  logic starts, closes, worked, holds, emits, ended;

  always_comb begin
    previous = starts ? sluice::tile(INIT[31:0], INIT[95:64], 0, 0) : sum;
    after = sluice::accumulate(F, previous, in.token);
    closes = 64'(in.token.stop) >= RANK;
    work = sluice::later(sluice::read_cycles(in.token, ON_CHIP_BANDWIDTH),
                         sluice::compute_cycles(WORK, in.token, after, COMPUTE_BW));
    if (WRITE_BACK_MU && closes)
      work = sluice::later(work, sluice::ceil_div(INIT[63:0] * INIT[127:64] * 64'(after.element_bytes), ON_CHIP_BANDWIDTH));
    done_at = sluice::later(clock, in.arrival) + work;
    worked = in.valid && !holds && now >= done_at;
`ifdef SLUICE_COMPUTES
    if (worked) after = sluice_tiles::accumulated(F, previous, in.token, starts, after);
`endif
    ended = in.ended && !holds;
    result = after;
`ifdef SLUICE_COMPUTES
    if (worked && closes) result = sluice_tiles::finished(after);
`endif
    if (!PACKS) result.from_memory = WRITE_BACK_MU;
    if (!PACKS && KEEP_PADDING) result.valid_rows = in.token.valid_rows;
    result.stop = in.token.stop - 8'(RANK);
  end
  held_result folded (.clk, .rst, .made(worked && closes), .result, .room(out_ready), .holds, .emits, .token(leaving));
  assign in_take = worked;
  assign out = sluice::push_of(emits, ended, now, leaving);
  assign status = sluice::status_of(worked || emits, in.valid && !holds ? sluice::wait_until(done_at, now) : '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      clock <= '0;
      starts <= 1;
    end else begin
      if (worked || emits) clock <= now;
      if (worked) begin
        sum <= after;
        starts <= closes;
      end
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!holds && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(holds && !out_ready, room, out, 0)
endmodule
