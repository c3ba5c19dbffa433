#pragma once
// Kernels as loop nests over arrays: loops that are parallel or reduce, affine accesses, operations. What
// tiling, unrolling and array partitioning decide upon.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace sluice::inline tensor {

enum class LoopKind { Parallel, Reduction };

struct NestLoop {
  std::string name;
  std::int64_t extent = 1;
  LoopKind kind = LoopKind::Parallel;

  bool operator==(const NestLoop&) const = default;
};

/// The index in one dimension of an array: scale * loop + offset; without a loop, the offset alone.
struct AccessIndex {
  std::optional<std::size_t> loop;
  std::int64_t scale = 1;
  std::int64_t offset = 0;

  bool operator==(const AccessIndex&) const = default;
};

/// An array that is updated in place has a reading and a writing access.
struct ArrayAccess {
  std::size_t array = 0;  ///< of the program
  bool writes = false;
  std::vector<AccessIndex> indices;  ///< one per dimension

  bool operator==(const ArrayAccess&) const = default;
};

/// Perfectly nested loops, outermost first.
struct LoopNest {
  std::string name;
  std::vector<NestLoop> loops;
  std::vector<ArrayAccess> accesses;
  std::int64_t operations = 1;  ///< per iteration of the innermost loop

  bool operator==(const LoopNest&) const = default;
};

struct NestArray {
  std::string name;
  std::vector<std::int64_t> shape;
  std::int64_t element_bits = 32;

  bool operator==(const NestArray&) const = default;
};

/// Nests in program order.
struct LoopProgram {
  std::vector<NestArray> arrays;
  std::vector<LoopNest> nests;

  bool operator==(const LoopProgram&) const = default;
};

/// Names given and unique, sizes positive and below 2^48, indices inside their arrays, and no two iterations
/// of parallel loops that write one element.
Diagnostics check(const LoopProgram& program);

// The following need a program that passes the check.

std::int64_t iterations(const LoopNest& nest);
/// All operations of the nest.
std::int64_t intensity(const LoopNest& nest);
std::int64_t elements(const NestArray& array);

}  // namespace sluice::inline tensor
