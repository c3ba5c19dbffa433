// What functions do to the elements of tiles, at the functional level; at the level of timing tiles have none. Elements lie row
// by row. Sums run in ascending order of the reduced index, every operation rounds to 32 bits; with bfloat16 a result is rounded
// once more when it leaves its operator. Columns from `valid_cols` on are padding, and zero.
//@ simulation
/* verilator lint_off WIDTH */
/* verilator tracing_off */
`ifndef SLUICE_TILE_ARITHMETIC
`define SLUICE_TILE_ARITHMETIC
`ifdef SLUICE_COMPUTES
package sluice_tiles;

  import sluice::*;

  function automatic logic holds_elements(input token_t x);
    return x.kind == TILE && (x.element_bytes == 2 || x.element_bytes == 4);
  endfunction

  // Where the element at (row, col) lies in `x`, stretched where it has only one row or column.
  function automatic int place(input token_t x, input int row, input int col);
    return (x.rows == 1 ? 0 : row) * int'(x.cols) + (x.cols == 1 ? 0 : col);
  endfunction

  function automatic logic [31:0] combined(input logic [4:0] f, input logic [31:0] a, input logic [31:0] b);
    case (f)
      MULTIPLY: return sluice_float32::multiply(a, b);
      ADD: return sluice_float32::add(a, b);
      MAXIMUM: return sluice_float32::maximum(a, b);
`ifndef SYNTHESIS
      DIVIDE: return sluice_float32::divide(a, b);
`endif
      default: return 0;
    endcase
  endfunction

  // What leaves an operator: rounded, with padding of zeros.
  function automatic token_t finished(input token_t x);
    token_t y;
    y = x;
    if (!holds_elements(x)) return y;
    for (int row = 0; row < int'(x.rows); ++row)
      for (int col = 0; col < int'(x.cols); ++col) begin
        automatic int at = row * int'(x.cols) + col;
        if (col >= int'(x.valid_cols)) y.elements[at] = 0;
        else if (sluice_program::BFLOAT16) y.elements[at] = sluice_float32::to_bfloat16(x.elements[at]);
      end
    return y;
  endfunction

  // `shape` with elements that are zero.
  function automatic token_t cleared(input token_t shape);
    token_t y;
    y = shape;
    y.elements = '0;
    y.valid_cols = shape.cols;
    return y;
  endfunction

  // `sum`, which has the size of the product, with the product of `a` and `b` added.
  function automatic token_t multiplied(input token_t sum, input token_t a, input token_t b, input logic transposed);
    token_t y;
    y = sum;
    if (!holds_elements(sum)) return y;
    for (int row = 0; row < int'(sum.rows); ++row)
      for (int k = 0; k < int'(a.valid_cols); ++k)
        for (int col = 0; col < int'(sum.cols); ++col) begin
          automatic int at = row * int'(sum.cols) + col;
          y.elements[at] = sluice_float32::add(y.elements[at], sluice_float32::multiply(a.elements[row*int'(a.cols)+k],
              b.elements[transposed ? col*int'(b.cols)+k : k*int'(b.cols)+col]));
        end
    y.valid_cols = transposed ? (b.valid_rows < b.rows ? b.valid_rows : b.rows) : b.valid_cols;
    return y;
  endfunction

  // `shape`, what sluice::apply() makes of a and b, with its elements.
  function automatic token_t applied(input logic [4:0] f, input token_t a, input token_t b, input logic transposed,
                                     input token_t shape);
    token_t y;
    y = shape;
    if (!holds_elements(shape) || f == SET_OFFSET) return y;
    if (f == ROW_APPEND) begin
      for (int row = 0; row < int'(b.rows); ++row)
        for (int col = 0; col < int'(b.cols); ++col)
          y.elements[(int'(a.valid_rows)+row)*int'(a.cols)+col] = b.elements[row*int'(b.cols)+col];
      return y;
    end
    y.elements = '0;
    y.valid_cols = a.valid_cols;
    if (f == MATMUL) y = multiplied(y, a, b, transposed);
    else if (elementwise(f)) begin
      for (int row = 0; row < int'(y.rows); ++row)
        for (int col = 0; col < int'(y.cols); ++col)
          y.elements[row*int'(y.cols)+col] = combined(f, a.elements[place(a, row, col)], b.elements[place(b, row, col)]);
      y.valid_cols = a.cols == b.cols ? larger(a.valid_cols, b.valid_cols) : a.cols == 1 ? b.valid_cols : a.valid_cols;
    end else if (f == ROW_SUM) begin
      y.valid_cols = 1;
      for (int row = 0; row < int'(a.rows); ++row)
        for (int k = 0; k < int'(a.valid_cols); ++k)
          y.elements[row] = sluice_float32::add(y.elements[row], a.elements[row*int'(a.cols)+k]);
    end
`ifndef SYNTHESIS
    else
      for (int at = 0; at < int'(y.rows) * int'(y.cols); ++at)
        y.elements[at] = f == SILU ? sluice_float32::silu(a.elements[at]) : sluice_float32::exponential(a.elements[at]);
`endif
    return finished(y);
  endfunction

  // `shape`, what sluice::accumulate() makes of them, with `x` taken into the elements of `sum`; a first x finds zeros, or ones.
  function automatic token_t accumulated(input logic [4:0] f, input token_t sum, input token_t x, input logic first,
                                         input token_t shape);
    token_t y;
    y = shape;
    if (!holds_elements(x) || f == SIGNAL_ALL_READ) return y;
    y.elements = '0;
    if (f == RETILE_ROW) begin
      for (int at = 0; at < int'(shape.rows) * int'(shape.cols); ++at)
        y.elements[at] = at < int'(sum.rows) * int'(sum.cols) ? sum.elements[at] : x.elements[at-int'(sum.rows)*int'(sum.cols)];
      y.valid_cols = first ? x.valid_cols : larger(sum.valid_cols, x.valid_cols);
    end else if (f == RETILE_COL) begin
      for (int row = 0; row < int'(shape.rows); ++row)
        for (int col = 0; col < int'(shape.cols); ++col)
          y.elements[row*int'(shape.cols)+col] = col < int'(sum.cols) ? sum.elements[row*int'(sum.cols)+col]
              : x.elements[row*int'(x.cols)+col-int'(sum.cols)];
      y.valid_cols = x.valid_cols > 0 ? sum.cols + x.valid_cols : first ? 32'd0 : sum.valid_cols;
    end else begin
      for (int row = 0; row < int'(shape.rows); ++row)
        for (int col = 0; col < int'(shape.cols); ++col) begin
          automatic logic [31:0] state = first || sum.rows == 0 || sum.cols == 0 ? (f == MULTIPLY ? sluice_float32::ONE : 32'd0)
              : sum.elements[place(sum, row, col)];
          y.elements[row*int'(shape.cols)+col] = combined(f, state, x.elements[place(x, row, col)]);
        end
      y.valid_cols = x.cols == 1 && shape.cols > 1 ? shape.cols : first ? x.valid_cols : larger(sum.valid_cols, x.valid_cols);
    end
    return y;
  endfunction

  // The piece of `x` that begins at (row, col), as large as `shape`.
  function automatic token_t piece(input token_t x, input int first_row, input int first_col, input token_t shape);
    token_t y;
    y = shape;
    if (!holds_elements(x)) return y;
    y.elements = '0;
    for (int row = 0; row < int'(y.rows); ++row)
      for (int col = 0; col < int'(y.cols); ++col)
        y.elements[row*int'(y.cols)+col] = x.elements[(first_row+row)*int'(x.cols)+first_col+col];
    y.valid_cols = x.valid_cols <= 32'(first_col) ? 32'd0 : x.valid_cols - 32'(first_col) < y.cols ? x.valid_cols - 32'(first_col) : y.cols;
    return y;
  endfunction

  // A column of `x` as the row `shape`.
  function automatic token_t column(input token_t x, input int index, input token_t shape);
    token_t y;
    y = shape;
    if (!holds_elements(x)) return y;
    y.elements = '0;
    for (int row = 0; row < int'(x.rows); ++row) y.elements[row] = x.elements[row*int'(x.cols)+index];
    y.valid_cols = y.cols;
    return y;
  endfunction

endpackage
`endif
`endif
