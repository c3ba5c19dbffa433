#pragma once
// Converters that may be one: several consumers of one value that want the same stream share a converter, and
// a fork behind it.

#include <vector>

#include "engine/itensor/itensor.h"

namespace sluice::inline itensor {

/// A consumer that reads value `source` (any numbering) as stream `result`.
struct ConverterUse {
  std::size_t source = 0;
  ITensor result;
};

/// The uses that one converter serves, in ascending order; groups in the order of their first use.
using ConverterGroup = std::vector<std::size_t>;

std::vector<ConverterGroup> shareConverters(std::span<const ConverterUse> uses);

}  // namespace sluice::inline itensor
