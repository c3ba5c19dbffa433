#include "tests/engine/support/token_oracle.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

namespace sluice::oracle {

TokenOracle::TokenOracle(const FlatGraph& graph)
    : graph_(graph), steps_(graph.operators.size()), stops_(graph.streams.size()) {
  for (OperatorId id = 0; id < graph.operators.size(); ++id) plan(id);
  count();
}

void TokenOracle::emit(OperatorId id, StreamId stream, std::uint32_t stop) {
  steps_[id].push_back({Step::Push, stream});
  stops_[stream].push_back(stop);
}

void TokenOracle::plan(OperatorId id) {
  const FlatOperator& op = graph_.operators[id];
  const std::string& kind = op.spec->kind;
  if (kind == "TileGen") return planSource(id);
  if (kind == "Broadcast") return planBroadcast(id);
  if (kind == "Accum") return planFold(id, static_cast<std::uint32_t>(op.parameters.integer("rank")));
  if (kind == "Map") return planMany(id, 1, false);
  if (kind == "Repeat")
    return planMany(id, static_cast<std::uint64_t>(op.parameters.integer("factor")), true);
  if (kind == "BinaryMap") return planJoin(id);
  if (kind != "Consumer") throw std::logic_error("the oracle does not know " + kind);
  for (std::size_t i = 0; i < stops_[op.inputs[0]].size(); ++i) {
    steps_[id].push_back({Step::See, op.inputs[0]});
    steps_[id].push_back({Step::Take, op.inputs[0]});
  }
  steps_[id].push_back({Step::See, op.inputs[0]});
}

void TokenOracle::planSource(OperatorId id) {
  const FlatOperator& op = graph_.operators[id];
  std::int64_t total = 1;
  for (const BoundInteger& extent : op.parameters.list("shape")) total *= extent.value;
  for (std::int64_t number = 1; number <= total; ++number) {
    std::uint32_t stop = 0;
    std::int64_t inner = 1;
    const auto& shape = op.parameters.list("shape");
    for (std::size_t d = shape.size(); d-- > 0;) {
      inner *= shape[d].value;
      if (number % inner != 0) break;
      ++stop;
    }
    emit(id, op.outputs[0], stop);
  }
}

void TokenOracle::planBroadcast(OperatorId id) {
  const FlatOperator& op = graph_.operators[id];
  for (const std::uint32_t stop : stops_[op.inputs[0]]) {
    steps_[id].push_back({Step::See, op.inputs[0]});
    steps_[id].push_back({Step::Take, op.inputs[0]});
    for (const StreamId out : op.outputs) steps_[id].push_back({Step::Room, out});
    for (const StreamId out : op.outputs) emit(id, out, stop);
  }
  steps_[id].push_back({Step::See, op.inputs[0]});
}

void TokenOracle::planFold(OperatorId id, std::uint32_t rank) {
  const FlatOperator& op = graph_.operators[id];
  for (const std::uint32_t stop : stops_[op.inputs[0]]) {
    steps_[id].push_back({Step::See, op.inputs[0]});
    steps_[id].push_back({Step::Take, op.inputs[0]});
    if (stop >= rank) emit(id, op.outputs[0], stop - rank);
  }
  steps_[id].push_back({Step::See, op.inputs[0]});
}

/// Each token `copies` times, then it is taken; `deeper`: the copies are a dimension of their own.
void TokenOracle::planMany(OperatorId id, std::uint64_t copies, bool deeper) {
  const FlatOperator& op = graph_.operators[id];
  for (const std::uint32_t stop : stops_[op.inputs[0]]) {
    steps_[id].push_back({Step::See, op.inputs[0]});
    for (std::uint64_t i = 1; i < copies; ++i) emit(id, op.outputs[0], 0);
    emit(id, op.outputs[0], deeper ? stop + 1 : stop);
    steps_[id].push_back({Step::Take, op.inputs[0]});
  }
  steps_[id].push_back({Step::See, op.inputs[0]});
}

void TokenOracle::planJoin(OperatorId id) {
  const FlatOperator& op = graph_.operators[id];
  const std::vector<std::uint32_t>&a = stops_[op.inputs[0]], &b = stops_[op.inputs[1]];
  for (std::size_t i = 0;; ++i) {
    steps_[id].push_back({Step::See, op.inputs[0]});
    steps_[id].push_back({Step::See, op.inputs[1]});
    if (i >= a.size() && i >= b.size()) return;
    if (i >= a.size() || i >= b.size() || a[i] != b[i]) {
      steps_[id].push_back({Step::Fail, 0});
      return;
    }
    emit(id, op.outputs[0], a[i]);
    steps_[id].push_back({Step::Take, op.inputs[0]});
    steps_[id].push_back({Step::Take, op.inputs[1]});
  }
}

void TokenOracle::count() {
  sent_.resize(stops_.size());
  taken_.resize(stops_.size());
  for (StreamId s = 0; s < stops_.size(); ++s) {
    const auto prefix = [&](OperatorId id, Step::Kind kind, std::vector<std::uint64_t>& before) {
      before.assign(1, 0);
      for (const Step& step : steps_[id])
        before.push_back(before.back() + (step.kind == kind && step.stream == s ? 1 : 0));
    };
    prefix(graph_.streams[s].producer, Step::Push, sent_[s]);
    prefix(graph_.streams[s].consumer, Step::Take, taken_[s]);
  }
}

bool TokenOracle::canMove(const State& state, const std::vector<std::uint64_t>& depths, OperatorId id) const {
  if (done(state, id)) return false;
  const Step& step = steps_[id][state[id]];
  if (step.kind == Step::Take) return true;
  if (step.kind == Step::Fail) return false;
  const StreamId s = step.stream;
  const OperatorId producer = graph_.streams[s].producer;
  const std::uint64_t waiting = sent_[s][state[producer]] - taken_[s][state[graph_.streams[s].consumer]];
  if (step.kind == Step::See) return waiting > 0 || done(state, producer);
  return depths[s] == 0 || waiting < depths[s];
}

Outcome TokenOracle::play(const std::vector<std::uint64_t>& depths) const {
  State state(steps_.size(), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (OperatorId id = 0; id < steps_.size(); ++id)
      for (; canMove(state, depths, id); moved = true) ++state[id];
  }
  return outcome(state);
}

std::optional<std::vector<Outcome>> TokenOracle::playEveryOrder(const std::vector<std::uint64_t>& depths,
                                                                std::size_t most) const {
  std::vector<std::uint64_t> weight(steps_.size(), 1);  // states are numbers of mixed radix
  for (OperatorId id = 1; id < steps_.size(); ++id)
    if (__builtin_mul_overflow(weight[id - 1], steps_[id - 1].size() + 1, &weight[id])) return std::nullopt;
  std::vector<Outcome> endings;
  std::unordered_set<std::uint64_t> met{0};
  std::vector<std::uint64_t> open{0};
  State state(steps_.size());
  while (!open.empty()) {
    const std::uint64_t number = open.back();
    open.pop_back();
    for (OperatorId id = 0; id < steps_.size(); ++id)
      state[id] = number / weight[id] % (steps_[id].size() + 1);
    bool moved = false;
    for (OperatorId id = 0; id < steps_.size(); ++id) {
      if (!canMove(state, depths, id)) continue;
      moved = true;
      if (met.insert(number + weight[id]).second) open.push_back(number + weight[id]);
    }
    if (!moved) endings.push_back(outcome(state));
    if (met.size() > most) return std::nullopt;
  }
  return endings;
}

Outcome TokenOracle::outcome(const State& state) const {
  Outcome outcome;
  std::vector<OperatorId> waits_for(steps_.size());
  for (OperatorId id = 0; id < steps_.size(); ++id) {
    if (done(state, id)) continue;
    const Step& step = steps_[id][state[id]];
    if (step.kind == Step::Fail) return {Ending::Faulted, {}, {}};
    const FlatStream& stream = graph_.streams[step.stream];
    waits_for[id] = step.kind == Step::See ? stream.producer : stream.consumer;
    outcome.blocked.insert(id);
    outcome.ending = Ending::Locked;
  }
  for (const OperatorId id :
       outcome.blocked) {  // as many steps as there are operators lead into a wait cycle
    OperatorId on_circle = id;
    for (std::size_t i = 0; i < steps_.size(); ++i) on_circle = waits_for[on_circle];
    std::set<OperatorId> circle;
    while (circle.insert(on_circle).second) on_circle = waits_for[on_circle];
    outcome.circles.insert(circle);
  }
  return outcome;
}

}  // namespace sluice::oracle
