// TileGen: a tile every INTERVAL cycles.
//@ operator TileGen
//@ parameter TILE tile
//@ parameter DIMS shape.size
//@ parameter SHAPE shape
//@ parameter ELEMENT_BYTES element_bytes
//@ parameter INTERVAL interval
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_tile_gen #(
    parameter logic [127:0] TILE = '0,
    parameter int DIMS = 1,
    parameter int WIDTH = DIMS > 0 ? DIMS : 1,
    parameter logic [64*WIDTH-1:0] SHAPE = '0,
    parameter int ELEMENT_BYTES = 4,
    parameter longint INTERVAL = 1
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  sluice::cycle_t clock;  // when the next tile may leave
  logic done, last, pushes;
  logic [7:0] level;

  stop_counter #(.DIMS(DIMS), .EXTENTS(SHAPE)) stops (.clk, .rst, .next(pushes), .level, .last);
  assign pushes = !rst && !done && now >= clock && out_ready;
  // It is stamped with the end of its interval from the clock before room was waited for.
  assign out = sluice::push_of(pushes, done && now >= clock, clock + INTERVAL,
                               sluice::with_stop(sluice::tile(TILE[31:0], TILE[95:64], 4'(ELEMENT_BYTES), 0), level));
  assign status = sluice::status_of(pushes, sluice::wait_until(clock, now), !done || now < clock);

  always_ff @(posedge clk) begin
    if (rst) begin
      clock <= '0;
      done <= 0;
    end else if (pushes) begin
      clock <= now + INTERVAL;
      done <= last;
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!done && now >= clock && !out_ready, room, out, 0)
endmodule
