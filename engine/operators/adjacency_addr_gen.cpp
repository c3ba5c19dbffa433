// AdjacencyAddrGen: for each node of a graph the addresses of its neighbours' rows, from a compressed sparse
// row trace: how many neighbours every node has, and all their numbers one node after the other. A group
// cannot be empty (engine/simulator/semantics.md 1.1), so a node may put its own address first. One address a
// cycle, as the generators of the KV cache.

#include "engine/operators/operator.h"

namespace sluice::inline operators::adjacency_addr_gen {

namespace {

Result<const IntTensor*> tensorOf(const ShapeContext& t, const std::string& parameter) {
  const std::string& name = t.op.parameters.string(parameter);
  const auto input = t.inputs.find(name);
  if (input != t.inputs.end()) return &input->second.tensor;
  return t.problem("unknown-input", "", "there is no input '" + name + "' for " + parameter,
                   "add it to the document's inputs, or choose another");
}

/// Both traces must tell of one graph.
std::optional<Diagnostic> checkTraces(const ShapeContext& t) {
  const Result<const IntTensor*> degrees = tensorOf(t, "degrees"), neighbours = tensorOf(t, "neighbours");
  if (!degrees) return degrees.diagnostics().front();
  if (!neighbours) return neighbours.diagnostics().front();
  std::uint64_t total = 0;
  for (const std::int64_t degree : (*degrees)->data) {
    if (degree < 0) {
      return t.problem("input-value", "", "a node has " + std::to_string(degree) + " neighbours",
                       "bind degrees of 0 and more");
    }
    total += static_cast<std::uint64_t>(degree);
  }
  const std::size_t listed = (*neighbours)->data.size();
  if (total != listed) {
    return t.problem("input-value", "",
                     "the degrees sum to " + std::to_string(total) + ", but " + std::to_string(listed) +
                         " neighbours are listed",
                     "bind degrees and neighbours of the same graph");
  }
  const auto nodes = static_cast<std::int64_t>((*degrees)->data.size());
  for (std::size_t i = 0; i < listed; ++i) {
    const std::int64_t node = (*neighbours)->data[i];
    if (node >= 0 && node < nodes) continue;
    return t.problem("input-value", "",
                     "neighbour number " + std::to_string(i) + " is node " + std::to_string(node) +
                         "; nodes are numbered 0 to " + std::to_string(nodes - 1),
                     "bind neighbours of the same graph");
  }
  return {};
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const TileType tile, t.tile(0));
  if (tile.scalar != Scalar::U64) {
    return t.problem("data-type-mismatch", "node",
                     "integers are wanted here, but " + text(t.in(0)) + " arrives",
                     "connect a MetadataGen that emits indices");
  }
  if (auto wrong = checkTraces(t)) return *wrong;
  StreamType out{t.in(0).shape, tile, {}, {}};
  out.shape.push_back(t.dynamic(t.symbolName("n"), 0, 0, DimKind::Ragged));
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me, const std::vector<std::int64_t>& neighbours,
                       std::vector<std::uint64_t> begins, bool own) {
  while (const simulator::Token node = co_await me.peek(me.in(0))) {
    if (node.scalar + 1 >= begins.size()) {
      me.fail("wrong-token", 0,
              "node " + std::to_string(node.scalar) + " arrived; the graph has " +
                  std::to_string(begins.size() - 1),
              "give the numbers of the graph's nodes");
      co_return;
    }
    const std::uint64_t first = begins[node.scalar], end = begins[node.scalar + 1];
    if (first == end && !own) {
      me.fail("wrong-token", 0,
              "node " + std::to_string(node.scalar) + " has no neighbours, and a group cannot be empty",
              "let every node's own address come first (own), or leave out such nodes");
      co_return;
    }
    me.take(me.in(0));
    const Cycles start = me.now;
    const std::uint64_t count = end - first + (own ? 1 : 0);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t address =
          own && i == 0 ? node.scalar : static_cast<std::uint64_t>(neighbours[first + i - (own ? 1 : 0)]);
      co_await me.push(me.out(0),
                       simulator::Token::number(address).withStop(i + 1 == count ? node.stop + 1 : 0),
                       start + i);
    }
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  const auto values = [&](const char* parameter) -> const std::vector<std::int64_t>& {
    return instance.inputs.at(instance.op.parameters.string(parameter)).tensor.data;
  };
  std::vector<std::uint64_t> begins{0};
  for (const std::int64_t degree : values("degrees"))
    begins.push_back(begins.back() + static_cast<std::uint64_t>(degree));
  return run(me, values("neighbours"), std::move(begins), instance.boolean("own"));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "AdjacencyAddrGen",
              .category = "Source",
              .summary = "Makes the addresses of every node's neighbours in a graph.",
              .paper = "Sluice; the pattern of STeP's CacheReadAddrGen",
              .parameters = {inputParameter("degrees", "how many neighbours each node has"),
                             inputParameter("neighbours", "their numbers, one node's after the other's"),
                             booleanParameter("own",
                                              "the node's own address comes first, so that no group is empty",
                                              true)},
              .inputs = {{"node", "", "numbers of nodes, as 1 x 1 tiles of u64"}},
              .outputs = {{"out", "", "addresses; shape of node + a ragged one"}},
              .rules = {.shape =
                            "The shape of node with one more, innermost, ragged dimension: the neighbours.",
                        .cost = "None.",
                        .timing = "One address a cycle."},
          },
      .shape = shape,
      .cost = noCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::adjacency_addr_gen
