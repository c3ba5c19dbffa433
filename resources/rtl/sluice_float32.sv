// Numbers of 32 bits (IEEE 754 binary32), rounded to the nearest, ties to even; subnormal numbers included. Sums, products and
// the rounding are logic that can be synthesized; quotients and exponentials are taken from the simulator's `real`, which is wide
// enough for a quotient to be rounded right.
//@ simulation
/* verilator lint_off WIDTH */
/* verilator tracing_off */
`ifndef SLUICE_FLOAT32
`define SLUICE_FLOAT32
package sluice_float32;

  localparam logic [31:0] NOT_A_NUMBER = 32'h7fc00000, ONE = 32'h3f800000;

  function automatic logic is_nan(input logic [31:0] x);
    return x[30:23] == 8'hff && x[22:0] != 0;
  endfunction

  function automatic logic is_infinite(input logic [31:0] x);
    return x[30:0] == 31'h7f800000;
  endfunction

  // The significand with its hidden bit, and the power of two of its lowest bit.
  function automatic logic [23:0] significand(input logic [31:0] x);
    return {x[30:23] != 0, x[22:0]};
  endfunction

  function automatic int exponent(input logic [31:0] x);
    return (x[30:23] == 0 ? 1 : int'(x[30:23])) - 150;
  endfunction

  // magnitude * 2^power, a little more if `sticky`, as the nearest number.
  function automatic logic [31:0] rounded(input logic sign, input logic [63:0] magnitude, input int power, input logic sticky);
    logic [63:0] m;
    logic below;  // something is lost below the lowest bit of m
    logic [24:0] kept;
    int e, shift;
    m = magnitude;
    e = power;
    below = sticky;
    if (m == 0) return {sign, 31'b0};
    // The leading one to the top.
    for (int step = 32; step > 0; step /= 2)
      if ((m >> (64 - step)) == 0) begin
        m = m << step;
        e -= step;
      end
    // 24 bits stay; fewer where the number is subnormal.
    shift = 40;
    if (e + shift < -149) shift = -149 - e;
    if (shift > 65) return {sign, 31'b0};
    if (shift == 65) kept = 0;
    else kept = 25'(m >> shift);
    if (shift <= 64 && m[shift-1]) begin
      below = below || ((m & ((64'd1 << (shift - 1)) - 64'd1)) != 0);
      if (below || kept[0]) kept += 1;
    end
    e += shift;
    if (kept[24]) begin
      kept = kept >> 1;
      e += 1;
    end
    if (!kept[23]) return {sign, 8'b0, kept[22:0]};
    if (e + 150 >= 255) return {sign, 8'hff, 23'b0};
    return {sign, 8'(e + 150), kept[22:0]};
  endfunction

  function automatic logic [31:0] add(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] high, low;
    logic [63:0] x, y;
    logic sticky;
    int distance;
    if (is_nan(a) || is_nan(b)) return NOT_A_NUMBER;
    if (is_infinite(a)) return is_infinite(b) && a[31] != b[31] ? NOT_A_NUMBER : a;
    if (is_infinite(b)) return b;
    high = a[30:0] >= b[30:0] ? a : b;
    low = a[30:0] >= b[30:0] ? b : a;
    distance = exponent(high) - exponent(low);
    x = 64'(significand(high)) << 38;
    y = 64'(significand(low)) << 38;
    sticky = 0;
    if (distance > 63) begin
      sticky = y != 0;
      y = 0;
    end else begin
      sticky = (y & ((64'd1 << distance) - 64'd1)) != 0;
      y = y >> distance;
    end
    if (high[31] == low[31]) return rounded(high[31], x + y, exponent(high) - 38, sticky);
    // What is lost of the smaller one makes the difference a little smaller.
    if (sticky) y += 1;
    if (x == y && !sticky) return 0;
    return rounded(high[31], x - y, exponent(high) - 38, sticky);
  endfunction

  function automatic logic [31:0] multiply(input logic [31:0] a, input logic [31:0] b);
    logic sign;
    sign = a[31] ^ b[31];
    if (is_nan(a) || is_nan(b)) return NOT_A_NUMBER;
    if (is_infinite(a) || is_infinite(b))
      return a[30:0] == 0 || b[30:0] == 0 ? NOT_A_NUMBER : {sign, 8'hff, 23'b0};
    return rounded(sign, 64'(significand(a)) * 64'(significand(b)), exponent(a) + exponent(b), 0);
  endfunction

  // The second one unless the first is greater or it cannot be compared.
  function automatic logic [31:0] maximum(input logic [31:0] a, input logic [31:0] b);
    if (is_nan(a) || is_nan(b)) return a;
    if (a[30:0] == 0 && b[30:0] == 0) return a;
    if (a[31] != b[31]) return a[31] ? b : a;
    return (a[30:0] < b[30:0]) != a[31] && a != b ? b : a;
  endfunction

  // To the upper half, a number of 16 bits (bfloat16).
  function automatic logic [31:0] to_bfloat16(input logic [31:0] x);
    if (is_nan(x)) return NOT_A_NUMBER;
    return (x + 32'h7fff + 32'(x[16])) & 32'hffff0000;
  endfunction

`ifndef SYNTHESIS
  function automatic real to_real(input logic [31:0] x);
    if (x[30:23] == 8'hff) return $bitstoreal({x[31], 11'h7ff, x[22:0], 29'b0});
    if (x[30:23] == 0) return (x[31] ? -1.0 : 1.0) * $itor(x[22:0]) * 1.401298464324817e-45;
    return $bitstoreal({x[31], 11'(x[30:23]) + 11'd896, x[22:0], 29'b0});
  endfunction

  function automatic logic [31:0] from_real(input real x);
    logic [63:0] bits;
    bits = $realtobits(x);
    if (bits[62:52] == 11'h7ff) return bits[51:0] != 0 ? NOT_A_NUMBER : {bits[63], 8'hff, 23'b0};
    if (bits[62:52] == 0) return {bits[63], 31'b0};
    return rounded(bits[63], {12'd1, bits[51:0]}, int'(bits[62:52]) - 1075, 0);
  endfunction

  function automatic logic [31:0] divide(input logic [31:0] a, input logic [31:0] b);
    return from_real(to_real(a) / to_real(b));
  endfunction

  function automatic logic [31:0] exponential(input logic [31:0] x);
    return from_real($exp(to_real(x)));
  endfunction

  function automatic logic [31:0] silu(input logic [31:0] x);
    return divide(x, add(ONE, exponential({!x[31], x[30:0]})));
  endfunction
`endif

endpackage
`endif
