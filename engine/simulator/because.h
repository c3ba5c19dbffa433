#pragma once
// A deadlock told in sentences: who waits for what, because who waits for what, until the circle closes.

#include <string>
#include <vector>

#include "engine/simulator/result.h"

namespace sluice {

/// "exp is waiting to push token 17 into 'exp.out -> divide.in1', because it is full (depth 4)".
std::string waitSentence(const FlatGraph& graph, const BlockedOperator& blocked);

/// The numbered sentences from `op` on; the last one says where they lead: back to a sentence before, to an
/// operator that has finished, or (of a victim) into a circle.
std::vector<std::string> becauseChain(const FlatGraph& graph, const DeadlockReport& report, OperatorId op);

}  // namespace sluice
