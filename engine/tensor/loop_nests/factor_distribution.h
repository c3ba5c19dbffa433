#pragma once
// Spreading an unroll factor over the loops of a nest: parallel loops first, within the banks that neighbours
// need anyway, evenly.

#include <span>

#include "engine/tensor/loop_nests/nest_connections.h"

namespace sluice::inline tensor {

/// Which divisors of its extent a loop may be unrolled by.
enum class UnrollFactors { PowersOfTwo, Divisors };

/// Whether one divides the other, so that the banks that one needs serve the other.
bool mutuallyDivisible(std::int64_t factor, const Ratio& constraint);

/// One set of constraints per neighbour, one ratio per loop.
using Constraints = std::vector<std::vector<Ratio>>;

/// A loop and the factor that it gets next.
struct Growth {
  std::size_t loop = 0;
  std::int64_t factor = 1;
};

/// The loops that factors are spread over, and what bounds them.
class FactorDistribution {
 public:
  /// The loops' extents are the trip counts to divide: those of the nest, or of a tile of it.
  FactorDistribution(std::vector<NestLoop> loops, Constraints constraints, UnrollFactors allowed);

  std::size_t loops() const { return loops_.size(); }
  /// Divides the extent and goes with every constraint.
  bool isLegal(std::size_t loop, std::int64_t factor) const;
  /// The best single step that keeps the product of the factors within `target`.
  std::optional<Growth> grow(std::span<const std::int64_t> factors, std::int64_t target) const;
  /// Steps from all ones until none is left.
  std::vector<std::int64_t> distribute(std::int64_t target) const;

 private:
  std::vector<NestLoop> loops_;
  Constraints constraints_;
  std::vector<std::vector<std::int64_t>> legal_;  ///< per loop, ascending, without 1
};

}  // namespace sluice::inline tensor
