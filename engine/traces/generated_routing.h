#pragma once
// What generators of routings share: sizes, seeds, names, and the parameter that gives a measured skew.

#include <functional>

#include "engine/traces/trace_source.h"

namespace sluice::inline traces {

/// The skew of a routing: the coefficient of variation of the tokens that the experts get, 0 where all get
/// the same.
double skewOf(const IntTensor& routing, std::int64_t experts);

/// A family of popularities with one parameter that makes them more, or less, even.
struct RoutingModel {
  std::string_view name;       ///< of the source, and of its traces
  std::string_view parameter;  ///< the option that gives it
  double even, uneven;         ///< the parameter where all experts are alike, and where it ends
  bool logarithmic = false;    ///< searched for by its logarithm
  /// The logarithms of the popularity of `experts` for the number-th trace of a seed.
  std::function<std::vector<double>(double parameter, std::size_t experts, std::uint64_t seed,
                                    std::uint64_t number)>
      popularity;
  /// "zipf 17" where it is empty.
  std::function<std::string(std::uint64_t number)> named = {};
};

/// Options of every such source: count, seed, skew, like.
std::vector<TraceOption> routingOptions(std::vector<TraceOption> own);

/// `count` traces. The parameter is the option of its name; or that which gives the skew of the option
/// `skew`, of the file `like`, or of the counts in the document, on average over traces made for the purpose.
Result<TraceSet> generateRouting(const TraceRequest& request, const RoutingModel& model, std::uint64_t count);

}  // namespace sluice::inline traces
