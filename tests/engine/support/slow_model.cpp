// The slow model's driver: run whoever can get further; when nobody can, let the memory take one cycle.
#include "tests/engine/support/slow_model.h"

#include <algorithm>
#include <stdexcept>

#include "tests/engine/support/slow_replay.h"

namespace sluice::slow {

std::uint64_t SlowStream::maxOccupancy() const {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    // Slots held at the moment that token i takes its own: those of earlier tokens not yet freed.
    std::uint64_t held = 1;
    for (std::size_t k = 0; k < i; ++k)
      if (k >= dequeued.size() || dequeued[k] > tokens[i].enqueued) ++held;
    most = std::max(most, held);
  }
  return most;
}

std::uint64_t SlowStream::occupancyAt(Cycles time) const {
  std::uint64_t held = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].enqueued <= time && (i >= dequeued.size() || dequeued[i] > time)) ++held;
  return held;
}

std::uint64_t SlowStream::group(std::uint32_t level) const {
  return static_cast<std::uint64_t>(
      std::count_if(tokens.begin(), tokens.end(), [&](const SlowToken& token) { return token.stop >= level; }));
}

bool SlowResult::faulted() const {
  return std::any_of(operators.begin(), operators.end(),
                     [](const SlowOperator& op) { return op.state == SlowState::Faulted; });
}

bool SlowResult::deadlocked() const {
  return !faulted() && std::any_of(operators.begin(), operators.end(),
                                   [](const SlowOperator& op) { return op.state == SlowState::Blocked; });
}

namespace {

/// Why an operator is not further: it waits for a stream or memory, or for knowing which input is first.
struct Pause {
  std::optional<Waiting> waiting;
  std::optional<Choosing> choosing;
};

/// Runs one operator from time 0 as far as the world allows, and writes down how far that is.
SlowOperator runOnce(World& world, OperatorId id, Pause& pause) {
  Replay replay(world, id);
  SlowOperator end;
  pause = {};
  try {
    runOperator(replay);
    end.state = SlowState::Finished;
    for (StreamId stream : world.graph->operators[id].outputs) world.streams[stream].closed = replay.now();
  } catch (const Waiting& wait) {
    pause.waiting = wait;
    end.reason = wait.reason;
    end.stream = wait.stream;
    end.token = wait.token;
  } catch (const Choosing& choosing) {
    pause.choosing = choosing;
    end.chooses = true;
  } catch (const Fault& fault) {
    end.state = SlowState::Faulted;
    end.token = fault.token;
    end.cause = fault.cause;
  }
  end.clock = replay.now();
  end.flops = replay.flops();
  end.off_chip_bytes = replay.offChipBytes();
  return end;
}

/// What an operator would choose from what is there: when, and which input.
struct Choice {
  Cycles time = 0;
  Cycles arrival = 0;
  OperatorId op = 0;
  std::size_t port = 0;
  auto operator<=>(const Choice&) const = default;
};

std::optional<Choice> bestChoice(const World& world, OperatorId op, const Choosing& choosing) {
  std::optional<Choice> best;
  for (std::size_t port = 0; port < choosing.heads.size(); ++port) {
    const SlowStream& stream = world.streams[world.graph->operators[op].inputs[port]];
    if (choosing.heads[port] >= stream.tokens.size()) continue;
    const Cycles arrival = stream.tokens[choosing.heads[port]].arrival;
    const Choice choice{std::max(arrival, choosing.since), arrival, op, port};
    if (!best || choice < *best) best = choice;
  }
  return best;
}

/// All inputs closed and drained: the operator only has to see it.
bool allClosed(const World& world, OperatorId op, const Choosing& choosing) {
  for (std::size_t port = 0; port < choosing.heads.size(); ++port) {
    const SlowStream& stream = world.streams[world.graph->operators[op].inputs[port]];
    if (!stream.closed || choosing.heads[port] < stream.tokens.size()) return false;
  }
  return true;
}

/// Everybody is blocked. The earliest event is either a memory cycle or the earliest choice: whatever else may still come, comes of
/// one of these and so arrives later than that choice. False when there is neither.
bool earliestEvent(World& world, SlowMemory& memory, std::vector<Pause>& pauses) {
  std::optional<Choice> first;
  for (OperatorId op = 0; op < pauses.size(); ++op) {
    if (!pauses[op].choosing) continue;
    const std::optional<Choice> choice = bestChoice(world, op, *pauses[op].choosing);
    if (choice && (!first || *choice < *first)) first = choice;
  }
  if (!memory.idle() && (!first || memory.time() <= first->time)) {
    memory.cycle();
    return true;
  }
  if (!first) return false;
  world.choices[first->op].push_back(first->port);
  pauses[first->op] = {Waiting{WaitReason::Memory, 0, 0}, {}};  // goes on at once
  return true;
}

bool canGoOn(const World& world, OperatorId op, const Pause& pause) {
  if (pause.waiting) return happened(world, op, *pause.waiting);
  return pause.choosing && allClosed(world, op, *pause.choosing);
}

Cycles finalCycles(const FlatGraph& graph, const std::vector<SlowOperator>& operators) {
  Cycles cycles = 0;
  for (OperatorId id = 0; id < operators.size(); ++id) {
    const bool memory = isLoad(graph.operators[id]) || isStore(graph.operators[id]);
    cycles = std::max(cycles, operators[id].clock + (memory ? 3u : 0u));
  }
  return cycles;
}

}  // namespace

SlowResult simulateSlowly(const FlatGraph& graph, const InputSet& inputs) {
  World world{&graph, &inputs, {}, {}, {}};
  for (const FlatStream& stream : graph.streams) {
    world.streams.emplace_back();
    world.streams.back().depth = stream.depth;
  }
  for (OperatorId id = 0; id < graph.operators.size(); ++id)
    if (isLoad(graph.operators[id]) || isStore(graph.operators[id])) world.ports[id];
  SlowMemory memory(world);

  std::vector<SlowOperator> operators(graph.operators.size());
  std::vector<Pause> pauses(graph.operators.size());
  std::vector<bool> started(graph.operators.size(), false);
  for (bool more = true; more;) {
    more = false;
    for (OperatorId id = 0; id < operators.size(); ++id) {
      if (started[id] && !canGoOn(world, id, pauses[id])) continue;
      started[id] = more = true;
      operators[id] = runOnce(world, id, pauses[id]);
    }
    if (!more) more = earliestEvent(world, memory, pauses);
  }
  return {finalCycles(graph, operators), memory.requests(), std::move(world.streams), std::move(operators)};
}

}  // namespace sluice::slow
