#pragma once
// The static pre-check: deadlocks that are certain before any run, because numbers of tokens do not fit, a
// path is too short of room for what must wait in it, selectors do not match, or a loop never ends. It speaks
// only of what it has proved; a program that it does not complain of may still deadlock.

#include "engine/explorer/evaluate.h"

namespace sluice::inline explorer {

/// Operators that none of can end, whatever the depths: a loop through an EagerMerge in which everybody only
/// waits for the end of the one before. A loop that ends has something else in it: a Partition whose
/// selectors are over, a join with a stream from outside. Operators of one loop ascend.
std::vector<std::vector<OperatorId>> endlessLoops(const FlatGraph& graph);

/// Warnings, those found before a stop request; each at the operator or stream to fix. Instances of one fault
/// give one warning.
Diagnostics precheck(const FlatGraph& graph, const Inference& inference, const InputSet& inputs,
                     const std::stop_token& stop = {});
/// Of a design point of a workload.
Diagnostics precheck(const Workload& workload, const SymbolicResult& symbolic,
                     const std::stop_token& stop = {});

}  // namespace sluice::inline explorer
