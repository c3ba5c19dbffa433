// The types of streams and what operators compute of them: tokens, both sides of a FIFO, sizes, cycles and FLOPs.
// sluice_program (sizes.sv, written for each program) says how wide a token's value is.
/* verilator lint_off WIDTH */
`ifndef SLUICE_TYPES
`define SLUICE_TYPES
package sluice;

  localparam int TIME_BITS = 48;
  typedef logic [TIME_BITS-1:0] cycle_t;
  localparam int VALUE_BITS = sluice_program::VALUE_BITS;

  typedef enum logic [1:0] {
    TILE = 0,      // rows x cols elements; of 8 or 1 bytes: a number, which is `value`
    SELECTOR = 1,  // value: a bit for each target; rows: how many targets there are, a byte each
    GROUP = 2      // of tokens that lie on chip (a buffer, a tuple); value: where, rows: how many
  } kind_t;

  typedef struct packed {
    kind_t kind;
    logic [7:0] stop;           // how many of the innermost dimensions end here
    logic from_memory;          // who processes it pays for reading it
    logic [3:0] element_bytes;
    logic [31:0] rows, cols;
    logic [31:0] valid_rows;    // those that are not padding
    logic [VALUE_BITS-1:0] value;
`ifdef SLUICE_COMPUTES
    logic [31:0] valid_cols;    // those that are not padding
    logic [sluice_program::ELEMENTS-1:0][31:0] elements;  // row by row
`endif
  } token_t;

  // From a producer to its FIFO. `closed`: nothing more will come.
  typedef struct packed {
    logic valid, closed;
    cycle_t stamp;              // it arrives then, but not before the cycle after this
    token_t token;
  } push_t;

  // From a FIFO to its consumer: the oldest token.
  typedef struct packed {
    logic present;              // it is there, but may arrive later
    logic valid;                // it has arrived
    logic ended;                // there is none, and there will be none
    cycle_t arrival;
    token_t token;
  } head_t;

  // From an operator to the off-chip memory, for one cycle of the clock: so many requests, `at_once` in a cycle.
  typedef struct packed {
    logic valid;
    logic [31:0] requests, at_once;
  } ask_t;

  // What goes up the hierarchy; all parts are joined by OR.
  typedef struct packed {
    logic moves;                // something changes at this edge of the clock: the cycle is not over
    cycle_t pending;            // something will change by time alone; bit k: not within 2^k cycles
    logic unsettled;            // not finished
  } status_t;

  typedef enum logic [4:0] {
    NO_FUNCTION, MATMUL, MULTIPLY, ADD, DIVIDE, MAXIMUM, SILU, EXP, ROW_SUM, SET_OFFSET, ROW_APPEND, CACHE_WRITE_ADDRESS,
    RETILE_ROW, RETILE_COL, SIGNAL_ALL_READ
  } function_t;

  // By its spelling in programs.
  function automatic function_t function_named(input logic [8*20-1:0] name);
    case (name)
      "matmul", "dynamic_matmul": return MATMUL;
      "multiply": return MULTIPLY;
      "add": return ADD;
      "divide": return DIVIDE;
      "max": return MAXIMUM;
      "silu": return SILU;
      "exp": return EXP;
      "row_sum": return ROW_SUM;
      "set_offset": return SET_OFFSET;
      "row_append": return ROW_APPEND;
      "cache_write_address": return CACHE_WRITE_ADDRESS;
      "retile_row": return RETILE_ROW;
      "retile_col": return RETILE_COL;
      "signal_all_read": return SIGNAL_ALL_READ;
      default: return NO_FUNCTION;
    endcase
  endfunction

  function automatic logic [63:0] ceil_div(input logic [63:0] a, input logic [63:0] b);
    return (a + b - 64'd1) / b;
  endfunction

  // status.pending of who waits until then: the highest power of 2 that is not beyond.
  function automatic cycle_t wait_until(input cycle_t at, input cycle_t now);
    cycle_t rest;
    if (at <= now) return 0;
    rest = at - now;
    rest |= rest >> 1;
    rest |= rest >> 2;
    rest |= rest >> 4;
    rest |= rest >> 8;
    rest |= rest >> 16;
    rest |= rest >> 32;
    return rest ^ (rest >> 1);
  endfunction

  function automatic cycle_t later(input cycle_t a, input cycle_t b);
    return a > b ? a : b;
  endfunction

  function automatic logic [31:0] larger(input logic [31:0] a, input logic [31:0] b);
    return a > b ? a : b;
  endfunction

  function automatic logic [63:0] bytes(input token_t x);
    return 64'(x.rows) * 64'(x.cols) * 64'(x.element_bytes);
  endfunction

  // Cycles of an operator's memory unit, of `bandwidth` bytes a cycle.
  function automatic cycle_t write_cycles(input token_t x, input logic [63:0] bandwidth);
    return cycle_t'(ceil_div(bytes(x), bandwidth));
  endfunction

  function automatic cycle_t read_cycles(input token_t x, input logic [63:0] bandwidth);
    return x.from_memory ? write_cycles(x, bandwidth) : '0;
  endfunction

  // Requests that move a tile: every row is split by itself.
  function automatic logic [31:0] requests(input token_t x, input logic [63:0] request_bytes);
    return 32'(64'(x.rows) * ceil_div(64'(x.cols) * 64'(x.element_bytes), request_bytes));
  endfunction

  function automatic token_t tile(input logic [31:0] rows, input logic [31:0] cols, input logic [3:0] element_bytes,
                                  input logic from_memory);
    token_t y;
    y = '0;
    y.rows = rows;
    y.cols = cols;
    y.valid_rows = rows;
`ifdef SLUICE_COMPUTES
    y.valid_cols = cols;
`endif
    y.element_bytes = element_bytes;
    y.from_memory = from_memory;
    return y;
  endfunction

  function automatic token_t number(input logic [VALUE_BITS-1:0] value);
    token_t y;
    y = tile(1, 1, 8, 0);
    y.value = value;
    return y;
  endfunction

  function automatic token_t selector(input logic [VALUE_BITS-1:0] targets, input logic [31:0] width);
    token_t y;
    y = tile(width, 1, 1, 0);
    y.kind = SELECTOR;
    y.value = targets;
    return y;
  endfunction

  function automatic token_t with_stop(input token_t x, input logic [7:0] stop);
    token_t y;
    y = x;
    y.stop = stop;
    return y;
  endfunction

  function automatic logic elementwise(input function_t f);
    return f == MULTIPLY || f == ADD || f == DIVIDE || f == MAXIMUM;
  endfunction

  function automatic logic one_cycle(input function_t f);
    return f == SET_OFFSET || f == ROW_APPEND || f == CACHE_WRITE_ADDRESS || f == SIGNAL_ALL_READ;
  endfunction

  // Whether two tiles can be combined.
  function automatic logic fits(input function_t f, input token_t a, input token_t b, input logic transposed);
    if (f == MATMUL) return a.cols == (transposed ? b.cols : b.rows);
    if (elementwise(f))
      return (a.rows == b.rows || a.rows == 1 || b.rows == 1) && (a.cols == b.cols || a.cols == 1 || b.cols == 1);
    return 1;
  endfunction

  // The tile that a function makes of one tile, or of two; with the stop and the memory flag of the first.
  function automatic token_t apply(input function_t f, input token_t a, input token_t b, input logic transposed,
                                   input logic [63:0] row_offset);
    token_t y;
    y = a;
    case (f)
      MATMUL: y.cols = transposed ? b.rows : b.cols;
      MULTIPLY, ADD, DIVIDE, MAXIMUM: begin
        y.rows = larger(a.rows, b.rows);
        y.cols = larger(a.cols, b.cols);
        y.valid_rows = a.rows == b.rows ? larger(a.valid_rows, b.valid_rows) : a.rows == 1 ? b.valid_rows : a.valid_rows;
      end
      SET_OFFSET: y.valid_rows = b.value[31:0];
      ROW_APPEND: y.valid_rows = a.valid_rows + b.rows;
      CACHE_WRITE_ADDRESS: y = with_stop(number(a.value * VALUE_BITS'(row_offset) + b.value), a.stop);
      ROW_SUM: y.cols = 1;
      default: ;
    endcase
    return y;
  endfunction

  function automatic logic [63:0] flops(input function_t f, input token_t a, input token_t y);
    case (f)
      MATMUL: return 64'd2 * 64'(a.rows) * 64'(a.cols) * 64'(y.cols);
      MULTIPLY, ADD, DIVIDE, MAXIMUM: return 64'(y.rows) * 64'(y.cols);
      SILU: return 64'd8 * 64'(a.rows) * 64'(a.cols);
      EXP: return 64'd4 * 64'(a.rows) * 64'(a.cols);
      ROW_SUM: return 64'(a.rows) * 64'(a.cols);
      default: return 0;
    endcase
  endfunction

  function automatic cycle_t compute_cycles(input function_t f, input token_t a, input token_t y,
                                            input logic [63:0] compute_bw);
    return one_cycle(f) ? 1 : cycle_t'(ceil_div(flops(f, a, y), compute_bw));
  endfunction

  // An accumulator with x taken in.
  function automatic token_t accumulate(input function_t f, input token_t acc, input token_t x);
    token_t y;
    y = x;
    case (f)
      RETILE_ROW: begin
        y.rows = acc.rows + x.rows;
        y.valid_rows = acc.valid_rows + x.valid_rows;
      end
      RETILE_COL: y.cols = acc.cols + x.cols;
      SIGNAL_ALL_READ: y = with_stop(number(1), x.stop);
      default: begin
        y.rows = larger(acc.rows, x.rows);
        y.cols = larger(acc.cols, x.cols);
        y.valid_rows = y.rows;
      end
    endcase
    return y;
  endfunction

endpackage

// What an operator tells of itself when the test bench asks: for whom it waits. WHAT: token, room or memory.
`ifdef SYNTHESIS
`define SLUICE_WAITS(CONDITION, WHAT, PORT, INDEX)
`define SLUICE_FAULT(CONDITION, WHAT)
`else
`define SLUICE_WAITS(CONDITION, WHAT, PORT, INDEX) \
  always_ff @(posedge clk) if (report && (CONDITION)) $display("waits %m %s %s %0d", WHAT, PORT, INDEX);
// A token that the operator cannot accept ends the run.
`define SLUICE_FAULT(CONDITION, WHAT) \
  always_ff @(posedge clk) if (!rst && (CONDITION)) begin $display("fault %m %s", WHAT); $finish; end
`endif
`endif
