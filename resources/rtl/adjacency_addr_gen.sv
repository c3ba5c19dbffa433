// AdjacencyAddrGen: the addresses of every node's neighbours in a graph, one a cycle.
//@ operator AdjacencyAddrGen
//@ numbers DEGREES degrees
//@ numbers NEIGHBOURS neighbours
//@ parameter OWN own
/* verilator lint_off WIDTH */
/* verilator tracing_off */
module operator_adjacency_addr_gen #(
    parameter DEGREES = "degrees.hex",
    parameter int DEGREES_COUNT = 1,
    parameter NEIGHBOURS = "neighbours.hex",
    parameter int NEIGHBOURS_COUNT = 1,
    parameter bit OWN = 1
) (
    input logic clk, rst, report,
    input sluice::cycle_t now,
    input sluice::head_t node,
    output logic node_take,
    output sluice::push_t out,
    input logic out_ready,
    output sluice::status_t status
);
  logic [63:0] degrees[DEGREES_COUNT + 1], neighbours[NEIGHBOURS_COUNT + 1], begins_at[DEGREES_COUNT + 1];
  initial begin
    $readmemh(DEGREES, degrees, 0, DEGREES_COUNT - 1);
    $readmemh(NEIGHBOURS, neighbours, 0, NEIGHBOURS_COUNT - 1);
    begins_at[0] = 0;
    for (int i = 0; i < DEGREES_COUNT; i++) begins_at[i + 1] = begins_at[i] + degrees[i];
  end

  logic busy, emits, last, ended;
  logic [7:0] stop;
  logic [63:0] number, first, own_address, address;
  sluice::cycle_t begun_at;
  wire [63:0] which = 64'(node.token.value);

  series addresses (.clk, .rst, .now, .begins(node_take), .count(degrees[which] + 64'(OWN)), .ready(out_ready), .busy,
                    .emits, .last, .index(number), .begun_at);
  assign node_take = node.valid && !busy;
  assign ended = node.ended && !busy;
  assign address = OWN && number == 0 ? own_address : neighbours[first + number - 64'(OWN)];
  assign out = sluice::push_of(emits, ended, begun_at + number,
                               sluice::with_stop(sluice::number(address), last ? stop + 8'd1 : 8'd0));
  assign status = sluice::status_of(node_take || emits, '0, !ended);

  always_ff @(posedge clk) begin
    if (node_take) begin
      stop <= node.token.stop;
      first <= begins_at[which];
      own_address <= which;
    end
  end
  `SLUICE_IDLE(!status.unsettled)
  `SLUICE_WAITS(!busy && !node.valid && !node.ended, token, node, 0)
  `SLUICE_WAITS(busy && !out_ready, room, out, 0)
  `SLUICE_FAULT(node_take && (which >= DEGREES_COUNT || (!OWN && degrees[which] == 0)), "a node without addresses arrived")
endmodule
