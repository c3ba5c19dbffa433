#pragma once
// Synchronous and cyclo-static dataflow graphs (SDF: Lee and Messerschmitt 1987; CSDF: Bilsen et al. 1996) as
// values, and their repetition vector.
//
// An actor goes round its phases. A firing takes the tokens of its phase from every input when it starts,
// lasts the phase's execution time, and gives its tokens to every output when it ends. Firings of one actor
// start in order, and may overlap unless a channel from the actor to itself says otherwise; channels are
// first in, first out, so a firing waits for the tokens that it takes, not for as many others.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace sluice::inline csdf {

/// A fraction in lowest terms; the denominator is positive.
struct Rational {
  std::int64_t numerator = 0, denominator = 1;

  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  bool operator==(const Rational&) const = default;
};

/// In lowest terms; the denominator is positive.
Rational lowest(std::int64_t numerator, std::int64_t denominator);
/// "23", "3/2".
std::string text(const Rational& rational);

struct CsdfActor {
  std::string name;
  std::vector<std::int64_t> times;          ///< of each phase, in 1 / CsdfGraph::times_per_unit time units
  std::vector<std::int64_t> initial_times;  ///< of phases that happen once, before the others

  std::size_t phases() const { return times.size(); }
};

struct CsdfChannel {
  std::string name;
  std::size_t from = 0, to = 0;                                       ///< actors
  std::vector<std::int64_t> production;                               ///< tokens, by phase of `from`
  std::vector<std::int64_t> consumption;                              ///< tokens, by phase of `to`
  std::vector<std::int64_t> initial_production, initial_consumption;  ///< by initial phase
  std::int64_t tokens = 0;                                            ///< before the first firing
};

struct CsdfGraph {
  std::string name;
  std::vector<CsdfActor> actors;
  std::vector<CsdfChannel> channels;
  std::int64_t times_per_unit = 1;
};

/// Rates, tokens and times are at most this, so that sums over the phases of an actor fit.
constexpr std::int64_t most_csdf_number = 1'000'000'000'000;
/// Phases of an actor.
constexpr std::size_t most_csdf_phases = 1'000'000;

/// How often each actor goes round its phases in one iteration, after which all channels hold what they held.
struct Repetition {
  bool consistent = true;
  std::size_t conflict = 0;  ///< a channel that fills or empties for ever, if it is not consistent
  /// The channels of a cycle, whatever their direction, whose rates do not go together, in their order: the
  /// conflict is the last. It alone, where one of its ends has no rate or both are one actor.
  std::vector<std::size_t> conflict_cycle = {};
  std::vector<std::int64_t> of_actor;  ///< empty if it is not consistent
};

/// Of parts that nothing connects each begins with one firing of its first actor, as SDF3 has it. Errors:
/// "overflow", where an iteration has more firings or tokens than 63 bits count.
Result<Repetition> repetitionVector(const CsdfGraph& graph);

/// Why the repetition of a graph that is not consistent has no answer, for people: the rates of its cycle,
/// and how often its first actor would have to go round instead of once. "'a' -> 'b' (channel 'c': 2 tokens
/// given in a round, 3 taken)".
std::string inconsistencyText(const CsdfGraph& graph, const Repetition& repetition);

/// Whether a channel lets one firing of its actor begin only when the last has ended.
bool serialises(const CsdfChannel& channel);
/// Tokens that cross a channel while its producer goes round its phases once.
std::int64_t producedPerRound(const CsdfChannel& channel);
std::int64_t consumedPerRound(const CsdfChannel& channel);
/// Tokens when all initial phases are over; below 0 where they take more than there is.
std::int64_t steadyTokens(const CsdfChannel& channel);

/// The graph with each channel i bounded to capacities[i] tokens, if that is not negative: a channel back,
/// which a firing takes room from when it starts, and which gets it back when the firing that empties it
/// ends. Capacities are at least the initial tokens.
CsdfGraph withCapacities(const CsdfGraph& graph, const std::vector<std::int64_t>& capacities);

/// What numbers too large for exact arithmetic are reported as.
Diagnostic csdfOverflow(const CsdfGraph& graph, std::string what);

}  // namespace sluice::inline csdf
