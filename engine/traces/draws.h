#pragma once
// Random draws that generators of traces are made of. The same seed gives the same traces.

#include <span>

#include "engine/core/int_tensor.h"
#include "engine/core/random.h"

namespace sluice::inline traces {

/// Numbers for the number-th trace of a set: what it draws does not change with how many others there are.
SplitMix64 streamOf(std::uint64_t seed, std::uint64_t number);
/// Between 0 and 1, neither of them.
double uniformDraw(SplitMix64& random);
double normalDraw(SplitMix64& random);
/// The logarithm of a gamma variable of that shape and scale 1 (Marsaglia and Tsang 2000): small shapes give
/// numbers that are no doubles themselves.
double logGammaDraw(SplitMix64& random, double shape);
/// [tokens, top_k]: each token draws different experts, one after the other, each time in proportion to the
/// popularity of those that are left. `log_popularity` holds a logarithm for each expert, not below top_k of
/// them.
IntTensor drawRouting(std::size_t tokens, std::size_t top_k, std::span<const double> log_popularity,
                      SplitMix64& random);

}  // namespace sluice::inline traces
