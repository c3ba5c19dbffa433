// CacheReadAddrGen: the addresses of a cached sequence, one a cycle, from its index and its length.
//@ operator CacheReadAddrGen
//@ parameter ROW_OFFSET row_offset
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_cache_read_addr_gen #(
    parameter longint ROW_OFFSET = 1
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t index, length,
    output logic index_take, length_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic has, busy, emits, last, ended;  // an index has been taken
  logic [7:0] stop;
  logic [sluice::VALUE_BITS-1:0] first;
  logic [63:0] number;
  sluice::cycle_t begun_at;

  series addresses (.clk, .rst, .now, .begins(length_take), .count(64'(length.token.value)), .ready(out_ready), .busy,
                    .emits, .last, .index(number), .begun_at);
  assign index_take = index.valid && !has && !busy;
  assign length_take = has && length.valid;
  assign ended = index.ended && length.ended && !has && !busy;
  assign out = sluice::push_of(emits, ended, begun_at + number,
                               sluice::with_stop(sluice::number(first + number), last ? stop + 8'd1 : 8'd0));
  assign status = sluice::status_of(index_take || length_take || emits, '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) has <= 0;
    else if (index_take) begin
      has <= 1;
      stop <= index.token.stop;
      first <= index.token.value * ROW_OFFSET;
    end else if (length_take) has <= 0;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!has && !busy && !index.valid && !index.ended, token, index, 0)
  `SLUICE_WAITS(!busy && (has || index.ended) && !length.valid && !length.ended, token, length, 0)
  `SLUICE_WAITS(busy && !out_ready, room, out, 0)
  `SLUICE_FAULT((has && length.ended) || (index.ended && !has && !busy && length.valid), "one stream ended before the other")
  `SLUICE_FAULT(length_take && length.token.stop != stop, "the streams have different stop levels")
endmodule
