#include "engine/simulator/retime.h"

#include <algorithm>

namespace sluice::sim {
namespace {

/// Chooses by arrival: another time may be another order.
bool choosesByArrival(const FlatOperator& op) {
  return op.spec->kind == "EagerMerge" || op.spec->kind == "Reassemble";
}

/// Has a clock for either side, and asks for slots before it sends.
bool hasTwoClocks(const FlatOperator& op) {
  return op.spec->kind == "Kernel" || op.spec->kind == "LayoutConverter";
}

}  // namespace

Retimer::Retimer(const FlatGraph& graph, const SimulationResult& recorded) : graph_(graph), run_(recorded) {
  const auto chooser = std::find_if(graph.operators.begin(), graph.operators.end(), choosesByArrival);
  if (recorded.cancelled || recorded.fault || recorded.deadlock) {
    objection_ = "the recorded run did not finish";
  } else if (recorded.occupancy.size() != graph.streams.size()) {
    objection_ = "the run was not recorded";
  } else if (!graph.machine.reference_mode) {
    objection_ = "outside reference mode loads read ahead into free slots";
  } else if (graph.machine.scratchpads > 0) {
    objection_ = "operators share on-chip memory units by the time at which they ask";
  } else if (chooser != graph.operators.end()) {
    objection_ = "operator '" + chooser->name + "' chooses by arrival";
  }
}

/// From the exact changes of occupancy; at one time tokens are taken before others are sent.
Retimer::Times Retimer::timesOf(StreamId stream) const {
  Times times;
  std::uint32_t before = 0;
  for (const OccupancySeries::Sample& sample : run_.occupancy[stream].samples) {
    const std::uint32_t taken = sample.low < before ? before - sample.low : 0;
    const std::uint32_t sent = sample.last + taken - before;
    times.taken.insert(times.taken.end(), taken, sample.time);
    times.sent.insert(times.sent.end(), sent, sample.time);
    before = sample.last;
  }
  return times;
}

std::string Retimer::objection(StreamId stream, std::uint64_t depth) const {
  const FlatStream& changed = graph_.streams[stream];
  const std::string place = "stream '" + changed.name + "': ";
  if (depth == 0) return place + "a FIFO holds a token at least";
  if (depth == changed.depth) return {};
  if (hasTwoClocks(graph_.operators[changed.producer]))
    return place + "its sender has a clock for either side";
  if (run_.occupancy[stream].interval != 1) return place + "its occupancy was recorded too coarsely";
  const Times times = timesOf(stream);
  if (times.sent.size() != run_.streams[stream].tokens)
    return place + "its occupancy was not recorded in full";
  for (std::size_t k = std::min(depth, changed.depth); k < times.sent.size(); ++k) {
    // When the slot was, and would be, free; a slot that never held a token always was.
    const auto ready = [&](std::uint64_t d) -> std::optional<Cycles> {
      if (k < d) return Cycles{0};
      return k - d < times.taken.size() ? std::optional(times.taken[k - d] + 1) : std::nullopt;
    };
    const std::optional<Cycles> now = ready(changed.depth), then = ready(depth);
    if (!then || *then > times.sent[k])
      return place + "token " + std::to_string(k) + " would have to wait for its slot";
    if (now == times.sent[k] && *then < *now)
      return place + "token " + std::to_string(k) + " would not have to wait for its slot any more";
  }
  return {};
}

Retimer::Answer Retimer::withDepths(std::span<const std::pair<StreamId, std::uint64_t>> depths) const {
  if (!objection_.empty()) return {{}, objection_};
  for (const auto& [stream, depth] : depths) {
    if (std::string wrong = objection(stream, depth); !wrong.empty()) return {{}, std::move(wrong)};
  }
  return {run_.cycles, {}};
}

}  // namespace sluice::sim
