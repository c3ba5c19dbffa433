#pragma once
// How the loops of a nest that writes an array correspond to those of a nest that reads it (HIDA, table 4):
// which loops index the same dimension, and the ratio of their strides.

#include <span>

#include "engine/tensor/loop_nests/loop_nest.h"

namespace sluice::inline tensor {

/// In lowest terms, both parts positive.
struct Ratio {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;

  bool operator==(const Ratio&) const = default;
};

Ratio ratio(std::int64_t numerator, std::int64_t denominator);
/// "2", "1/2".
std::string text(const Ratio& ratio);

using LoopMap = std::vector<std::optional<std::size_t>>;
using LoopScales = std::vector<std::optional<Ratio>>;

/// Nothing where a loop indexes no dimension of the array, or one that the other nest indexes with no loop.
struct NestConnection {
  std::size_t source = 0;  ///< the nest that writes
  std::size_t target = 0;  ///< the nest that reads
  std::size_t array = 0;
  LoopMap source_loop;      ///< per loop of the target (permutation S -> T)
  LoopMap target_loop;      ///< per loop of the source (permutation T -> S)
  LoopScales source_scale;  ///< per loop of the source: its stride over that of the target (scaling S -> T)
  LoopScales target_scale;  ///< per loop of the target: its stride over that of the source (scaling T -> S)

  bool operator==(const NestConnection&) const = default;
};

/// Of every nest that writes an array with every other that reads it, once for accesses that differ by
/// constants alone. The program passes the check.
std::vector<NestConnection> connections(const LoopProgram& program);

/// What the unrolling of one side asks of each loop of the other: the factor that touches the same elements.
/// 1 where no loop corresponds.
std::vector<Ratio> constraintOn(std::size_t nest, const NestConnection& connection,
                                std::span<const std::int64_t> neighbour_unroll);

}  // namespace sluice::inline tensor
