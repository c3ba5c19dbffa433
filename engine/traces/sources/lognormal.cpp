// lognormal: lengths of independent requests, log-normal as those of chats are, rounded and kept within
// bounds.

#include <algorithm>
#include <cmath>

#include "engine/interchange/numpy.h"
#include "engine/traces/cut.h"
#include "engine/traces/draws.h"
#include "engine/traces/trace_source.h"

namespace sluice::inline traces::sources::lognormal {
namespace {

struct Moments {
  double mean = 0, deviation = 0;
};

Result<Moments> momentsOf(const TraceRequest& request) {
  const TraceOptions& options = request.options;
  if (!options.has("like")) {
    if (options.has("mean") && options.has("deviation"))
      return Moments{options.real("mean", 1), options.real("deviation", 0)};
    return error("missing-value", request.place, "the mean or the deviation of the lengths is not said",
                 "give mean=1500,deviation=800, or like=FILE.npy");
  }
  if (options.has("mean") || options.has("deviation"))
    return error("conflicting-options", request.place,
                 "mean and deviation are given, and a file that has both", "give one of them");
  const std::filesystem::path file = request.folder / options.text("like");
  SLUICE_TRY(const IntTensor lengths, loadNumpy(file));
  Moments moments;
  for (const std::int64_t length : lengths.data)
    moments.mean += static_cast<double>(length) / static_cast<double>(lengths.data.size());
  for (const std::int64_t length : lengths.data)
    moments.deviation +=
        std::pow(static_cast<double>(length) - moments.mean, 2) / static_cast<double>(lengths.data.size());
  moments.deviation = std::sqrt(moments.deviation);
  if (moments.mean > 0) return moments;
  return error("trace-mismatch", request.place / Location(Where::File, file.string()),
               "its lengths have no mean above 0", "name a file of lengths");
}

Result<TraceSet> make(const TraceRequest& request) {
  const TraceOptions& options = request.options;
  SLUICE_TRY(const Moments moments, momentsOf(request));
  SLUICE_TRY(const std::int64_t requests, batchOf(request));
  const auto batch = static_cast<std::size_t>(requests);
  const auto count = static_cast<std::size_t>(options.whole("count", 100));
  if (batch > most_trace_values / count)
    return error("too-many", request.place, "so many traces and requests fit nowhere", "ask for fewer");
  const double least = static_cast<double>(options.whole("least", 1));
  const double most = options.has("most") ? static_cast<double>(options.whole("most", 1)) : 0x1p53;
  if (least > most)
    return error("out-of-range", request.place, "the least length is above the most",
                 "give least=1,most=4096");
  const double variance = std::log1p(std::pow(moments.deviation / moments.mean, 2));
  const double middle = std::log(moments.mean) - variance / 2;
  TraceSet set;
  for (std::size_t number = 0; number < count; ++number) {
    SplitMix64 random = streamOf(static_cast<std::uint64_t>(options.whole("seed", 1)), number);
    IntTensor lengths{{batch}, {}};
    for (std::size_t i = 0; i < batch; ++i) {
      const double length = std::exp(middle + std::sqrt(variance) * normalDraw(random));
      lengths.data.push_back(std::llround(std::clamp(length, least, most)));
    }
    set.traces.push_back({"lognormal " + std::to_string(number), number, std::move(lengths)});
  }
  return set;
}

}  // namespace

const TraceSource& definition() {
  static const TraceSource source{
      .name = "lognormal",
      .summary = "lengths of independent requests with log-normal distribution",
      .kinds = {InputKind::Lengths},
      .options = {{"count", "traces (100)", OptionKind::Whole, 1, most_traces},
                  {"seed", "of the random numbers (1)", OptionKind::Whole, 0, 0x1p53},
                  {"batch", "requests a trace; as many as the document's own lengths", OptionKind::Whole, 1,
                   1 << 26},
                  {"mean", "of the lengths, before bounds", OptionKind::Real, 1e-3, 1e9},
                  {"deviation", "of the lengths, before bounds", OptionKind::Real, 0, 1e9},
                  {"like", "a NumPy file whose mean and deviation they have", OptionKind::Text},
                  {"least", "shorter ones are made so long (1)", OptionKind::Whole, 0, 0x1p53},
                  {"most", "longer ones are made so short", OptionKind::Whole, 0, 0x1p53}},
      .make = make,
  };
  return source;
}

}  // namespace sluice::inline traces::sources::lognormal
