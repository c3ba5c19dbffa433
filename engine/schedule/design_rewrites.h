#pragma once
// The transformations that rewrite compiled dataflow designs, one for each rewrite of engine/tensor/dataflow.

#include <span>
#include <string>
#include <string_view>

#include "engine/schedule/transformation.h"

namespace sluice::inline schedule {

/// "insert_fork" of "insert fork".
std::string transformationOf(std::string_view rewrite);
/// In the order of dataflowRewrites().
std::span<const Transformation> designRewrites();

}  // namespace sluice::inline schedule
