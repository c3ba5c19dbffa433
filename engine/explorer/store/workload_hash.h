#pragma once
// What makes two evaluations comparable: the same program, schedule, machine and inputs.

#include <string>

#include "engine/explorer/evaluate.h"

namespace sluice::inline explorer {

/// 32 hexadecimal digits, the same on every machine. Titles, canvas positions, pins, help texts, the names of
/// files and the ranges and defaults of knobs do not enter: a point keeps its value when a knob is widened.
std::string workloadHash(const Workload& workload);

}  // namespace sluice::inline explorer
