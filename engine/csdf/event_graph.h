#pragma once
// The graph of events of a K-periodic schedule: a node for each phase of each of the K rounds of an actor
// that repeat together, an edge for each firing that another waits for (throughput.h names the source).

#include <cstdint>
#include <vector>

#include "engine/csdf/cycle_ratio.h"

namespace sluice::inline csdf {

class EventGraph {
 public:
  static constexpr std::size_t most_events = 2'000'000, most_edges = 30'000'000;

  /// `rounds`: K of each actor, divisors of the repetition.
  EventGraph(const CsdfGraph& graph, const Repetition& repetition, const std::vector<std::int64_t>& rounds);

  bool tooLarge() const { return too_large_; }
  std::size_t events() const { return events_; }
  const std::vector<RatioEdge>& edges() const { return edges_; }
  std::size_t actorOf(std::uint32_t event) const;
  /// Of the firings of the actor that repeat together.
  std::size_t firingOf(std::uint32_t event) const { return event - first_[actorOf(event)]; }

 private:
  void addOrder(std::size_t actor);
  void addChannel(std::size_t index);

  const CsdfGraph& graph_;
  const Repetition& repetition_;
  const std::vector<std::int64_t>& rounds_;
  std::vector<char> serial_;        ///< by actor: firings do not overlap
  std::vector<std::size_t> first_;  ///< by actor: its first event; and the number of events
  std::vector<RatioEdge> edges_;
  std::size_t events_ = 0;
  bool too_large_ = false;
};

}  // namespace sluice::inline csdf
