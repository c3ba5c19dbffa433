// dirichlet: the popularities of a trace are drawn from a symmetric Dirichlet distribution. A small
// concentration gives few experts most of the tokens, a large one all the same.

#include "engine/traces/draws.h"
#include "engine/traces/generated_routing.h"

namespace sluice::inline traces::sources::dirichlet {
namespace {

constexpr double even = 1e6, uneven = 1e-3;

std::vector<double> popularity(double concentration, std::size_t experts, std::uint64_t seed,
                               std::uint64_t number) {
  SplitMix64 random = streamOf(~seed, number);
  std::vector<double> logs;
  for (std::size_t expert = 0; expert < experts; ++expert)
    logs.push_back(logGammaDraw(random, concentration));
  return logs;
}

Result<TraceSet> make(const TraceRequest& request) {
  const RoutingModel model{"dirichlet", "concentration", even, uneven, true, popularity};
  return generateRouting(request, model, static_cast<std::uint64_t>(request.options.whole("count", 100)));
}

}  // namespace

const TraceSource& definition() {
  static const TraceSource source{
      .name = "dirichlet",
      .summary =
          "routing among experts whose popularity is drawn from a Dirichlet distribution for each trace",
      .kinds = {InputKind::Routing},
      .options = routingOptions(
          {{"count", "traces (100)", OptionKind::Whole, 1, most_traces},
           {"concentration", "of each expert; small: few get most", OptionKind::Real, uneven, even}}),
      .make = make,
  };
  return source;
}

}  // namespace sluice::inline traces::sources::dirichlet
