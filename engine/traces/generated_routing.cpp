#include "engine/traces/generated_routing.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "engine/interchange/numpy.h"
#include "engine/traces/draws.h"

namespace sluice::inline traces {
namespace {

struct Sizes {
  std::size_t tokens, experts, top_k;
};

double variation(const std::vector<double>& counts) {
  double sum = 0, squares = 0;
  for (const double count : counts) sum += count;
  const double mean = sum / static_cast<double>(counts.size());
  for (const double count : counts) squares += (count - mean) * (count - mean);
  return mean > 0 ? std::sqrt(squares / static_cast<double>(counts.size())) / mean : 0;
}

Result<Sizes> sizesOf(const TraceRequest& request) {
  const Input& input = request.input;
  const auto missing = [&](const char* what) {
    return error(
        "missing-value", request.place, std::string("how many ") + what + " is not said",
        "give tokens, experts and top_k with the input, or behind the set: tokens=64,experts=8,top_k=2");
  };
  if (input.tokens < 1) return missing("tokens a trace has");
  if (input.experts < 1) return missing("experts there are");
  if (input.top_k < 1) return missing("experts a token goes to");
  if (input.top_k > input.experts) {
    return error("input-value", request.place,
                 "each token goes to " + std::to_string(input.top_k) + " different experts of " +
                     std::to_string(input.experts),
                 "lower top_k or add experts");
  }
  return Sizes{static_cast<std::size_t>(input.tokens), static_cast<std::size_t>(input.experts),
               static_cast<std::size_t>(input.top_k)};
}

/// The skew that the traces are to have; absent: none is asked for.
Result<std::optional<double>> wantedSkew(const TraceRequest& request) {
  const TraceOptions& options = request.options;
  if (options.has("skew")) return std::optional(options.real("skew", 0));
  if (options.has("like")) {
    const std::filesystem::path file = request.folder / options.text("like");
    SLUICE_TRY(const IntTensor trace, loadNumpy(file));
    const auto [least, most] = std::minmax_element(trace.data.begin(), trace.data.end());
    if (trace.data.empty() || *least < 0 || *most >= request.input.experts) {
      return error("trace-mismatch", request.place / Location(Where::File, file.string()),
                   "it is no routing among " + std::to_string(request.input.experts) + " experts",
                   "name a trace of a model with as many experts");
    }
    return std::optional(skewOf(trace, request.input.experts));
  }
  if (request.input.counts.empty()) return std::optional<double>();
  return std::optional(variation({request.input.counts.begin(), request.input.counts.end()}));
}

IntTensor drawn(const Sizes& sizes, const RoutingModel& model, double parameter, std::uint64_t seed,
                std::uint64_t number) {
  SplitMix64 random = streamOf(seed, number);
  return drawRouting(sizes.tokens, sizes.top_k, model.popularity(parameter, sizes.experts, seed, number),
                     random);
}

/// The mean skew of some traces, always of the same random numbers, so that it changes evenly with the
/// parameter.
double meanSkew(const Sizes& sizes, const RoutingModel& model, double parameter) {
  constexpr std::size_t most_draws = 1 << 19, most = 128, least = 4;
  const std::size_t trials = std::clamp(most_draws / (sizes.tokens * sizes.experts + 1), least, most);
  double sum = 0;
  for (std::size_t i = 0; i < trials; ++i)
    sum += skewOf(drawn(sizes, model, parameter, 0x9e3779b9, i), static_cast<std::int64_t>(sizes.experts));
  return sum / static_cast<double>(trials);
}

/// Halves the range of the parameter until its skew is known well enough for any set of traces.
double parameterOf(double skew, const Sizes& sizes, const RoutingModel& model) {
  const auto scaled = [&](double value) { return model.logarithmic ? std::log(value) : value; };
  double even = scaled(model.even), uneven = scaled(model.uneven);
  for (int round = 0; round < 24; ++round) {
    const double middle = (even + uneven) / 2;
    const double there = meanSkew(sizes, model, model.logarithmic ? std::exp(middle) : middle);
    (there < skew ? even : uneven) = middle;
  }
  return model.logarithmic ? std::exp(even) : even;
}

/// A skew that was asked for by its number, where no parameter gives it: chance makes routings of few tokens
/// uneven, and a token goes to different experts.
std::optional<Diagnostic> outOfReach(const TraceRequest& request, const RoutingModel& model,
                                     const Sizes& sizes, double skew) {
  constexpr double tolerance = 0.08;  // to which sets meet it
  const double least = meanSkew(sizes, model, model.even), most = meanSkew(sizes, model, model.uneven);
  if (skew >= (1 - tolerance) * least && skew <= (1 + tolerance) * most) return std::nullopt;
  std::ostringstream range;
  range << std::setprecision(2) << least << " to " << most;
  return error("out-of-range", request.place,
               "no such routing of " + std::to_string(sizes.tokens) + " tokens to " +
                   std::to_string(sizes.top_k) + " of " + std::to_string(sizes.experts) +
                   " experts has that skew on average: they have " + range.str(),
               "give a skew in that range");
}

Result<double> parameter(const TraceRequest& request, const RoutingModel& model, const Sizes& sizes) {
  const TraceOptions& options = request.options;
  const int given =
      (options.has(model.parameter) ? 1 : 0) + (options.has("skew") ? 1 : 0) + (options.has("like") ? 1 : 0);
  if (given > 1) {
    return error("conflicting-options", request.place, "its skew is given more than once",
                 "give one of " + std::string(model.parameter) + ", skew and like");
  }
  if (options.has(model.parameter)) return options.real(model.parameter, model.even);
  SLUICE_TRY(const std::optional<double> skew, wantedSkew(request));
  if (skew && options.has("skew"))
    if (auto wrong = outOfReach(request, model, sizes, *skew)) return *std::move(wrong);
  if (skew) return parameterOf(*skew, sizes, model);
  return error("missing-value", request.place, "nothing says how skewed the routing is",
               "give " + std::string(model.parameter) +
                   "=NUMBER, skew=NUMBER (deviation over mean of the tokens of an expert), or like=FILE.npz");
}

}  // namespace

double skewOf(const IntTensor& routing, std::int64_t experts) {
  std::vector<double> counts(static_cast<std::size_t>(experts));
  for (const std::int64_t expert : routing.data) counts[static_cast<std::size_t>(expert)] += 1;
  return variation(counts);
}

std::vector<TraceOption> routingOptions(std::vector<TraceOption> own) {
  own.push_back({"seed", "of the random numbers (1)", OptionKind::Whole, 0, 0x1p53});
  own.push_back({"skew", "deviation over mean of the tokens of an expert that traces have on average",
                 OptionKind::Real, 0, 1000});
  own.push_back({"like", "a NumPy trace whose skew they have on average", OptionKind::Text});
  return own;
}

Result<TraceSet> generateRouting(const TraceRequest& request, const RoutingModel& model,
                                 std::uint64_t count) {
  SLUICE_TRY(const Sizes sizes, sizesOf(request));
  if (count > most_traces || sizes.tokens * sizes.top_k > most_trace_values / count) {
    return error("too-many", request.place,
                 std::to_string(count) + " traces of " + std::to_string(sizes.tokens) +
                     " tokens hold more than " + std::to_string(most_trace_values) + " values",
                 "ask for fewer traces");
  }
  SLUICE_TRY(const double at, parameter(request, model, sizes));
  const auto seed = static_cast<std::uint64_t>(request.options.whole("seed", 1));
  TraceSet set;
  for (std::uint64_t number = 0; number < count; ++number) {
    std::string name =
        model.named ? model.named(number) : std::string(model.name) + " " + std::to_string(number);
    set.traces.push_back({std::move(name), number, drawn(sizes, model, at, seed, number)});
  }
  return set;
}

}  // namespace sluice::inline traces
