// AccumBuff: the innermost dimensions folded into buffers of several tiles. A tile's slot is freed before the buffer goes out.
//@ operator AccumBuff
//@ parameter DIMS buffer_shape.size
//@ parameter BUFFER_SHAPE buffer_shape
//@ parameter RANK rank
//@ parameter COMPUTE_BW compute_bw
//@ parameter ON_CHIP_BANDWIDTH machine.on_chip_bandwidth
//@ parameter FIRST groups.first
//@ parameter PLACES groups.size
//@ groups
//@ timing_only elements of a buffer are not folded
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_accum_buff #(
    parameter int DIMS = 1,
    parameter int WIDTH = DIMS > 0 ? DIMS : 1,
    parameter logic [64*WIDTH-1:0] BUFFER_SHAPE = '0,
    parameter longint RANK = 1,
    parameter longint COMPUTE_BW = 1,
    parameter longint ON_CHIP_BANDWIDTH = 64,
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
  sluice::cycle_t clock, work, done_at;  // clock: when it last did something
  logic [31:0] place, index;             // of the buffer; of the tile in it
  logic fresh;                           // the first round of tiles: none is in the buffer yet
  logic worked, closes, holds, emits, ended, last;
  logic [7:0] level, stop;
  sluice::token_t before_it, slot, sum, buffer;

  stop_counter #(.DIMS(DIMS), .EXTENTS(BUFFER_SHAPE)) stops (.clk, .rst, .next(worked), .level, .last);
  group_read memory (.place(FIRST + place + index), .token(before_it));
  group_write sums (.clk, .write(worked), .place(FIRST + place + index), .token(sum));
  assign buffer = sluice::group(FIRST + place, index, stop);
  always_comb begin
    slot = fresh ? sluice::tile(in.token.rows, in.token.cols, in.token.element_bytes, 0) : before_it;
    sum = sluice::with_stop(sluice::accumulate(sluice::ADD, slot, in.token), level);
    sum.from_memory = 1;
    work = sluice::later(sluice::write_cycles(sum, ON_CHIP_BANDWIDTH) + sluice::read_cycles(in.token, ON_CHIP_BANDWIDTH),
                         sluice::compute_cycles(sluice::ADD, in.token, sum, COMPUTE_BW));
    done_at = sluice::later(clock, in.arrival) + work;
    worked = in.valid && !holds && now >= done_at;
    closes = 64'(in.token.stop) >= RANK;
  end
  assign in_take = worked;
  assign emits = holds && out_ready;
  assign ended = in.ended && !holds;
  assign out = sluice::push_of(emits, ended, now, buffer);
  assign status = sluice::status_of(worked || emits, in.valid && !holds ? sluice::wait_until(done_at, now) : '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      clock <= '0;
      place <= 0;
      index <= 0;
      fresh <= 1;
      holds <= 0;
    end else if (worked) begin
      clock <= now;
      holds <= closes;
      stop <= in.token.stop - 8'(RANK);
      // Where the group closes, the index stays: it is the buffer's size.
      index <= last && !closes ? 0 : index + 1;
      if (last) fresh <= 0;
    end else if (emits) begin
      clock <= now;
      holds <= 0;
      place <= place + index;
      index <= 0;
      fresh <= 1;
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!holds && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(holds && !out_ready, room, out, 0)
  `SLUICE_FAULT(worked && closes && !last, "a group ended in the middle of a buffer")
  `SLUICE_FAULT(worked && place + index >= PLACES, "there is no more room for groups")
endmodule
