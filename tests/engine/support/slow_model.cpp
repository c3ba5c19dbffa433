// The slow model's driver: run any operator that can proceed; when none can, let the memory take one cycle.
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
  return static_cast<std::uint64_t>(std::count_if(
      tokens.begin(), tokens.end(), [&](const SlowToken& token) { return token.stop >= level; }));
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

/// Why an operator is not further: it waits for a stream or memory, or it polls.
struct Pause {
  std::optional<Waiting> waiting;
  std::optional<Polling> polling;
};

/// Runs one operator from time 0 as far as the world allows, and writes down how far that is.
SlowOperator runOnce(World& world, OperatorId id, Pause& pause) {
  Replay replay(world, id);
  SlowOperator end;
  pause = {};
  try {
    runOperator(replay);
    end.state = SlowState::Finished;
    for (StreamId stream : world.graph->operators[id].outputs) {
      world.streams[stream].closed = replay.now();
      world.streams[stream].closer_waited = replay.waited();
    }
  } catch (const Waiting& wait) {
    pause.waiting = wait;
    end.reason = wait.reason;
    end.stream = wait.stream;
    end.token = wait.token;
  } catch (const Polling& polling) {
    pause.polling = polling;
    end.polls = true;
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

const SlowToken* head(const SlowStream& stream, std::uint64_t number) {
  return number < stream.tokens.size() ? &stream.tokens[number] : nullptr;
}

/// No input has a token, and nothing will ever bring one of those that might.
bool isStuck(const World& world, OperatorId op, const Polling& polling) {
  bool open = false;
  for (std::size_t port = 0; port < polling.heads.size(); ++port) {
    const SlowStream& stream = world.streams[world.graph->operators[op].inputs[port]];
    if (head(stream, polling.heads[port])) return false;
    open = open || !stream.closed;
  }
  return open;
}

/// One look at all inputs. A token shows, though it arrives later, in the cycle after its sender's last wait;
/// so does an end.
void look(const World& world, OperatorId op, Polling& polling) {
  for (std::size_t port = 0; port < polling.heads.size(); ++port) {
    const SlowStream& stream = world.streams[world.graph->operators[op].inputs[port]];
    const SlowToken* const token = head(stream, polling.heads[port]);
    if (polling.known.contains(port) || (!token && !stream.closed)) continue;
    const std::optional<Cycles> waited = token ? token->waited : stream.closer_waited;
    if (polling.follows && waited && *waited + 1 > polling.clock) continue;
    polling.known.insert(port);
    if (token && (!polling.port || token->arrival < polling.arrival))
      polling.port = port, polling.arrival = token->arrival;
  }
}

bool decided(const Polling& polling) {
  return polling.known.size() == polling.heads.size() || (polling.port && polling.clock >= polling.arrival);
}

/// Everybody is blocked or polls: the memory takes a cycle, or those who poll at the earliest time look once;
/// at the same time they look first, as what the memory does in a cycle shows in the next. False when that
/// can never lead anywhere.
bool earliestEvent(World& world, SlowMemory& memory, std::vector<Pause>& pauses) {
  std::optional<Cycles> earliest;
  bool over = memory.idle();
  for (OperatorId op = 0; op < pauses.size(); ++op) {
    if (!pauses[op].polling) continue;
    const Polling& polling = *pauses[op].polling;
    earliest = std::min(earliest.value_or(polling.clock), polling.clock);
    over = over && isStuck(world, op, polling);
  }
  if (over) return false;
  if (!memory.idle() && (!earliest || memory.time() < *earliest)) {
    memory.cycle();
    return true;
  }
  for (OperatorId op = 0; op < pauses.size(); ++op) {
    if (!pauses[op].polling || pauses[op].polling->clock != *earliest) continue;
    Polling& polling = *pauses[op].polling;
    look(world, op, polling);
    if (decided(polling))
      world.choices[op].push_back({polling.port, *earliest, polling.again});
    else
      ++polling.clock, polling.again = true;
  }
  return true;
}

bool canGoOn(const World& world, OperatorId op, std::size_t choices_made, const Pause& pause) {
  if (pause.waiting) return happened(world, op, *pause.waiting);
  const auto choices = world.choices.find(op);
  return pause.polling && choices != world.choices.end() && choices->second.size() > choices_made;
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

SlowResult simulateSlowly(const FlatGraph& graph, const InputSet& inputs, Shows shows) {
  World world{&graph, &inputs, shows, {}, {}, {}};
  for (const FlatStream& stream : graph.streams) {
    world.streams.emplace_back();
    world.streams.back().depth = stream.depth;
  }
  for (OperatorId id = 0; id < graph.operators.size(); ++id)
    if (isLoad(graph.operators[id]) || isStore(graph.operators[id])) world.ports[id];
  SlowMemory memory(world);

  std::vector<SlowOperator> operators(graph.operators.size());
  std::vector<Pause> pauses(graph.operators.size());
  std::vector<std::size_t> choices_made(graph.operators.size());
  std::vector<bool> started(graph.operators.size(), false);
  for (bool more = true; more;) {
    more = false;
    for (OperatorId id = 0; id < operators.size(); ++id) {
      if (started[id] && !canGoOn(world, id, choices_made[id], pauses[id])) continue;
      started[id] = more = true;
      choices_made[id] = world.choices[id].size();
      operators[id] = runOnce(world, id, pauses[id]);
    }
    if (!more) more = earliestEvent(world, memory, pauses);
  }
  return {finalCycles(graph, operators), memory.requests(), std::move(world.streams), std::move(operators)};
}

}  // namespace sluice::slow
