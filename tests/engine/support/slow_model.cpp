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

/// Runs one operator from time 0 as far as the world allows, and writes down how far that is.
SlowOperator runOnce(World& world, OperatorId id, std::optional<Waiting>& waiting) {
  Replay replay(world, id);
  SlowOperator end;
  waiting.reset();
  try {
    runOperator(replay);
    end.state = SlowState::Finished;
    for (StreamId stream : world.graph->operators[id].outputs) world.streams[stream].closed = replay.now();
  } catch (const Waiting& wait) {
    waiting = wait;
    end.state = SlowState::Blocked;
    end.reason = wait.reason;
    end.stream = wait.stream;
    end.token = wait.token;
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

Cycles finalCycles(const FlatGraph& graph, const std::vector<SlowOperator>& operators) {
  Cycles cycles = 0;
  for (OperatorId id = 0; id < operators.size(); ++id) {
    const bool memory = isLoad(graph.operators[id]) || isStore(graph.operators[id]);
    cycles = std::max(cycles, operators[id].clock + (memory ? 3 : 0));
  }
  return cycles;
}

}  // namespace

SlowResult simulateSlowly(const FlatGraph& graph, const InputSet& inputs) {
  World world{&graph, &inputs, {}, {}};
  for (const FlatStream& stream : graph.streams) {
    world.streams.emplace_back();
    world.streams.back().depth = stream.depth;
  }
  for (OperatorId id = 0; id < graph.operators.size(); ++id)
    if (isLoad(graph.operators[id]) || isStore(graph.operators[id])) world.ports[id];
  SlowMemory memory(world);

  std::vector<SlowOperator> operators(graph.operators.size());
  std::vector<std::optional<Waiting>> waiting(graph.operators.size());
  std::vector<bool> started(graph.operators.size(), false);
  for (bool more = true; more;) {
    more = false;
    for (OperatorId id = 0; id < operators.size(); ++id) {
      if (started[id] && !(waiting[id] && happened(world, id, *waiting[id]))) continue;
      started[id] = more = true;
      operators[id] = runOnce(world, id, waiting[id]);
    }
    if (!more && !memory.idle()) {
      memory.cycle();
      more = true;
    }
  }
  return {finalCycles(graph, operators), memory.requests(), std::move(world.streams), std::move(operators)};
}

}  // namespace sluice::slow
