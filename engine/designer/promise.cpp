#include "engine/designer/promise.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice::inline designer {

std::string Promise::bestOf(const Moves& moves) const {
  constexpr double exploration = 0.4;  // UCB1's factor
  const auto promise = [&](const std::string& kind) {
    const auto found = kinds_.find(kind);
    // A new step is tried at once; of another change of one it is known what the step is good for.
    if (found == kinds_.end())
      return kind.starts_with("add ") ? std::numeric_limits<double>::infinity() : 1.0;
    return moves.most(kind, ofKind(kind)) +
           std::sqrt(exploration * std::log(static_cast<double>(all_made_ + 1)) /
                     static_cast<double>(found->second.made));
  };
  const std::vector<std::string> kinds = moves.kinds();
  return *std::ranges::max_element(kinds, {}, promise);
}

std::function<double(const StepEdit&)> Promise::ofKind(const std::string& kind) const {
  const auto of_kind = kinds_.find(kind);
  const double expected = of_kind == kinds_.end() ? 1.0 : of_kind->second.share();
  return [this, expected](const StepEdit& edit) {
    constexpr double weight_of_kind = 2;
    const auto found = steps_.find(edit.key);
    const Record record = found == steps_.end() ? Record{} : found->second;
    return (static_cast<double>(record.gained) + weight_of_kind * expected) /
           (static_cast<double>(record.made) + weight_of_kind);
  };
}

void Promise::made(const std::string& kind, StepKey step) {
  ++kinds_[kind].made;
  ++steps_[step].made;
  ++all_made_;
}

void Promise::gained(const std::string& kind, StepKey step) {
  ++kinds_[kind].gained;
  ++steps_[step].gained;
}

void Promise::ran(const std::string& kind, std::span<const double> expected, std::span<const double> found) {
  Surprise& surprise = surprises_[kind];
  surprise.factors.resize(objectives_, 1);
  ++surprise.runs;
  for (std::size_t k = 0; k < found.size(); ++k)
    if (found[k] / expected[k] < surprise.factors[k]) surprise.factors[k] = found[k] / expected[k];
}

std::vector<double> Promise::atBest(const std::string& kind, std::vector<double> expected) const {
  constexpr std::uint64_t least_runs = 2;
  const auto surprise = surprises_.find(kind);
  const bool known = surprise != surprises_.end() && surprise->second.runs >= least_runs;
  for (std::size_t k = 0; k < expected.size(); ++k)
    expected[k] = known ? expected[k] * surprise->second.factors[k] : std::nan("");
  return expected;
}

}  // namespace sluice::inline designer
