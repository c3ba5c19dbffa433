// Streamify: the tiles of every buffer, one a cycle, in as many passes as REPEAT says. The buffer is held until the last of
// them has left.
//@ operator Streamify
//@ parameter RANK rank
//@ parameter ENTRIES repeat.size
//@ parameter REPEAT repeat
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_streamify #(
    parameter longint RANK = 1,
    parameter int ENTRIES = 0,
    parameter int WIDTH = ENTRIES > 0 ? ENTRIES : 1,
    parameter logic [64*WIDTH-1:0] REPEAT = '0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  sluice::cycle_t clock;             // until when it is busy
  logic [31:0] entry, index;         // of REPEAT, the last one first; of the tile
  logic [63:0] pass, passes;
  logic left, pushes, last_tile, last_pass, last_entry, ended;  // left: all tiles have
  logic [7:0] level;
  sluice::token_t x;

  group_read memory (.place(in.token.value[31:0] + index), .token(x));
  always_comb begin
    passes = ENTRIES > 0 ? REPEAT[64*(WIDTH - 1 - entry) +: 64] : 64'd1;
    last_tile = index + 1 == in.token.rows;
    last_pass = pass + 64'd1 == passes;
    last_entry = entry + 1 == WIDTH;
    // A buffer of one tile has lost its rank.
    level = in.token.rows == 1 ? 8'd1 : 64'(x.stop) < RANK ? x.stop : 8'(RANK);
    if (level == 8'(RANK) && last_pass) level = level + in.token.stop + (ENTRIES > 0 ? 8'(entry + 1) : 8'd0);
  end
  assign pushes = in.valid && !left && now >= clock && out_ready;
  assign in_take = in.valid && left && now >= clock;
  assign ended = in.ended && now >= clock;
  assign out = sluice::push_of(pushes, ended, now, sluice::with_stop(x, level));
  assign status = sluice::status_of(pushes || in_take, now < clock, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      clock <= '0;
      entry <= 0;
      index <= 0;
      pass <= '0;
      left <= 0;
    end else if (pushes) begin
      clock <= now + 1'b1;
      index <= last_tile ? 0 : index + 1;
      if (last_tile) pass <= last_pass ? 64'd0 : pass + 64'd1;
      if (last_tile && last_pass) entry <= last_entry ? 0 : entry + 1;
      left <= last_tile && last_pass && last_entry;
    end else if (in_take) left <= 0;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(in.valid && !left && now >= clock && !out_ready, room, out, 0)
endmodule
