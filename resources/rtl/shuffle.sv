// Shuffle: sorts the items of a group into the buckets that their selectors name; bucket by bucket they leave when the group is
// complete. Selectors and elements are taken first.
//@ operator Shuffle
//@ parameter RANK rank
//@ parameter WRITE_BACK_MU write_back_mu
//@ parameter ON_CHIP_BANDWIDTH machine.on_chip_bandwidth
//@ parameter FIRST groups.first
//@ parameter PLACES groups.size
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_shuffle #(
    parameter longint RANK = 1,
    parameter bit WRITE_BACK_MU = 0,
    parameter longint ON_CHIP_BANDWIDTH = 64,
    parameter int FIRST = 0,
    parameter int PLACES = 2
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t in, index,
    output logic in_take, index_take,
    output sluice::push_t out, bucket,
    input logic out_ready, bucket_ready,
    output sluice::status_t status
);
  localparam int BITS = sluice::VALUE_BITS;

  typedef enum logic [1:0] {SELECTOR, ITEM, NAME, MEMBERS} state_t;
  state_t state;
  sluice::cycle_t clock, due;        // until when it is busy; when the element may leave
  logic [BITS-1:0] chosen, filled;   // buckets of the item; of the group
  logic [31:0] width;                // how many buckets a selector tells apart
  logic [7:0] index_stop, stop;      // of the item's selector; of the group
  logic [31:0] count, at;            // elements that are stored; the one that is looked at
  logic [31:0] number;               // the bucket that leaves
  logic [BITS-1:0] targets[PLACES];  // of each stored element
  logic [32*BITS-1:0] finals;        // of each bucket its last element

  logic idle, takes, stores, item_ends, group_ends, names, skips, is_member, sends, passes_by, bucket_ends, last_bucket, ended;
  sluice::cycle_t moving;
  sluice::token_t stored, element, name, leaving;

  group_write elements (.clk, .write(stores), .place(FIRST + count), .token(element));
  group_read members (.place(FIRST + at), .token(stored));
  always_comb begin
    idle = state == SELECTOR && now >= clock;
    takes = state == ITEM && in.valid && now >= clock;
    stores = takes && chosen != '0;
    item_ends = 64'(in.token.stop) >= RANK - 1;
    group_ends = 64'(in.token.stop) >= RANK;
    element = sluice::with_stop(in.token, item_ends ? 8'(RANK - 1) : in.token.stop);
    moving = sluice::read_cycles(in.token, ON_CHIP_BANDWIDTH) + (stores ? sluice::write_cycles(in.token, ON_CHIP_BANDWIDTH) : 0);

    last_bucket = filled >> number == BITS'(1);
    skips = state == NAME && !filled[number];
    names = state == NAME && filled[number] && now >= clock && bucket_ready;
    name = sluice::with_stop(sluice::selector(BITS'(1) << number, width), last_bucket ? stop - 8'(RANK - 1) : 8'd0);

    is_member = state == MEMBERS && targets[at][number];
    bucket_ends = at == finals[32*number +: 32];
    due = clock + sluice::write_cycles(stored, ON_CHIP_BANDWIDTH) * (WRITE_BACK_MU ? 2 : 1);
    sends = is_member && now >= due && out_ready;
    passes_by = state == MEMBERS && !is_member;
    leaving = stored;
    leaving.from_memory = WRITE_BACK_MU;
    if (bucket_ends) leaving.stop = last_bucket ? stop + 8'd1 : 8'(RANK);
    ended = idle && index.ended && in.ended;
  end
  assign index_take = idle && index.valid;
  assign in_take = takes;
  assign out = sluice::push_of(sends, ended, now, leaving);
  assign bucket = sluice::push_of(names, ended, now, name);
  assign status = sluice::status_of(index_take || takes || skips || names || sends || passes_by,
                                    sluice::wait_until(clock, now) | (is_member ? sluice::wait_until(due, now) : '0), !ended);

  always_ff @(posedge clk) begin
    if (rst) begin
      state <= SELECTOR;
      clock <= '0;
      filled <= '0;
      count <= 0;
    end else if (index_take) begin
      state <= ITEM;
      clock <= now + sluice::read_cycles(index.token, ON_CHIP_BANDWIDTH);
      chosen <= index.token.value;
      width <= index.token.rows;
      index_stop <= index.token.stop;
    end else if (takes) begin
      clock <= now + moving;
      if (stores) begin
        targets[count] <= chosen;
        filled <= filled | chosen;
        for (int i = 0; i < BITS; i++) if (chosen[i]) finals[32*i +: 32] <= count;
        count <= count + 1;
      end
      if (item_ends) state <= group_ends ? NAME : SELECTOR;
      stop <= in.token.stop;
      number <= 0;
    end else if (skips) number <= number + 1;
    else if (names) begin
      state <= MEMBERS;
      clock <= now;
      at <= 0;
    end else if (sends || passes_by) begin
      if (sends) clock <= now;
      at <= at + 1;
      if (sends && bucket_ends) begin
        state <= last_bucket ? SELECTOR : NAME;
        number <= number + 1;
        if (last_bucket) begin
          filled <= '0;
          count <= 0;
        end
      end
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(idle && !index.valid && !index.ended, token, index, 0)
  `SLUICE_WAITS((idle && index.ended && !in.ended) || (state == ITEM && now >= clock && !in.valid && !in.ended), token, in, 0)
  `SLUICE_WAITS(state == NAME && filled[number] && now >= clock && !bucket_ready, room, bucket, 0)
  `SLUICE_WAITS(is_member && now >= due && !out_ready, room, out, 0)
  `SLUICE_FAULT(state == ITEM && in.ended, "the stream ended although a selector still waits for an item")
  `SLUICE_FAULT(takes && item_ends && 64'(in.token.stop) != index_stop + RANK - 1, "a stop of another level than is due arrived")
  `SLUICE_FAULT(takes && group_ends && (filled | chosen) == '0, "no item of a group is in any bucket")
  `SLUICE_FAULT(idle && index.ended && in.valid, "items arrive behind the last selector")
  `SLUICE_FAULT(idle && index.ended && in.ended && count != 0, "the selectors ended inside a group")
endmodule
