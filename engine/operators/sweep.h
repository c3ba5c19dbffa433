#pragma once
// What sources that count have in common: one sweep over a grid, or one for each element of a trigger stream.

#include <span>

#include "engine/operators/operator.h"

namespace sluice::inline operators {

ParameterSpec triggersParameter();
PortSpec triggerPort();

/// `extents`: the parameters that say how long a sweep is. A sweep that a trigger starts has a last number,
/// which carries the trigger's stop.
std::optional<Diagnostic> checkTrigger(const ShapeContext& t, std::span<const char* const> extents);
/// Numbers, of the trigger's shape or [1], and then the extents.
StreamType sweepType(const ShapeContext& t, std::span<const char* const> extents);
/// Each output tells one of the indices, row-major over the extents.
simulator::Process sweep(const Instance& instance, simulator::Context& me,
                         std::span<const char* const> extents);

}  // namespace sluice::inline operators
