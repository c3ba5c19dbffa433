// zipf: the r-th most popular expert is as popular as r to the power of -exponent. Which expert is popular is
// drawn anew for each trace, as it changes from layer to layer.

#include <cmath>
#include <numeric>

#include "engine/traces/draws.h"
#include "engine/traces/generated_routing.h"

namespace sluice::inline traces::sources::zipf {
namespace {

std::vector<double> popularity(double exponent, std::size_t experts, std::uint64_t seed,
                               std::uint64_t number) {
  std::vector<std::size_t> ranks(experts);
  std::iota(ranks.begin(), ranks.end(), std::size_t{1});
  SplitMix64 random = streamOf(~seed, number);
  random.shuffle(std::span(ranks));
  std::vector<double> logs;
  for (const std::size_t rank : ranks) logs.push_back(-exponent * std::log(static_cast<double>(rank)));
  return logs;
}

Result<TraceSet> make(const TraceRequest& request) {
  const RoutingModel model{"zipf", "exponent", 0, 8, false, popularity};
  return generateRouting(request, model, static_cast<std::uint64_t>(request.options.whole("count", 100)));
}

}  // namespace

const TraceSource& definition() {
  static const TraceSource source{
      .name = "zipf",
      .summary = "routing among experts whose popularity falls with a power of their rank",
      .kinds = {InputKind::Routing},
      .options = routingOptions({{"count", "traces (100)", OptionKind::Whole, 1, most_traces},
                                 {"exponent", "0: all experts alike", OptionKind::Real, 0, 8}}),
      .make = make,
  };
  return source;
}

}  // namespace sluice::inline traces::sources::zipf
