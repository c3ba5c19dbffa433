// EagerMerge: passes groups on in the order in which they arrive, and tells which input each came from.
//@ operator EagerMerge
//@ parameter WAYS ways
//@ parameter RANK rank
//@ groups
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_eager_merge #(
    parameter int WAYS = 2,
    parameter longint RANK = 0
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input logic [WAYS*sluice::HEAD_BITS-1:0] in,
    output logic [WAYS-1:0] in_take,
    output sluice::push_t data, select,
    input logic data_ready, select_ready,
    output sluice::status_t status
);
  localparam int INDEX_BITS = WAYS > 1 ? $clog2(WAYS) : 1;
  typedef logic [INDEX_BITS-1:0] way_t;

  typedef enum logic [1:0] {LOOKS, TELLS, PASSES} state_t;
  state_t state;
  sluice::cycle_t clock;            // until when it is busy
  logic [WAYS-1:0] seen, known;     // inputs that have shown a token or their end: before this cycle; by now
  logic found, chosen;              // one with a token: before; by now
  way_t way, best;
  sluice::cycle_t arrival, earliest;
  logic looks, made, over, tells, takes, passes, holds, more, breaks;
  sluice::token_t held, x;
  sluice::head_t each, from;        // an input; that of the group

  always_comb begin
    known = seen;
    chosen = found;
    best = way;
    earliest = arrival;
    for (int i = 0; i < WAYS; i++) begin
      each = in[sluice::HEAD_BITS*i +: sluice::HEAD_BITS];
      if (!seen[i] && (each.present || each.ended)) begin
        known[i] = 1;
        if (each.present && (!chosen || each.arrival < earliest)) begin
          chosen = 1;
          best = i;
          earliest = each.arrival;
        end
      end
    end
    looks = state == LOOKS && known != seen;
    made = state == LOOKS && chosen && (&known || now >= earliest);
    over = state == LOOKS && !chosen && &known;

    tells = state == TELLS && select_ready;
    from = in[sluice::HEAD_BITS*way +: sluice::HEAD_BITS];
    x = from.token;
    takes = state == PASSES && !holds && from.valid && now >= clock;
    breaks = state == PASSES && !holds && from.ended;
    in_take = takes ? WAYS'(1) << way : '0;
    passes = data_ready && (holds || takes);
    more = 64'(holds ? held.stop : x.stop) < RANK;
  end
  assign data = sluice::push_of(passes, over, now, holds ? held : x);
  assign select = sluice::push_of(tells, over, now, sluice::selector(sluice::VALUE_BITS'(1) << way, WAYS));
  assign status = sluice::status_of(looks || made || tells || takes || passes || breaks,
                                    (state == LOOKS && chosen && !made ? sluice::wait_until(earliest, now) : '0) |
                                    (state == PASSES && !holds ? sluice::wait_until(clock, now) : '0),
                                    !over);

  always_ff @(posedge clk) begin
    if (rst) begin
      state <= LOOKS;
      clock <= '0;
      seen <= '0;
      found <= 0;
      holds <= 0;
    end else case (state)
      LOOKS: begin
        seen <= known;
        found <= chosen;
        way <= best;
        arrival <= earliest;
        if (made) state <= TELLS;
      end
      TELLS: if (tells) begin
        state <= PASSES;
        clock <= now;
      end
      default: begin
        if (takes) held <= x;
        holds <= (holds || takes) && !passes;
        if (passes && more) clock <= now + 1'b1;
        if ((passes && !more) || breaks) begin
          state <= LOOKS;
          seen <= '0;
          found <= 0;
        end
      end
    endcase
  end

  logic [31:0] unseen;  // the first input that may still bring something
  always_comb begin
    unseen = 0;
    for (int i = WAYS - 1; i >= 0; i--) if (!known[i]) unseen = i;
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS((state == LOOKS && !made && !over) || (state == PASSES && !holds && !from.valid && !from.ended), token, in,
                state == LOOKS ? unseen : way)
  `SLUICE_WAITS(state == TELLS && !select_ready, room, select, 0)
  `SLUICE_WAITS(state == PASSES && holds && !data_ready, room, data, 0)
  `SLUICE_FAULT(takes && 64'(x.stop) > RANK, "a stop beyond the rank of the groups arrived")
endmodule
