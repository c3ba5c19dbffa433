#pragma once
// A deadlock told in sentences: who waits for what, because who waits for what, until the circle closes.

#include <string>
#include <vector>

#include "engine/simulator/result.h"

namespace sluice {

/// "exp is waiting to push token 17 into 'exp.out -> divide.in1', because it is full (depth 4)".
std::string waitSentence(const FlatGraph& graph, const BlockedOperator& blocked);

struct BecauseStep {
  OperatorId op = 0;     ///< who waits
  std::string sentence;  ///< "2. exp is waiting ..., because"
};

/// The numbered sentences from `op` on; the last one says where they lead: back to a sentence before, to an
/// operator that has finished, or (of a victim) into a circle.
std::vector<BecauseStep> becauseSteps(const FlatGraph& graph, const DeadlockReport& report, OperatorId op);
std::vector<std::string> becauseChain(const FlatGraph& graph, const DeadlockReport& report, OperatorId op);

/// The streams that an operator waits at: one, unless it watches several; none where it waits for memory.
std::vector<StreamId> waitedFor(const BlockedOperator& blocked);

}  // namespace sluice
