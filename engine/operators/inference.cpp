#include "engine/operators/inference.h"

#include <algorithm>

#include "engine/operators/registry.h"

namespace sluice {

namespace {

/// Operators so that every producer comes before its consumers. Whoever is left over waits for himself
/// through a cycle.
std::vector<OperatorId> topologicalOrder(const FlatGraph& graph) {
  std::vector<std::size_t> missing(graph.operators.size());
  std::vector<OperatorId> order;
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    missing[id] = graph.operators[id].inputs.size();
    if (missing[id] == 0) order.push_back(id);
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const StreamId stream : graph.operators[order[next]].outputs) {
      const OperatorId consumer = graph.streams[stream].consumer;
      if (--missing[consumer] == 0) order.push_back(consumer);
    }
  }
  return order;
}

Diagnostic cyclic(const FlatGraph& graph, const std::vector<OperatorId>& order) {
  std::vector<bool> done(graph.operators.size(), false);
  for (const OperatorId id : order) done[id] = true;
  // From any operator that is left, going upstream among those left must come round.
  OperatorId at = static_cast<OperatorId>(std::find(done.begin(), done.end(), false) - done.begin());
  std::vector<OperatorId> path;
  while (std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    for (const StreamId stream : graph.operators[at].inputs) {
      if (done[graph.streams[stream].producer]) continue;
      at = graph.streams[stream].producer;
      break;
    }
  }
  std::string names;
  for (auto it = path.rbegin(); *it != at; ++it) names += " -> " + graph.operators[*it].name;
  return {Severity::Error, "operator '" + graph.operators[at].name + "'",
          "waits for its own result: " + graph.operators[at].name + names + " -> " + graph.operators[at].name,
          "cut one of these streams: no element could ever enter the cycle"};
}

std::vector<const Operator*> definitions(const FlatGraph& graph, Diagnostics& problems) {
  const std::map<std::string, const Operator*> by_kind = operatorsByKind();
  std::vector<const Operator*> list;
  for (const FlatOperator& op : graph.operators) {
    const auto found = by_kind.find(op.spec->kind);
    list.push_back(found == by_kind.end() ? nullptr : found->second);
    if (found == by_kind.end()) {
      problems.push_back({Severity::Error, "operator '" + op.name + "'",
                          "kind " + op.spec->kind + " is not in the registry", "use a registered operator"});
    }
  }
  return list;
}

}  // namespace

Result<Inference> infer(const FlatGraph& graph, const InputSet& inputs) {
  Diagnostics problems;
  const std::vector<const Operator*> kinds = definitions(graph, problems);
  if (!problems.empty()) return problems;
  const std::vector<OperatorId> order = topologicalOrder(graph);
  if (order.size() < graph.operators.size()) return cyclic(graph, order);

  Inference result;
  result.streams.resize(graph.streams.size());
  result.operators.resize(graph.operators.size());
  std::vector<bool> known(graph.streams.size(), false);
  for (const OperatorId id : order) {
    const FlatOperator& op = graph.operators[id];
    // Behind an error nothing can be said; but errors on other paths are worth telling, too.
    if (!std::all_of(op.inputs.begin(), op.inputs.end(), [&](StreamId s) { return known[s]; })) continue;
    std::vector<const StreamType*> in;
    for (const StreamId stream : op.inputs) in.push_back(&result.streams[stream]);
    const Typing typing(graph, id, inputs, std::move(in), result);
    Result<std::vector<StreamType>> out = kinds[id]->shape(typing);
    if (!out) {
      problems.insert(problems.end(), out.diagnostics().begin(), out.diagnostics().end());
      continue;
    }
    result.operators[id] = kinds[id]->cost(typing, *out);
    for (std::size_t port = 0; port < op.outputs.size(); ++port) {
      result.streams[op.outputs[port]] = std::move((*out)[port]);
      known[op.outputs[port]] = true;
    }
  }
  if (!problems.empty()) return problems;
  for (const Cost& cost : result.operators) result.total += cost;
  return result;
}

}  // namespace sluice
