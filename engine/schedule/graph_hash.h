#pragma once
// The canonical form of a scheduled program: two schedules that come to the same graph have one hash, so that
// a search evaluates it once.

#include <stop_token>
#include <string>

#include "engine/core/result.h"
#include "engine/schedule/transformation.h"

namespace sluice::inline schedule {

/// 32 hexadecimal digits of the elaborated graph: the kinds of its operators, their bound parameters, which
/// port is connected to which, the depths of FIFOs, the contents of inputs that are read, and which operators
/// share an input or a tensor. Names of nodes, regions, inputs and tensors do not enter, nor does the order
/// of nodes, streams and steps; that a stream is copied by a Broadcast of its own or by elaboration is one.
/// Equal graphs have equal hashes; the reverse holds but for graphs so regular that no operator can be told
/// from another (rationale/proposed_schedules.md). The machine does not enter.
std::string graphHash(const FlatGraph& graph, const InputSet& inputs);

/// That of what a schedule gives, at one design point; compiled designs as they are lowered. Fails where the
/// program cannot be elaborated.
Result<std::string> scheduledGraphHash(const ScheduledProgram& scheduled, const KnobValues& knobs,
                                       const std::stop_token& stop = {});

}  // namespace sluice::inline schedule
