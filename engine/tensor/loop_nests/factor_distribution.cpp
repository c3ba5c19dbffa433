#include "engine/tensor/loop_nests/factor_distribution.h"

#include <algorithm>
#include <tuple>

namespace sluice::inline tensor {
namespace {

/// Ascending.
std::vector<std::int64_t> divisorsOf(std::int64_t extent, UnrollFactors allowed) {
  std::vector<std::int64_t> factors;
  if (allowed == UnrollFactors::PowersOfTwo) {
    for (std::int64_t factor = 2; extent % factor == 0; factor *= 2) factors.push_back(factor);
    return factors;
  }
  for (std::int64_t low = 1; low <= extent / low; ++low) {
    if (extent % low != 0) continue;
    if (low > 1) factors.push_back(low);
    if (const std::int64_t high = extent / low; high > low) factors.push_back(high);
  }
  std::sort(factors.begin(), factors.end());
  return factors;
}

bool divides(std::int64_t factor, const Ratio& constraint) {
  return constraint.denominator == 1 && constraint.numerator % factor == 0;
}

}  // namespace

bool mutuallyDivisible(std::int64_t factor, const Ratio& constraint) {
  // constraint = n/d in lowest terms divides the factor where factor * d / n is whole.
  return divides(factor, constraint) || factor % constraint.numerator == 0;
}

FactorDistribution::FactorDistribution(std::vector<NestLoop> loops, Constraints constraints,
                                       UnrollFactors allowed)
    : loops_(std::move(loops)), constraints_(std::move(constraints)) {
  for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
    std::vector<std::int64_t> factors = divisorsOf(loops_[loop].extent, allowed);
    std::erase_if(factors, [&](std::int64_t factor) { return !isLegal(loop, factor); });
    legal_.push_back(std::move(factors));
  }
}

bool FactorDistribution::isLegal(std::size_t loop, std::int64_t factor) const {
  return loops_[loop].extent % factor == 0 &&
         std::all_of(constraints_.begin(), constraints_.end(), [&](const std::vector<Ratio>& constraint) {
           return mutuallyDivisible(factor, constraint[loop]);
         });
}

std::optional<Growth> FactorDistribution::grow(std::span<const std::int64_t> factors,
                                               std::int64_t target) const {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) product *= factor;
  // Reductions last; then what needs no further bank; then the smaller growth, the smaller factor, the inner
  // loop.
  using Key = std::tuple<bool, bool, Ratio, std::int64_t>;
  const auto before = [](const Key& a, const Key& b) {
    const auto& [reduction_a, banks_a, growth_a, factor_a] = a;
    const auto& [reduction_b, banks_b, growth_b, factor_b] = b;
    const std::int64_t left = growth_a.numerator * growth_b.denominator;
    const std::int64_t right = growth_b.numerator * growth_a.denominator;
    return std::tuple(reduction_a, banks_a, left, factor_a) <
           std::tuple(reduction_b, banks_b, right, factor_b);
  };
  std::optional<Growth> best;
  Key best_key;
  for (std::size_t loop = loops_.size(); loop-- > 0;) {
    const auto next = std::upper_bound(legal_[loop].begin(), legal_[loop].end(), factors[loop]);
    if (next == legal_[loop].end() || *next > target / (product / factors[loop])) continue;
    const bool further_banks =
        std::any_of(constraints_.begin(), constraints_.end(),
                    [&](const std::vector<Ratio>& constraint) { return !divides(*next, constraint[loop]); });
    const Key key{loops_[loop].kind == LoopKind::Reduction, further_banks, ratio(*next, factors[loop]),
                  factors[loop]};
    if (best && !before(key, best_key)) continue;
    best = Growth{loop, *next};
    best_key = key;
  }
  return best;
}

std::vector<std::int64_t> FactorDistribution::distribute(std::int64_t target) const {
  std::vector<std::int64_t> factors(loops_.size(), 1);
  while (const std::optional<Growth> growth = grow(factors, target)) factors[growth->loop] = growth->factor;
  return factors;
}

}  // namespace sluice::inline tensor
