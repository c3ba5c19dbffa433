// A stream: a FIFO of DEPTH tokens. A token is seen the cycle after it was pushed, or later if it is stamped so; it holds
// its slot from the push on. A slot can be used again the cycle after its token was taken.
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module stream_fifo #(
    parameter longint DEPTH = 2
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::push_t push,
    output logic ready,
    output sluice::head_t head,
    input logic take,
    output sluice::status_t status
);
  localparam int INDEX_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int COUNT_BITS = $clog2(DEPTH + 1) + 1;

  logic [sluice::TOKEN_BITS-1:0] tokens[DEPTH];
  sluice::cycle_t arrivals[DEPTH];
  logic [INDEX_BITS-1:0] first, next;
  /* verilator tracing_on */
  logic [COUNT_BITS-1:0] count;
  /* verilator tracing_off */
  logic [COUNT_BITS-1:0] fresh, freed;  // pushed, taken in the cycles beside them
  sluice::cycle_t fresh_at, freed_at;
  logic closed;
  sluice::cycle_t closed_at;

  wire [COUNT_BITS-1:0] fresh_now = fresh_at == now ? fresh : '0;
  wire [COUNT_BITS-1:0] freed_now = freed_at == now ? freed : '0;
  wire [sluice::TIME_BITS-1:0] arrival = arrivals[first];

  assign ready = count + freed_now < COUNT_BITS'(DEPTH);
  assign head.present = count > fresh_now;
  assign head.valid = count != 0 && arrival <= now;
  assign head.ended = closed && count == 0 && now >= closed_at;
  assign head.arrival = arrival;
  assign head.token = tokens[first];
  assign status.moves = 0;
  assign status.pending = sluice::TIME_BITS'(fresh_now != 0 || freed_now != 0 || (closed ? now < closed_at : push.closed)) |
                          (count != 0 ? sluice::wait_until(arrival, now) : '0);
  assign status.unsettled = 0;

  function automatic logic [INDEX_BITS-1:0] following(input logic [INDEX_BITS-1:0] index);
    following = 64'(index) == DEPTH - 1 ? '0 : index + 1'b1;
  endfunction

  always_ff @(posedge clk) begin
    if (rst) begin
      first <= '0;
      next <= '0;
      count <= '0;
      fresh <= '0;
      freed <= '0;
      fresh_at <= '0;
      freed_at <= '0;
      closed <= 0;
      closed_at <= '0;
    end else begin
      if (push.valid) begin
        tokens[next] <= push.token;
        arrivals[next] <= sluice::later(push.stamp, now + 1'b1);
        next <= following(next);
        fresh <= fresh_now + 1'b1;
        fresh_at <= now;
      end
      if (take) begin
        first <= following(first);
        freed <= freed_now + 1'b1;
        freed_at <= now;
      end
      count <= count + COUNT_BITS'(push.valid) - COUNT_BITS'(take);
      if (push.closed && !closed) begin
        closed <= 1;
        closed_at <= now + 1'b1;
      end
    end
  end

`ifndef SYNTHESIS
  /* verilator tracing_on */
  longint unsigned sent;
  /* verilator tracing_off */
  always_ff @(posedge clk) begin
    if (rst) sent <= 0;
    else if (push.valid) sent <= sent + 1;
    if (report) $display("tokens %m %0d", sent);
`ifdef SLUICE_TELLS_TOKENS
    if (!rst && push.valid)
      $display("token %m %0d %0d %0d %0h", sent, sluice::later(push.stamp, now + 1'b1), push.token.stop,
               push.token.kind == sluice::SELECTOR ? push.token.value : '0);
`endif
    if (!rst && push.valid && !ready) $fatal(1, "%m: a token was pushed into a full FIFO");
    if (!rst && take && !head.valid) $fatal(1, "%m: a token was taken before it arrived");
  end
`endif
endmodule
