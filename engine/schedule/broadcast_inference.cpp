// broadcast: makes every fan-out explicit, as elaboration would (engine/program/README.md, "Elaboration"), so
// that the copies can be seen, named and given depths.

#include "engine/schedule/graph_edit.h"
#include "engine/schedule/proposals.h"
#include "engine/schedule/transformation.h"

namespace sluice::inline schedule::broadcast_inference {
namespace {

/// Whether an end stands for one stream and not for a bundle.
bool isSingle(const Rewrite& rewrite, const Graph& graph, const Region* around, const Endpoint& end,
              const std::string& prefix) {
  if (end.index) return true;
  if (end.node == "region") return around && !around->widths.contains(end.port);
  const Node* node = graph.find(end.node);
  if (node && node->body) return node->body->count == Value(1) && !node->body->widths.contains(end.port);
  return node && rewrite.isSinglePort(prefix + end.node, end.port);
}

void makeExplicit(const Rewrite& rewrite, Graph& graph, const Region* around, const std::string& prefix) {
  GraphEdit edit(graph);
  const std::vector<Stream> streams = graph.streams;
  for (const Stream& first : streams) {
    std::vector<std::size_t> copies;
    for (std::size_t i = 0; i < graph.streams.size(); ++i)
      if (graph.streams[i].from == first.from) copies.push_back(i);
    if (copies.size() < 2 || !isSingle(rewrite, graph, around, first.from, prefix)) continue;
    const std::string wish = first.from.node == "region" ? first.from.port : first.from.node;
    const std::string name = edit.insertAfter(
        "",
        operatorNode(wish + "_copies", "Broadcast", {{"ways", static_cast<std::int64_t>(copies.size())}}));
    const Endpoint source = first.from;
    for (std::size_t k = 0; k < copies.size(); ++k)
      graph.streams[copies[k]].from = {name, "out", Value(static_cast<std::int64_t>(k))};
    edit.connect(source, endOf(name, "in"));
  }
  for (Node& node : graph.nodes)
    if (node.body) makeExplicit(rewrite, node.body->body, &*node.body, prefix + node.name + ".");
}

Result<Done> apply(Rewrite& rewrite, const Arguments&) {
  SLUICE_CHECK(rewrite.inferTypes());
  makeExplicit(rewrite, rewrite.document.program, nullptr, "");
  return Done{};
}

std::vector<Proposal> proposals(Sites& sites) {
  Proposal whole{sites.step({})};
  if (!sites.applies(whole.step)) return {};
  return {std::move(whole)};
}

}  // namespace

const Transformation& definition() {
  static const Transformation definition{
      {"broadcast",
       "Makes every fan-out of a stream an explicit Broadcast.",
       "STeP artifact, infer_broadcast",
       {},
       "Shapes, costs and cycles stay: an output that fed several inputs feeds a Broadcast that feeds each."},
      apply,
      nullptr,
      proposals};
  return definition;
}

}  // namespace sluice::inline schedule::broadcast_inference
