// FlatMap: every tile as its rows or columns, or in pieces. The tile is taken first.
//@ operator FlatMap
//@ parameter FUNCTION function retile_streamify split_tile
//@ parameter SPLIT split
//@ parameter PIECE piece
//@ parameter FILTER_MASK filter_mask
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_flat_map #(
    parameter FUNCTION = "retile_streamify",
    parameter SPLIT = "row",
    parameter logic [127:0] PIECE = '0,
    parameter bit FILTER_MASK = 0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in,
    output logic in_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  localparam bit PIECES = FUNCTION == "split_tile", BY_ROW = SPLIT == "row";

  logic holds, last, emits, ended;
  sluice::token_t held, piece;
  logic [31:0] index, place, row;  // of the piece; in its row (or column) of pieces; its first row in the tile
  logic [31:0] down, across;       // pieces below each other, beside each other

  always_comb begin
    piece = held;
    down = held.rows;
    across = held.cols;
    row = 0;
    last = 0;
    if (PIECES) begin
      piece.rows = PIECE[63:0] == 0 || held.rows < PIECE[31:0] ? held.rows : PIECE[31:0];
      piece.cols = PIECE[127:64] == 0 || held.cols < PIECE[95:64] ? held.cols : PIECE[95:64];
      down = piece.rows == 0 ? 1 : held.rows / piece.rows;
      across = piece.cols == 0 ? 1 : held.cols / piece.cols;
      row = piece.rows * (BY_ROW ? index / across : place);
      last = index + 1 == down * across;
      piece.valid_rows = held.valid_rows <= row ? 0 : held.valid_rows - row < piece.rows ? held.valid_rows - row : piece.rows;
      piece.stop = last ? held.stop + 8'd1 : place + 1 == (BY_ROW ? across : down) ? 8'd1 : 8'd0;
`ifdef SLUICE_COMPUTES
      piece = sluice_tiles::piece(held, row, piece.cols * (BY_ROW ? place : index / down), piece);
`endif
    end else begin
      piece.rows = 1;
      piece.cols = BY_ROW ? held.cols : held.rows;
      last = index + 1 == (BY_ROW ? down : across) || (FILTER_MASK && index + 1 == held.valid_rows);
      piece.valid_rows = index < held.valid_rows ? 1 : 0;
      piece.stop = last ? held.stop : 8'd0;
`ifdef SLUICE_COMPUTES
      piece = BY_ROW ? sluice_tiles::piece(held, index, 0, piece) : sluice_tiles::column(held, index, piece);
`endif
    end
  end
  assign in_take = in.valid && !holds;
  assign emits = holds && out_ready;
  assign ended = in.ended && !holds;
  assign out = sluice::push_of(emits, ended, now, piece);
  assign status = sluice::status_of(in_take || emits, '0, !ended);

  always_ff @(posedge clk) begin
    if (rst) holds <= 0;
    else if (in_take) begin
      holds <= 1;
      held <= in.token;
      index <= 0;
      place <= 0;
    end else if (emits) begin
      holds <= !last;
      index <= index + 1;
      place <= place + 1 == (BY_ROW ? across : down) ? 0 : place + 1;
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!holds && !in.valid && !in.ended, token, in, 0)
  `SLUICE_WAITS(holds && !out_ready, room, out, 0)
endmodule
