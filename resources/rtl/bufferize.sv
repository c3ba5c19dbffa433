// Bufferize: gathers the tiles of the innermost RANK dimensions in on-chip memory, one a cycle. A tile is taken first.
//@ operator Bufferize
//@ parameter RANK rank
//@ parameter FIRST groups.first
//@ parameter PLACES groups.size
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_bufferize #(
    parameter longint RANK = 1,
    parameter int FIRST = 0,
    parameter int PLACES = 1
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  sluice::cycle_t clock;         // until when it is busy
  logic [31:0] place, count;     // of the next tile; tiles of the buffer so far
  logic holds, closes, emits, ended;
  logic [7:0] stop;
  sluice::token_t buffer;

  assign in_take = in.valid && !holds && now >= clock;
  assign closes = 64'(in.token.stop) >= RANK;
  assign emits = holds && out_ready;
  assign ended = in.ended && !holds && now >= clock;
  group_write memory (.clk, .write(in_take), .place(FIRST + place), .token(in.token));
  assign buffer = sluice::group(FIRST + place - count, count, stop);
  assign out = sluice::push_of(emits, ended, now, buffer);
  assign status = sluice::status_of(in_take || emits, now < clock, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      clock <= '0;
      holds <= 0;
      place <= 0;
      count <= 0;
    end else if (in_take) begin
      place <= place + 1;
      count <= count + 1;
      holds <= closes;
      stop <= in.token.stop - 8'(RANK);
      clock <= closes ? now : now + 1'b1;
    end else if (emits) begin
      holds <= 0;
      count <= 0;
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!holds && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(holds && !out_ready, room, out, 0)
  `SLUICE_FAULT(in.ended && !holds && count != 0, "the stream ended inside a buffer")
  `SLUICE_FAULT(in_take && place == PLACES, "there is no more room for groups")
endmodule
