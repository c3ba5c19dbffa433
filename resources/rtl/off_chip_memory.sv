// The off-chip memory: a controller and its channels, behavioural, with the numbers of the machine. In every cycle the
// controller takes from each port, in order, what it sends at once, and deals the requests out to the channels; a channel
// begins a request every INTERVAL cycles and answers it LATENCY later. Addresses play no part. Cycles in which it alone does
// something are worked off in one edge, as the rest of the program need not see them.
//@ simulation
/* verilator lint_off WIDTH */
/* verilator tracing_off */
/* verilator lint_off BLKSEQ */
module off_chip_memory #(
    parameter int PORTS = 1,
    parameter int CHANNELS = 32,
    parameter int INTERVAL = 2,
    parameter int LATENCY = 16
) (
    input logic clk, rst,
    input sluice::cycle_t now,
    input logic step,            // this edge ends a cycle
    input sluice::cycle_t next,  // the cycle that begins then; in those between nobody asks
    input sluice::ask_t [PORTS-1:0] ask,
    output logic [PORTS-1:0] answered,
    output sluice::status_t status
);
  // What the ports see, as of the last edge; the rest is worked on within an edge.
  logic [PORTS-1:0] busy;             // requests wait
  // When it is answered, at the earliest while requests wait.
  sluice::cycle_t [PORTS-1:0] answered_at;  // packed: Verilator has no delayed assignment to arrays in loops that it does not unroll
  logic [31:0] left[PORTS];           // requests that wait
  logic [31:0] at_once[PORTS];
  sluice::cycle_t asked_at[PORTS], answer_at[PORTS];
  sluice::cycle_t free_at[CHANNELS];
  logic [31:0] channel;               // that the last request of the cycle went to
  logic [31:0] sent, first;
  sluice::cycle_t begins, cycle;

  always_comb begin
    status.pending = 0;
    for (int p = 0; p < PORTS; ++p) begin
      answered[p] = !busy[p] && now >= answered_at[p];
      status.pending |= sluice::wait_until(answered_at[p], now);
    end
  end
  assign status.moves = 0;
  assign status.unsettled = 0;

  always_ff @(posedge clk) begin
    if (rst) begin
      for (int p = 0; p < PORTS; ++p) begin
        left[p] = 0;
        answer_at[p] = 0;
      end
      for (int c = 0; c < CHANNELS; ++c) free_at[c] = 0;
      first = 0;
    end else begin
      for (int p = 0; p < PORTS; ++p) begin
        if (ask[p].valid) begin
          left[p] = ask[p].requests;
          at_once[p] = ask[p].at_once;
          asked_at[p] = now;
          answer_at[p] = 0;
        end
      end
      cycle = step ? next : now;
      if (step && busy != '0) begin
        for (cycle = now; cycle < next; ++cycle) begin
          sent = 0;
          channel = first;
          for (int p = 0; p < PORTS; ++p) begin
            if (left[p] != 0 && asked_at[p] < cycle) begin
              for (logic [31:0] i = 0; i < at_once[p] && left[p] != 0; ++i) begin
                channel = (channel + sent) % CHANNELS;  // as in the reference: the steps within a cycle grow
                begins = sluice::later(free_at[channel], cycle + 1'b1);
                free_at[channel] = begins + INTERVAL;
                answer_at[p] = sluice::later(answer_at[p], begins + LATENCY + 1);
                left[p] = left[p] - 1;
                sent = sent + 1;
              end
            end
          end
          first = (channel + sent) % CHANNELS;
        end
      end
    end
    for (int p = 0; p < PORTS; ++p) begin
      busy[p] <= left[p] != 0;
      answered_at[p] <= left[p] == 0 ? answer_at[p] : cycle + (left[p] - 1) / at_once[p] + 1 + LATENCY + 1;
    end
  end
endmodule
