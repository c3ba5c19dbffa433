// A layer of a graph neural network: every node sums the features of its neighbours and its own, then all
// pass one dense update, silu(sum W). The neighbours are a trace - how many each node has, and which - and
// their rows are read at random addresses; a few nodes have very many. A node without neighbours has its own
// row, so no group is empty. As all metadata, the lists themselves cost no traffic.

#include "engine/core/random.h"
#include "engine/workloads/parts.h"

namespace sluice::inline workloads::gnn {
namespace {

Region aggregate() {
  Region region;
  region.inputs = {"node"};
  region.outputs = {"y"};
  GraphBuilder body(region.body);
  const Endpoint addresses =
      body.add("addresses", "AdjacencyAddrGen", {{"degrees", "degrees"}, {"neighbours", "neighbours"}},
               {{"node", GraphBuilder::boundary("node")}});
  const Endpoint rows =
      body.add("rows_load", "RandomOffChipLoad",
               {{"tensor", "x"}, {"tensor_shape", list({"N", "D"})}, {"tile", list({1, "D"})}},
               {{"address", addresses}});
  const Endpoint sum = body.add(
      "sum", "Accum", {{"compute_bw", "compute"}, {"function", "add"}, {"init", list({1, "D"})}, {"rank", 1}},
      {{"in", rows}});
  body.feed(GraphBuilder::boundary("y"), sum);
  return region;
}

Region update() {
  Region region;
  region.inputs = {"x"};
  region.outputs = {"y"};
  GraphBuilder body(region.body);
  const Endpoint x = GraphBuilder::boundary("x");
  const Endpoint weight = weightPerToken(body, "weight", x, {"", "", "", ""}, "D", "H");
  const Endpoint product =
      body.add("product", "BinaryMap", {{"compute_bw", "compute"}, {"function", "matmul"}},
               {{"in1", x}, {"in2", weight}});
  const Endpoint y =
      body.add("activation", "Map", {{"compute_bw", "compute"}, {"function", "silu"}}, {{"in", product}});
  body.feed(GraphBuilder::boundary("y"), y);
  return region;
}

void writeProgram(Graph& program) {
  GraphBuilder g(program);
  const Endpoint numbers =
      g.add("node_gen", "MetadataGen", {{"count", "N"}, {"emit", "index"}, {"input", "degrees"}});
  const Endpoint nodes = g.flatten("node", numbers);
  g.add("aggregate", aggregate(), {{"node", nodes}});
  g.add("update", update(), {{"x", {"aggregate", "y", {}}}});
  g.add("store", "LinearOffChipStore", {{"tile", list({1, "H"})}}, {{"in", {"update", "y", {}}}});
}

Input lengthsInput(std::string name, std::vector<std::int64_t> values) {
  Input input;
  input.name = std::move(name);
  input.kind = InputKind::Lengths;
  input.data = IntTensor{{values.size()}, std::move(values)};
  return input;
}

/// A synthetic graph: degrees by Zipf's law, given to the nodes in random order; popular nodes are listed
/// more often, too.
std::vector<Input> syntheticGraph(std::int64_t nodes, std::int64_t edges) {
  SplitMix64 random(1);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
  };
  const std::vector<std::int64_t> by_rank = skewedCounts(edges, nodes, 1);
  std::vector<std::int64_t> order, degrees(by_rank.size()), neighbours;
  for (std::int64_t node = 0; node < nodes; ++node) order.push_back(node);
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random.below(left)]);
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    degrees[static_cast<std::size_t>(order[rank])] = by_rank[rank];
  for (std::int64_t edge = 0; edge < edges; ++edge)
    neighbours.push_back(order[static_cast<std::size_t>(below(below(nodes) + 1))]);
  return {lengthsInput("degrees", std::move(degrees)), lengthsInput("neighbours", std::move(neighbours))};
}

Document build(const Sizes& sizes) {
  const std::int64_t nodes = sizes.at("N");
  Document document = documentWith(sizes, {"D", "H", "N", "compute"});
  document.title = "Graph neural network layer";
  document.description =
      "Every node sums its neighbours' features and its own, then a dense update. The schedule shares the "
      "nodes among copies of the aggregation and packs them into tiles for the update. Bind a real graph "
      "with "
      "--input degrees=FILE.npy --input neighbours=FILE.npy: neighbours per node, and their numbers.";
  writeProgram(document.program);
  std::vector<std::int64_t> ways;
  for (const std::int64_t copies : powersUpTo(1, 16))
    if (nodes % copies == 0) ways.push_back(copies);
  const std::vector<std::int64_t> tiles = powersUpTo(8, std::min<std::int64_t>(nodes, 256));
  document.knobs = {
      choiceKnob("method", {"coarse", "interleaved", "dynamic"}, 1,
                 "blocks of nodes per copy, nodes in turn, or the first that is ready"),
      listKnob("ways", ways, ways.back() < 4 ? ways.back() : 4, "copies of the aggregation"),
      listKnob("tile", tiles, tiles.back() < 32 ? tiles.back() : 32, "nodes in a tile of the update")};
  document.schedule = {
      {"parallelize",
       {{"region", "aggregate"},
        {"method", "=method"},
        {"ways", "ways"},
        {"block", sizes.at("block")},
        {"signal", "rows_load.out"}},
       true},
      {"tile", {{"region", "update"}, {"input", "x"}, {"method", "static"}, {"rows", "tile"}}, true}};
  document.inputs = syntheticGraph(nodes, sizes.at("E"));
  return document;
}

}  // namespace

const WorkloadBuilder& definition() {
  static const WorkloadBuilder definition{
      "gnn",
      "A layer of a graph neural network: ragged sums over neighbours, then a dense update.",
      "after GCN, Kipf and Welling 2017",
      {{"N", 256, 1, "nodes"},
       {"E", 1024, 1, "neighbours of all nodes together"},
       {"D", 128, 1, "features of a node"},
       {"H", 128, 1, "features after the update"},
       {"block", 16, 1, "coarse: consecutive nodes of one copy", "N"},
       {"compute", 1024, 1, "FLOPs per cycle of an operator"},
       {"depth", 2, 1, "tokens that a FIFO holds"}},
      {{"cora", {{"N", 2708}, {"E", 10556}, {"D", 1433}, {"H", 16}, {"block", 4}}},
       {"pubmed", {{"N", 19717}, {"E", 88648}, {"D", 500}, {"H", 16}, {"block", 1}}}},
      build};
  return definition;
}

}  // namespace sluice::inline workloads::gnn
