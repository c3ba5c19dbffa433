#pragma once
// The exact maximum throughput of an SDF or CSDF graph, without running it: K-periodic scheduling.
//
// In a K-periodic schedule the firings of K_a rounds of actor a repeat with one period. The shortest period
// of such a schedule is a maximum cycle ratio over a graph of K_a * phases events an actor. Where the cycle
// that decides is one of actors whose K is large enough for the cycle (a multiple of their rounds over the
// common divisor of the rounds on it), no schedule is faster; else these K are raised. B. Bodin, A.
// Munier-Kordon, B. Dupont de Dinechin: "Optimal and fast throughput evaluation of CSDF", DAC 2016, theorems
// 2 and 4, and algorithm 1 (K-Iter). Cycle ratios are exact (cycle_ratio.h), so that there is no tolerance
// anywhere.

#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/csdf/cycle_ratio.h"

namespace sluice::inline csdf {

/// One firing on the cycle that decides.
struct CriticalFiring {
  std::size_t actor = 0;
  std::size_t phase = 0;               ///< from 0
  std::int64_t round = 0;              ///< from 0, among those that repeat together
  std::optional<std::size_t> channel;  ///< by which the next one waits for it; absent: it is the actor's next
};

struct CsdfThroughput {
  Repetition repetition;
  bool live = false;  ///< it runs for ever; never true where the repetition is not consistent
  /// Of one iteration, in time units; 0: no cycle bounds it, firings may all overlap. Absent: it is not live.
  std::optional<Rational> period;
  std::vector<CriticalFiring> critical;  ///< the cycle that bounds the period, or on which all wait for ever
  std::size_t solved = 0;                ///< graphs of events
};

/// Iterations in a time unit, of the period of one; absent where there is no bound. 0 if it is not live.
std::optional<Rational> throughputOf(const std::optional<Rational>& period);

/// The throughput of one graph with different numbers of tokens, one after the other: each answer begins with
/// the rounds and the times of the last, and is the same as without.
class CsdfSolver {
 public:
  explicit CsdfSolver(CsdfGraph graph) : graph_(std::move(graph)) {}

  void setTokens(std::size_t channel, std::int64_t tokens) { graph_.channels[channel].tokens = tokens; }
  const CsdfGraph& graph() const { return graph_; }
  /// Errors as of csdfThroughput().
  Result<CsdfThroughput> solve(const std::stop_token& stop = {});

 private:
  CsdfGraph graph_;
  std::optional<Repetition> repetition_;
  std::vector<std::int64_t> rounds_;  ///< K of each actor
  RatioStart start_;
};

/// Errors: "overflow", "too-many" where an exact answer needs more events than memory should hold,
/// "cancelled".
Result<CsdfThroughput> csdfThroughput(const CsdfGraph& graph, const std::stop_token& stop = {});

}  // namespace sluice::inline csdf
