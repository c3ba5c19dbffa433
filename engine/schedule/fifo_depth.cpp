// fifo_depth: sets the depth of one FIFO, or of all of them.

#include "engine/schedule/graph_edit.h"
#include "engine/schedule/transformation.h"

namespace sluice::inline schedule {
namespace {

void setAll(Graph& graph, const Value& depth) {
  for (Stream& stream : graph.streams) stream.depth = depth;
  for (Node& node : graph.nodes)
    if (node.body) setAll(node.body->body, depth);
}

/// "expert.region.y": the boundary of expert, fed in its body.
Result<Graph*> graphAround(Rewrite& rewrite, const std::string& path, const Endpoint& end) {
  const std::size_t dot = path.rfind('.');
  if (end.node != "region" || dot == std::string::npos) return rewrite.graphOf(path);
  SLUICE_TRY(Node * around, rewrite.region(path.substr(0, dot)));
  return &around->body->body;
}

Result<Done> apply(Rewrite& rewrite, const Arguments& args) {
  const std::string& to = args.text("to");
  if (to == "*") {
    setAll(rewrite.document.program, args.written("depth"));
    return Done{};
  }
  const std::size_t dot = to.rfind('.');
  const auto end =
      dot == std::string::npos ? std::nullopt : parseEndpoint(to.substr(to.rfind('.', dot - 1) + 1));
  if (!end) {
    return rewrite.problem("'" + to + "' does not name the input of an operator",
                           "write it as up.in2 or expert.up.in2, or * for all FIFOs");
  }
  SLUICE_TRY(Graph * graph, graphAround(rewrite, to.substr(0, dot), *end));
  bool found = false;
  for (Stream& stream : graph->streams) {
    if (!sameEnd(stream.to, *end) || (end->index && stream.to.index != end->index)) continue;
    stream.depth = args.written("depth");
    found = true;
  }
  if (!found) return rewrite.problem("no stream goes into '" + to + "'", "name an input that is connected");
  return Done{};
}

}  // namespace

const Transformation& fifoDepth() {
  static const Transformation definition{
      {"fifo_depth",
       "Sets the depth of one FIFO, or of all.",
       "STeP 4.1",
       {portArgument("to", ArgumentKind::AnyInput,
                     "the input that the FIFO ends at, as expert.up.in2; * for all"),
        integerArgument("depth", "tokens")},
       "Shapes stay. On-chip memory changes where FIFOs are counted; cycles change where the FIFO was full, "
       "or holds more than before."},
      apply};
  return definition;
}

}  // namespace sluice::inline schedule
