#pragma once
// The slow model's operators, one procedure each (engine/operators/timing.md), in files by group.

#include <string>

#include "tests/engine/support/slow_replay.h"

namespace sluice::slow {

using Procedure = void (*)(Replay&);

// Each gives the procedure of a kind, or null when the kind is not of its group.
Procedure memoryProcedure(const std::string& kind);   ///< loads, stores, sources, sinks, buffers
Procedure computeProcedure(const std::string& kind);  ///< maps and accumulators
Procedure shapeProcedure(const std::string& kind);    ///< shape and routing
Procedure taskProcedure(const std::string& kind);     ///< Kernel, LayoutConverter
Procedure addressProcedure(
    const std::string& kind);  ///< addresses of caches and experts, dynamic parallelization

/// Cycles to read a value from its memory unit, 0 when it was not left in one; to write one there.
Cycles readCycles(const Replay& replay, const SlowValue& value);
Cycles writeCycles(const Replay& replay, const SlowValue& value);
/// Bytes per element of a scalar type as the machine moves it.
std::uint64_t elementBytes(const Replay& replay, const std::string& scalar);
SlowValue tile(std::uint64_t rows, std::uint64_t cols, std::uint64_t bytes_per_element);
SlowValue number(std::uint64_t value);
SlowValue oneHot(std::uint32_t index, std::uint64_t width);
/// Stop level of every element of a row-major array.
std::vector<std::uint32_t> rowMajorStops(const std::vector<std::uint64_t>& shape);

}  // namespace sluice::slow
