// Operators of ONNX and of com.microsoft as simpler operators of ONNX. Each family stands in a file of
// expansions/.

#include "engine/tensor/onnx/onnx_expansions.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/tensor/onnx/onnx_expansion.h"

#define SLUICE_ONNX_EXPANSIONS(X) \
  X(rows)                         \
  X(pointwise)                    \
  X(angles)                       \
  X(windows)                      \
  X(joined)                       \
  X(quantization)

namespace sluice::inline tensor {

#define SLUICE_DECLARE(family) std::span<const OnnxExpansionRule> family##ExpansionsOfOnnx();
SLUICE_ONNX_EXPANSIONS(SLUICE_DECLARE)
#undef SLUICE_DECLARE

namespace {

/// A softmax that is 0 where it is not a number, as after a row of minus infinities: a ReLU is the same, as
/// what is not a number is not above 0 either.
void joinNotANumber(OnnxGraph& graph) {
  std::map<std::string, std::size_t> makers, readers;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& output : graph.nodes[i].outputs) makers[output] = i;
    for (const std::string& input : graph.nodes[i].inputs) ++readers[input];
    for (const std::string& value : graph.nodes[i].captured) ++readers[value];
  }
  for (const std::string& output : graph.outputs) ++readers[output];
  const auto made_by = [&](const std::string& value, const char* op) {
    const auto maker = makers.find(value);
    return maker != makers.end() && graph.nodes[maker->second].op == op;
  };
  std::set<std::size_t> gone;
  for (OnnxNode& node : graph.nodes) {
    if (node.op != "Where" || node.inputs.size() != 3 || !made_by(node.inputs[0], "IsNaN")) continue;
    const std::size_t test = makers[node.inputs[0]];
    const auto otherwise = graph.values.find(node.inputs[1]);
    if (graph.nodes[test].inputs != std::vector{node.inputs[2]} || !made_by(node.inputs[2], "Softmax") ||
        otherwise == graph.values.end() || otherwise->second.number() != 0.0)
      continue;
    if (--readers[node.inputs[0]] == 0) gone.insert(test);
    node.op = "Relu";
    node.inputs = {node.inputs[2]};
  }
  std::vector<OnnxNode> kept;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (!gone.contains(i)) kept.push_back(std::move(graph.nodes[i]));
  graph.nodes = std::move(kept);
}

}  // namespace

const OnnxExpansionRule* onnxExpansionRule(std::string_view op) {
  static const std::map<std::string_view, const OnnxExpansionRule*> by_name = [] {
    std::map<std::string_view, const OnnxExpansionRule*> map;
#define SLUICE_LIST(family) \
  for (const OnnxExpansionRule& rule : family##ExpansionsOfOnnx()) map.emplace(rule.op, &rule);
    SLUICE_ONNX_EXPANSIONS(SLUICE_LIST)
#undef SLUICE_LIST
    return map;
  }();
  const auto found = by_name.find(op);
  return found == by_name.end() ? nullptr : found->second;
}

void expandNodes(OnnxGraph& graph) {
  joinNotANumber(graph);
  std::vector<OnnxNode> nodes;
  for (OnnxNode& node : graph.nodes) {
    const OnnxExpansionRule* const rule = onnxExpansionRule(node.op);
    OnnxExpansion to(graph, node);
    if (rule && !node.inputs.empty() && !node.outputs.empty()) rule->expand(to);
    if (to.made.empty()) {
      nodes.push_back(std::move(node));
      continue;
    }
    for (std::size_t i = 0; i < to.made.size(); ++i) {
      to.made[i].origin = node.origin;
      if (i + 1 < to.made.size()) to.made[i].name += " part " + std::to_string(i + 1);
    }
    std::ranges::move(to.made, std::back_inserter(nodes));
  }
  graph.nodes = std::move(nodes);
}

}  // namespace sluice::inline tensor
