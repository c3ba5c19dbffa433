#include "engine/explorer/token_counts.h"

#include <deque>
#include <map>
#include <numeric>
#include <string>

#include "engine/operators/registry.h"

namespace sluice::inline explorer {

TokenCounts countTokens(const FlatGraph& graph, const Inference& inference, const InputSet& inputs) {
  TokenCounts counts;
  counts.streams.resize(graph.streams.size());
  counts.operators.resize(graph.operators.size());
  std::map<std::string, Expr> bound;
  for (const auto& [name, value] : graph.knobs) bound[name] = Expr(value);
  for (const auto& [name, value] : inference.known) bound[name] = Expr(value);

  std::deque<OperatorId> open(graph.operators.size());
  std::iota(open.begin(), open.end(), OperatorId{0});
  std::vector<std::size_t> unknown;  // inputs of each operator
  for (const FlatOperator& op : graph.operators) unknown.push_back(op.inputs.size());
  // Each stream becomes known once, so this ends; loops stay unknown unless a selector tells. One unknown
  // input may be that selector; with more no operator tells anything, and those of many inputs would look
  // at all of them for each.
  while (!open.empty()) {
    const FlatOperator& op = graph.operators[open.front()];
    Rates rates(graph, op, inference, inputs, counts.streams, bound, counts.operators[open.front()]);
    open.pop_front();
    const RatesRule rule = definitionOf(op).rates;
    const Rates::Outputs outputs = rule(rates);
    for (std::size_t port = 0; port < outputs.size(); ++port) {
      StreamCount& known = counts.streams[op.outputs[port]];
      if (known.tokens || !outputs[port].tokens) continue;
      known = outputs[port];
      const OperatorId consumer = graph.streams[op.outputs[port]].consumer;
      if (--unknown[consumer] <= 1) open.push_back(consumer);
    }
  }
  return counts;
}

}  // namespace sluice::inline explorer
