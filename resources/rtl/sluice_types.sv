// The types of streams and what operators compute of them: tokens, both sides of a FIFO, sizes, cycles and FLOPs.
// sizes.sv, which is written for each program, says how wide a token's value is.
//@ without Kernel it says how long a loop nest takes, and not what it does | write its tensor program as C++: sluice-cli emit hls
//@ without LayoutConverter it says how long it holds tiles, and not where they lie | write its tensor program as C++: sluice-cli emit hls
//@ without TensorProgram it is compiled before it runs, and then it is kernels | write it as C++: sluice-cli emit hls
//@ without DataflowActor it says how long it fires, and not what it does | what there is to know is its pace: sluice-cli throughput
/* verilator lint_off WIDTH */
`ifndef SLUICE_TYPES
`define SLUICE_TYPES
package sluice;

  localparam int TIME_BITS = 48;
  typedef logic [TIME_BITS-1:0] cycle_t;
  localparam int VALUE_BITS = `SLUICE_VALUE_BITS;

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

  // Where the members of a token lie in it.
`ifdef SLUICE_COMPUTES
  localparam int VALID_COLS_AT = 32 * sluice_program::ELEMENTS;
  localparam int VALUE_AT = VALID_COLS_AT + 32;
`else
  localparam int VALUE_AT = 0;
`endif
  localparam int VALID_ROWS_AT = VALUE_AT + VALUE_BITS;
  localparam int COLS_AT = VALID_ROWS_AT + 32;
  localparam int ROWS_AT = COLS_AT + 32;
  localparam int ELEMENT_BYTES_AT = ROWS_AT + 32;
  localparam int FROM_MEMORY_AT = ELEMENT_BYTES_AT + 4;
  localparam int STOP_AT = FROM_MEMORY_AT + 1;
  localparam int KIND_AT = STOP_AT + 8;
  localparam int TOKEN_BITS = KIND_AT + 2;

  // From a producer to its FIFO. `closed`: nothing more will come.
  typedef struct packed {
    logic valid, closed;
    cycle_t stamp;              // it arrives then, but not before the cycle after this
    token_t token;
  } push_t;
  localparam int PUSH_BITS = 2 + TIME_BITS + TOKEN_BITS;

  // From a FIFO to its consumer: the oldest token.
  typedef struct packed {
    logic present;              // it is there, but may arrive later
    logic valid;                // it has arrived
    logic ended;                // there is none, and there will be none
    cycle_t arrival;
    token_t token;
  } head_t;
  localparam int HEAD_BITS = 3 + TIME_BITS + TOKEN_BITS;
  localparam int ARRIVAL_AT = TOKEN_BITS;

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
  localparam int STATUS_BITS = 2 + TIME_BITS;

  typedef enum logic [4:0] {
    NO_FUNCTION, MATMUL, MULTIPLY, ADD, DIVIDE, MAXIMUM, SILU, EXP, ROW_SUM, SET_OFFSET, ROW_APPEND, CACHE_WRITE_ADDRESS,
    RETILE_ROW, RETILE_COL, SIGNAL_ALL_READ
  } function_t;

  // In functions types are vectors and members are slices, so that Yosys reads them.

  // From an operator to a FIFO; what an operator tells of itself.
  function automatic logic [PUSH_BITS-1:0] push_of(input logic valid, closed, input logic [TIME_BITS-1:0] stamp,
                                                   input logic [TOKEN_BITS-1:0] token);
    push_of = {valid, closed, stamp, token};
  endfunction

  function automatic logic [STATUS_BITS-1:0] status_of(input logic moves, input logic [TIME_BITS-1:0] pending,
                                                       input logic unsettled);
    status_of = {moves, pending, unsettled};
  endfunction

  function automatic logic [31:0] rows_of(input logic [TOKEN_BITS-1:0] x);
    rows_of = x[ROWS_AT +: 32];
  endfunction

  function automatic logic [31:0] cols_of(input logic [TOKEN_BITS-1:0] x);
    cols_of = x[COLS_AT +: 32];
  endfunction

  function automatic logic [31:0] valid_rows_of(input logic [TOKEN_BITS-1:0] x);
    valid_rows_of = x[VALID_ROWS_AT +: 32];
  endfunction

  function automatic logic [VALUE_BITS-1:0] value_of(input logic [TOKEN_BITS-1:0] x);
    value_of = x[VALUE_AT +: VALUE_BITS];
  endfunction

  // A function by its spelling in programs.
  function automatic logic [4:0] function_named(input logic [8*20-1:0] name);
    case (name)
      "matmul", "dynamic_matmul": function_named = sluice::MATMUL;
      "multiply": function_named = sluice::MULTIPLY;
      "add": function_named = sluice::ADD;
      "divide": function_named = sluice::DIVIDE;
      "max": function_named = sluice::MAXIMUM;
      "silu": function_named = sluice::SILU;
      "exp": function_named = sluice::EXP;
      "row_sum": function_named = sluice::ROW_SUM;
      "set_offset": function_named = sluice::SET_OFFSET;
      "row_append": function_named = sluice::ROW_APPEND;
      "cache_write_address": function_named = sluice::CACHE_WRITE_ADDRESS;
      "retile_row": function_named = sluice::RETILE_ROW;
      "retile_col": function_named = sluice::RETILE_COL;
      "signal_all_read": function_named = sluice::SIGNAL_ALL_READ;
      default: function_named = sluice::NO_FUNCTION;
    endcase
  endfunction

  function automatic logic [63:0] ceil_div(input logic [63:0] a, input logic [63:0] b);
    ceil_div = (a + b - 64'd1) / b;
  endfunction

  // status.pending of who waits until then: the highest power of 2 that is not beyond.
  function automatic logic [TIME_BITS-1:0] wait_until(input logic [TIME_BITS-1:0] at, input logic [TIME_BITS-1:0] now);
    logic [TIME_BITS-1:0] rest;
    rest = at <= now ? '0 : at - now;
    rest = rest | rest >> 1;
    rest = rest | rest >> 2;
    rest = rest | rest >> 4;
    rest = rest | rest >> 8;
    rest = rest | rest >> 16;
    rest = rest | rest >> 32;
    wait_until = rest ^ (rest >> 1);
  endfunction

  function automatic logic [TIME_BITS-1:0] later(input logic [TIME_BITS-1:0] a, input logic [TIME_BITS-1:0] b);
    later = a > b ? a : b;
  endfunction

  function automatic logic [31:0] larger(input logic [31:0] a, input logic [31:0] b);
    larger = a > b ? a : b;
  endfunction

  function automatic logic [63:0] bytes(input logic [TOKEN_BITS-1:0] x);
    bytes = 64'(rows_of(x)) * 64'(cols_of(x)) * 64'(x[ELEMENT_BYTES_AT +: 4]);
  endfunction

  // Cycles of an operator's memory unit, of `bandwidth` bytes a cycle.
  function automatic logic [TIME_BITS-1:0] write_cycles(input logic [TOKEN_BITS-1:0] x, input logic [63:0] bandwidth);
    write_cycles = ceil_div(bytes(x), bandwidth);
  endfunction

  function automatic logic [TIME_BITS-1:0] read_cycles(input logic [TOKEN_BITS-1:0] x, input logic [63:0] bandwidth);
    read_cycles = x[FROM_MEMORY_AT] ? write_cycles(x, bandwidth) : '0;
  endfunction

  // Requests that move a tile: every row is split by itself.
  function automatic logic [31:0] requests(input logic [TOKEN_BITS-1:0] x, input logic [63:0] request_bytes);
    requests = 64'(rows_of(x)) * ceil_div(64'(cols_of(x)) * 64'(x[ELEMENT_BYTES_AT +: 4]), request_bytes);
  endfunction

  function automatic logic [TOKEN_BITS-1:0] tile(input logic [31:0] rows, input logic [31:0] cols, input logic [3:0] element_bytes,
                                                 input logic from_memory);
    tile = '0;
    tile[FROM_MEMORY_AT] = from_memory;
    tile[ELEMENT_BYTES_AT +: 4] = element_bytes;
    tile[ROWS_AT +: 32] = rows;
    tile[COLS_AT +: 32] = cols;
    tile[VALID_ROWS_AT +: 32] = rows;
`ifdef SLUICE_COMPUTES
    tile[VALID_COLS_AT +: 32] = cols;
`endif
  endfunction

  function automatic logic [TOKEN_BITS-1:0] number(input logic [VALUE_BITS-1:0] value);
    number = tile(1, 1, 8, 0);
    number[VALUE_AT +: VALUE_BITS] = value;
  endfunction

  function automatic logic [TOKEN_BITS-1:0] selector(input logic [VALUE_BITS-1:0] targets, input logic [31:0] width);
    selector = tile(width, 1, 1, 0);
    selector[KIND_AT +: 2] = sluice::SELECTOR;
    selector[VALUE_AT +: VALUE_BITS] = targets;
  endfunction

  // Tokens that lie on chip from `place` on.
  function automatic logic [TOKEN_BITS-1:0] group(input logic [31:0] place, input logic [31:0] count, input logic [7:0] stop);
    group = '0;
    group[KIND_AT +: 2] = sluice::GROUP;
    group[STOP_AT +: 8] = stop;
    group[ROWS_AT +: 32] = count;
    group[VALUE_AT +: VALUE_BITS] = place;
  endfunction

  function automatic logic [TOKEN_BITS-1:0] with_stop(input logic [TOKEN_BITS-1:0] x, input logic [7:0] stop);
    with_stop = x;
    with_stop[STOP_AT +: 8] = stop;
  endfunction

  function automatic logic elementwise(input logic [4:0] f);
    elementwise = f == sluice::MULTIPLY || f == sluice::ADD || f == sluice::DIVIDE || f == sluice::MAXIMUM;
  endfunction

  function automatic logic one_cycle(input logic [4:0] f);
    one_cycle = f == sluice::SET_OFFSET || f == sluice::ROW_APPEND || f == sluice::CACHE_WRITE_ADDRESS ||
                f == sluice::SIGNAL_ALL_READ;
  endfunction

  // Whether two tiles can be combined.
  function automatic logic fits(input logic [4:0] f, input logic [TOKEN_BITS-1:0] a, input logic [TOKEN_BITS-1:0] b,
                                input logic transposed);
    fits = 1;
    if (f == sluice::MATMUL) fits = cols_of(a) == (transposed ? cols_of(b) : rows_of(b));
    else if (elementwise(f))
      fits = (rows_of(a) == rows_of(b) || rows_of(a) == 1 || rows_of(b) == 1) &&
             (cols_of(a) == cols_of(b) || cols_of(a) == 1 || cols_of(b) == 1);
  endfunction

  // The tile that a function makes of one tile, or of two; with the stop and the memory flag of the first.
  function automatic logic [TOKEN_BITS-1:0] apply(input logic [4:0] f, input logic [TOKEN_BITS-1:0] a,
                                                  input logic [TOKEN_BITS-1:0] b, input logic transposed,
                                                  input logic [63:0] row_offset);
    apply = a;
    case (f)
      sluice::MATMUL: apply[COLS_AT +: 32] = transposed ? rows_of(b) : cols_of(b);
      sluice::MULTIPLY, sluice::ADD, sluice::DIVIDE, sluice::MAXIMUM: begin
        apply[ROWS_AT +: 32] = larger(rows_of(a), rows_of(b));
        apply[COLS_AT +: 32] = larger(cols_of(a), cols_of(b));
        if (rows_of(a) == rows_of(b)) apply[VALID_ROWS_AT +: 32] = larger(valid_rows_of(a), valid_rows_of(b));
        else if (rows_of(a) == 1) apply[VALID_ROWS_AT +: 32] = valid_rows_of(b);
      end
      sluice::SET_OFFSET: apply[VALID_ROWS_AT +: 32] = value_of(b);
      sluice::ROW_APPEND: apply[VALID_ROWS_AT +: 32] = valid_rows_of(a) + rows_of(b);
      sluice::CACHE_WRITE_ADDRESS: apply = with_stop(number(value_of(a) * VALUE_BITS'(row_offset) + value_of(b)), a[STOP_AT +: 8]);
      sluice::ROW_SUM: apply[COLS_AT +: 32] = 1;
      default: ;
    endcase
  endfunction

  function automatic logic [63:0] flops(input logic [4:0] f, input logic [TOKEN_BITS-1:0] a, input logic [TOKEN_BITS-1:0] y);
    case (f)
      sluice::MATMUL: flops = 64'd2 * 64'(rows_of(a)) * 64'(cols_of(a)) * 64'(cols_of(y));
      sluice::MULTIPLY, sluice::ADD, sluice::DIVIDE, sluice::MAXIMUM: flops = 64'(rows_of(y)) * 64'(cols_of(y));
      sluice::SILU: flops = 64'd8 * 64'(rows_of(a)) * 64'(cols_of(a));
      sluice::EXP: flops = 64'd4 * 64'(rows_of(a)) * 64'(cols_of(a));
      sluice::ROW_SUM: flops = 64'(rows_of(a)) * 64'(cols_of(a));
      default: flops = 0;
    endcase
  endfunction

  function automatic logic [TIME_BITS-1:0] compute_cycles(input logic [4:0] f, input logic [TOKEN_BITS-1:0] a,
                                                          input logic [TOKEN_BITS-1:0] y, input logic [63:0] compute_bw);
    compute_cycles = one_cycle(f) ? 1 : ceil_div(flops(f, a, y), compute_bw);
  endfunction

  // An accumulator with x taken in.
  function automatic logic [TOKEN_BITS-1:0] accumulate(input logic [4:0] f, input logic [TOKEN_BITS-1:0] sum,
                                                       input logic [TOKEN_BITS-1:0] x);
    accumulate = x;
    case (f)
      sluice::RETILE_ROW: begin
        accumulate[ROWS_AT +: 32] = rows_of(sum) + rows_of(x);
        accumulate[VALID_ROWS_AT +: 32] = valid_rows_of(sum) + valid_rows_of(x);
      end
      sluice::RETILE_COL: accumulate[COLS_AT +: 32] = cols_of(sum) + cols_of(x);
      sluice::SIGNAL_ALL_READ: accumulate = with_stop(number(1), x[STOP_AT +: 8]);
      default: begin
        accumulate[ROWS_AT +: 32] = larger(rows_of(sum), rows_of(x));
        accumulate[COLS_AT +: 32] = larger(cols_of(sum), cols_of(x));
        accumulate[VALID_ROWS_AT +: 32] = larger(rows_of(sum), rows_of(x));
      end
    endcase
  endfunction

endpackage

// What an operator tells of itself: that it waits for a WHAT (token, room, memory) at PORT. As a wire, which recordings of a run
// show, and in words when the test bench asks. SLUICE_IDLE: that it has finished, by the name that Vitis has for it.
`ifdef SYNTHESIS
`define SLUICE_WAITS(CONDITION, WHAT, PORT, INDEX)
`define SLUICE_IDLE(CONDITION)
`define SLUICE_FAULT(CONDITION, WHAT)
`else
`define SLUICE_WAITS(CONDITION, WHAT, PORT, INDEX) \
  /* verilator tracing_on */ \
  wire waits_``WHAT``_``PORT = !rst && (CONDITION); \
  /* verilator tracing_off */ \
  always_ff @(posedge clk) if (report && (CONDITION)) $display("waits %m %s %s %0d", `"WHAT`", `"PORT`", INDEX);
`define SLUICE_IDLE(CONDITION) \
  /* verilator tracing_on */ \
  wire ap_idle = CONDITION; \
  /* verilator tracing_off */
// A token that the operator cannot accept ends the run.
`define SLUICE_FAULT(CONDITION, WHAT) \
  always_ff @(posedge clk) if (!rst && (CONDITION)) begin $display("fault %m %s", WHAT); $finish; end
`endif
`endif
