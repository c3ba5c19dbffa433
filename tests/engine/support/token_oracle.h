#pragma once
// An oracle for deadlocks that shares nothing with the simulator and knows no time. For a few operators it
// writes down the steps that each process goes through in their order (see a token, take it, wait for room,
// push one), and plays them as a game on counters until nobody can move: in one order of moves, or in all.

#include <optional>
#include <set>
#include <vector>

#include "engine/program/flat_graph.h"

namespace sluice::oracle {

enum class Ending { Finished, Locked, Faulted };

struct Outcome {
  Ending ending = Ending::Finished;
  std::set<OperatorId> blocked;
  std::set<std::set<OperatorId>> circles;  ///< whose members wait for each other
  bool operator==(const Outcome&) const = default;
};

class TokenOracle {
 public:
  /// TileGen, Broadcast, Map, Accum, Repeat, BinaryMap, Consumer; streams in the order of their producers.
  explicit TokenOracle(const FlatGraph& graph);

  /// One order of moves. `depths`: of every stream; 0: unlimited.
  Outcome play(const std::vector<std::uint64_t>& depths) const;
  /// Every state that any order of moves reaches: what can become of it. None: more than `most` states.
  std::optional<std::vector<Outcome>> playEveryOrder(const std::vector<std::uint64_t>& depths,
                                                     std::size_t most) const;
  /// The stop levels of all tokens that a stream would ever carry.
  const std::vector<std::uint32_t>& stops(StreamId stream) const { return stops_[stream]; }

 private:
  struct Step {
    enum Kind { See, Take, Room, Push, Fail } kind;
    StreamId stream = 0;
  };
  /// How far every process has come.
  using State = std::vector<std::size_t>;

  bool done(const State& state, OperatorId id) const { return state[id] == steps_[id].size(); }
  bool canMove(const State& state, const std::vector<std::uint64_t>& depths, OperatorId id) const;
  Outcome outcome(const State& state) const;
  void plan(OperatorId id);
  void count();
  void planSource(OperatorId id);
  void planBroadcast(OperatorId id);
  void planFold(OperatorId id, std::uint32_t rank);
  void planMany(OperatorId id, std::uint64_t copies, bool deeper);
  void planJoin(OperatorId id);
  void emit(OperatorId id, StreamId stream, std::uint32_t stop);

  const FlatGraph& graph_;
  std::vector<std::vector<Step>> steps_;  ///< of every operator
  std::vector<std::vector<std::uint32_t>> stops_;
  /// Of every stream: tokens sent (taken) before its producer's (consumer's) step of that number.
  std::vector<std::vector<std::uint64_t>> sent_, taken_;
};

}  // namespace sluice::oracle
