// FlatmapFilterRowStreamify: the first rows of every tile, as many as its mask has valid ones.
//@ operator FlatmapFilterRowStreamify
//@ timing_only rows are counted, and not cut out of tiles
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_flatmap_filter_row_streamify (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in, mask,
    output logic in_take, mask_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic has, busy, emits, last, ended;
  logic [63:0] number, kept;
  sluice::token_t held, row;
  sluice::cycle_t begun_at;

  assign kept = 64'(mask.token.valid_rows < held.rows ? mask.token.valid_rows : held.rows);
  series rows (.clk, .rst, .now, .begins(mask_take), .count(kept), .ready(out_ready), .busy, .emits, .last, .index(number),
               .begun_at);
  assign in_take = in.valid && !has && !busy;
  assign mask_take = has && mask.valid;
  assign ended = in.ended && mask.ended && !has && !busy;
  always_comb begin
    row = sluice::with_stop(held, last ? held.stop : 8'd0);
    row.rows = 1;
    row.valid_rows = 1;
  end
  assign out = sluice::push_of(emits, ended, now, row);
  assign status = sluice::status_of(in_take || mask_take || emits, '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) has <= 0;
    else if (in_take) begin
      has <= 1;
      held <= in.token;
    end else if (mask_take) has <= 0;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!has && !busy && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(!busy && (has || in.ended) && !mask.valid && !mask.ended, token, mask, 0)
  `SLUICE_WAITS(busy && !out_ready, room, out, 0)
  `SLUICE_FAULT((has && mask.ended) || (in.ended && !has && !busy && mask.valid), "one stream ended before the other")
  `SLUICE_FAULT(mask_take && (mask.token.stop != held.stop || mask.token.rows != held.rows), "the mask does not fit the tile")
  `SLUICE_FAULT(mask_take && kept == 0 && held.stop != 0, "no row of the last tile of a group is kept")
endmodule
