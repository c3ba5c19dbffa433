#include "engine/distributions/expert_loads.h"

#include <algorithm>
#include <limits>

namespace sluice::inline distributions {
namespace {

std::vector<LoadSpread> fresh(std::size_t experts) {
  return std::vector<LoadSpread>(experts, {0, std::numeric_limits<double>::infinity(), 0});
}

void add(std::vector<LoadSpread>& spreads, const std::vector<double>& tokens, std::size_t traces) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    spreads[i].mean += tokens[i] / static_cast<double>(traces);
    spreads[i].least = std::min(spreads[i].least, tokens[i]);
    spreads[i].most = std::max(spreads[i].most, tokens[i]);
  }
}

}  // namespace

std::optional<ExpertLoads> expertLoads(const WorkloadSet& set) {
  if (set.empty()) return std::nullopt;
  const InputSet& inputs = set.traces.front().inputs;
  const auto routing =
      std::ranges::find_if(inputs, [](const auto& input) { return input.second.kind == InputKind::Routing; });
  if (routing == inputs.end()) return std::nullopt;
  const auto experts = static_cast<std::size_t>(routing->second.experts);
  ExpertLoads loads{routing->first, fresh(experts), fresh(experts), {}};
  for (std::size_t trace = 0; trace < set.traces.size(); ++trace) {
    std::vector<double> tokens(experts);
    for (const std::int64_t expert : set.traces[trace].inputs.at(routing->first).tensor.data)
      tokens[static_cast<std::size_t>(expert)] += 1;
    if (trace == set.chosen) loads.chosen = tokens;
    add(loads.by_expert, tokens, set.traces.size());
    std::ranges::sort(tokens, std::greater<>());
    add(loads.by_rank, tokens, set.traces.size());
  }
  return loads;
}

}  // namespace sluice::inline distributions
