#include "app/cli/set_options.h"

#include "engine/core/quantity_text.h"

namespace sluice::cli {
namespace {

Result<double> shareOf(const std::string& option, const std::string& text, double most) {
  const std::optional<double> share = parseQuantity(text, "");
  if (share && *share >= 0 && *share < most) return *share;
  return error("out-of-range", Location(Where::Option, option + " " + text), "it is no share of that size",
               "give a number from 0 to below 1, or percent: '1 %'");
}

}  // namespace

std::vector<Option> precisionOptions(SetArguments& arguments) {
  return {{"--precision",
           &arguments.precision,
           "of a set of traces: evaluate no more of them when quantiles and means are known so well, '1 %' "
           "of their "
           "value (0: all)",
           {.type = "SHARE"}},
          {"--confidence",
           &arguments.confidence,
           "with --precision: the probability that they are",
           {.type = "SHARE", .needs = "--precision"}}};
}

Result<SamplingPrecision> precisionOf(const SetArguments& arguments) {
  SamplingPrecision precision;
  SLUICE_TRY(precision.relative, shareOf("--precision", arguments.precision, 1));
  SLUICE_TRY(precision.confidence, shareOf("--confidence", arguments.confidence, 1));
  return precision;
}

}  // namespace sluice::cli
