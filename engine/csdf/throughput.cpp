// K-Iter: K is raised along critical cycles until one is known to be that of every schedule.

#include "engine/csdf/throughput.h"

#include <algorithm>
#include <numeric>

#include "engine/core/cancelled.h"
#include "engine/csdf/event_graph.h"
#include "engine/csdf/self_timed.h"

namespace sluice::inline csdf {
namespace {

/// Raises K of the actors on a cycle to what makes the cycle exact; false: it is exact already.
bool raise(std::vector<std::int64_t>& rounds, const std::vector<std::size_t>& actors,
           const Repetition& repetition) {
  std::int64_t common = 0;
  for (const std::size_t actor : actors) common = std::gcd(common, repetition.of_actor[actor]);
  bool raised = false;
  for (const std::size_t actor : actors) {
    // Both divide the rounds in an iteration, and so does their least common multiple.
    const std::int64_t wanted = std::lcm(rounds[actor], repetition.of_actor[actor] / common);
    raised = raised || wanted != rounds[actor];
    rounds[actor] = wanted;
  }
  return raised;
}

std::vector<CriticalFiring> firingsOf(const MaximumCycle& cycle, const EventGraph& events,
                                      const CsdfGraph& graph) {
  std::vector<CriticalFiring> firings;
  for (const std::size_t index : cycle.edges) {
    const RatioEdge& edge = events.edges()[index];
    const std::size_t actor = events.actorOf(edge.from), firing = events.firingOf(edge.from),
                      phases = graph.actors[actor].phases();
    firings.push_back({actor, firing % phases, static_cast<std::int64_t>(firing / phases), {}});
    if (edge.channel >= 0) firings.back().channel = static_cast<std::size_t>(edge.channel);
  }
  return firings;
}

/// The times of events where more rounds repeat together: those of each further round are a period later.
std::vector<double> unrolled(const std::vector<double>& times, const std::vector<std::int64_t>& before,
                             const std::vector<std::int64_t>& rounds, const MaximumCycle& cycle,
                             const CsdfGraph& graph, const Repetition& repetition) {
  if (times.empty() || cycle.impossible) return {};
  std::vector<double> all;
  std::size_t first = 0;
  for (std::size_t actor = 0; actor < rounds.size(); ++actor) {
    const std::size_t count = static_cast<std::size_t>(before[actor]) * graph.actors[actor].phases();
    const double period = cycle.ratio.value() * static_cast<double>(before[actor]) /
                          static_cast<double>(repetition.of_actor[actor]);
    for (std::int64_t copy = 0; copy < rounds[actor] / before[actor]; ++copy)
      for (std::size_t i = 0; i < count; ++i)
        all.push_back(times[first + i] + period * static_cast<double>(copy));
    first += count;
  }
  return all;
}

Diagnostic tooManyEvents(const CsdfGraph& graph) {
  return error("too-many", Location("graph '" + graph.name + "'"),
               "its exact throughput needs a schedule of more than " +
                   std::to_string(EventGraph::most_events) + " events or " +
                   std::to_string(EventGraph::most_edges) + " dependencies",
               "choose rates that have more in common, so that fewer firings make an iteration");
}

/// Phases that happen once may deadlock before the others begin: two iterations are fired without times.
Result<bool> beginsWell(const CsdfGraph& graph, const Repetition& repetition, const std::stop_token& stop) {
  const bool once =
      std::ranges::any_of(graph.actors, [](const CsdfActor& actor) { return !actor.initial_times.empty(); });
  if (!once) return true;
  SelfTimedExecution execution(graph, repetition);
  return execution.iterate(2, stop);
}

Result<CsdfThroughput> withCycle(CsdfThroughput answer, const std::optional<MaximumCycle>& cycle,
                                 const CsdfGraph& graph) {
  answer.live = !cycle || !cycle->impossible;
  if (!answer.live) return answer;
  const Rational ratio = cycle ? cycle->ratio : Rational{};
  const std::int64_t divisor = std::gcd(ratio.numerator, graph.times_per_unit);
  std::int64_t denominator = 0;
  if (__builtin_mul_overflow(ratio.denominator, graph.times_per_unit / divisor, &denominator))
    return csdfOverflow(graph, "the period of an iteration");
  answer.period = Rational{ratio.numerator / divisor, denominator};
  return answer;
}

}  // namespace

std::optional<Rational> throughputOf(const std::optional<Rational>& period) {
  if (!period) return Rational{};
  if (period->numerator == 0) return std::nullopt;
  return Rational{period->denominator, period->numerator};
}

Result<CsdfThroughput> CsdfSolver::solve(const std::stop_token& stop) {
  CsdfThroughput answer;
  if (!repetition_) {
    SLUICE_TRY(repetition_, repetitionVector(graph_));
    rounds_.assign(graph_.actors.size(), 1);
  }
  answer.repetition = *repetition_;
  if (!answer.repetition.consistent) return answer;
  SLUICE_TRY(const bool begins, beginsWell(graph_, answer.repetition, stop));
  if (!begins) return answer;
  while (true) {
    const EventGraph events(graph_, answer.repetition, rounds_);
    if (events.tooLarge()) return tooManyEvents(graph_);
    const CycleSearch search = maximumCycleRatio(events.events(), events.edges(), start_, stop);
    if (search.stopped) return cancelledDiagnostic();
    if (search.overflow) return csdfOverflow(graph_, "the lengths of its cycles");
    ++answer.solved;
    answer.critical.clear();
    if (!search.cycle) return withCycle(std::move(answer), {}, graph_);
    answer.critical = firingsOf(*search.cycle, events, graph_);
    std::vector<std::size_t> actors;
    for (const CriticalFiring& firing : answer.critical) actors.push_back(firing.actor);
    const std::vector<std::int64_t> before = rounds_;
    if (!raise(rounds_, actors, answer.repetition)) return withCycle(std::move(answer), search.cycle, graph_);
    start_.potentials =
        unrolled(start_.potentials, before, rounds_, *search.cycle, graph_, answer.repetition);
  }
}

Result<CsdfThroughput> csdfThroughput(const CsdfGraph& graph, const std::stop_token& stop) {
  return CsdfSolver(graph).solve(stop);
}

}  // namespace sluice::inline csdf
