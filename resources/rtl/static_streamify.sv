// StaticStreamify: an affine view of every buffer, a tile a cycle. The buffer is held until the last of them has left.
//@ operator StaticStreamify
//@ parameter DIMS out_shape.size
//@ parameter OUT_SHAPE out_shape
//@ parameter STRIDES stride.size
//@ parameter STRIDE stride
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_static_streamify #(
    parameter int DIMS = 1,
    parameter int WIDTH = DIMS > 0 ? DIMS : 1,
    parameter logic [64*WIDTH-1:0] OUT_SHAPE = '0,
    parameter int STRIDES = 0,
    parameter logic [64*WIDTH-1:0] STRIDE = '0  // without STRIDES: row-major
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
  logic [63:0] number, rest, step, place;
  logic left, pushes, last, ended;   // left: all tiles have
  logic [7:0] level;
  sluice::token_t x;

  stop_counter #(.DIMS(DIMS), .EXTENTS(OUT_SHAPE)) stops (.clk, .rst, .next(pushes), .level, .last);
  group_read memory (.place(in.token.value[31:0] + place[31:0]), .token(x));
  always_comb begin
    place = 0;
    rest = number;
    step = 1;
    for (int d = DIMS - 1; d >= 0; d--) begin
      place = place + rest % OUT_SHAPE[64*d +: 64] * (STRIDES > 0 ? STRIDE[64*d +: 64] : step);
      rest = rest / OUT_SHAPE[64*d +: 64];
      step = step * OUT_SHAPE[64*d +: 64];
    end
  end
  assign pushes = in.valid && !left && now >= clock && out_ready;
  assign in_take = in.valid && left && now >= clock;
  assign ended = in.ended && now >= clock;
  assign out = sluice::push_of(pushes, ended, now, sluice::with_stop(x, last ? level + in.token.stop : level));
  assign status = sluice::status_of(pushes || in_take, now < clock, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      clock <= '0;
      number <= '0;
      left <= 0;
    end else if (pushes) begin
      clock <= now + 1'b1;
      number <= last ? 64'd0 : number + 64'd1;
      left <= last;
    end else if (in_take) left <= 0;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(in.valid && !left && now >= clock && !out_ready, room, out, 0)
  `SLUICE_FAULT(pushes && place >= 64'(in.token.rows), "the view reads beyond a buffer")
endmodule
