#pragma once
// Options of commands that evaluate under every trace of a set.

#include "app/cli/command.h"
#include "engine/distributions/stopping.h"

namespace sluice::cli {

struct SetArguments {
  std::string precision = "0", confidence = "95 %";
};
/// --precision and --confidence.
std::vector<Option> precisionOptions(SetArguments& arguments);
Result<SamplingPrecision> precisionOf(const SetArguments& arguments);

}  // namespace sluice::cli
