// A plug-in with an operator, Delay, a search strategy, evenly, and a metric, hops_per_cycle.

#include <algorithm>

#include "engine/operators/operator.h"
#include "engine/plugins/plugin.h"

namespace {

using namespace sluice;

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  return std::vector<StreamType>{t.in(0)};
}

simulator::Process pass(simulator::Context& me, std::uint64_t cycles) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.advance(cycles);
    co_await me.push(me.out(0), x);
    me.take(me.in(0));
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return pass(me, instance.count("cycles"));
}

const Operator& delay() {
  static const Operator definition{
      .spec =
          {
              .kind = "Delay",
              .category = "Shape",
              .summary = "Holds every token for some cycles.",
              .paper = "an example",
              .parameters = {integerParameter("cycles", "how long a token is held", {0, 1'000'000}, {},
                                              "cycles")},
              .inputs = {{"in", "", "any stream"}},
              .outputs = {{"out", "", "the same, later"}},
              .rules = {.shape = "The shape of in.",
                        .cost = "On chip: the FIFOs on both sides, where FIFOs are counted.",
                        .timing = "`cycles` for each token."},
          },
      .shape = shape,
      .cost = passingCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = mappedRates,
  };
  return definition;
}

/// As many points as the budget has, at equal distances in the order of the design space.
void searchEvenly(SearchContext& context) {
  const std::uint64_t count = std::min(context.left(), context.size());
  std::vector<std::uint64_t> points;
  for (std::uint64_t i = 0; i < count; ++i) points.push_back(i * (context.size() / count));
  context.evaluate(points);
}

const MetricSpec& hopsPerCycle() {
  static const MetricSpec spec{
      .name = "hops_per_cycle",
      .title = "Hops per cycle",
      .short_title = "Hops/cycle",
      .column = "hops/cycle",
      .unit = "tokens/cycle",
      .kind = MetricKind::Ratio,
      .smaller_is_better = false,
      .prominence = Prominence::Headline,
      .derived =
          [](const Metrics& counts, const SymbolicResult&) {
            return static_cast<double>(counts.token_hops) /
                   static_cast<double>(std::max<Cycles>(counts.cycles, 1));
          },
  };
  return spec;
}

Extension extension() {
  return {.operators = {&delay()},
          .strategies = {{"evenly", "points at equal distances", false, searchEvenly}},
          .metrics = {&hopsPerCycle()}};
}

}  // namespace

SLUICE_PLUGIN(extension())
