#pragma once
// Kernels and streams as JSON, for sizing FIFOs without a tensor program behind them.

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/tensor/sizing/timed_graph.h"

namespace sluice::inline tensor {

/// `name` is the file's, for messages. The graph passes its check.
Result<TimedGraph> parseTimedGraph(std::string_view json, const std::string& name);
Result<TimedGraph> loadTimedGraph(const std::filesystem::path& file);

}  // namespace sluice::inline tensor
