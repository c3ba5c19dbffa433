#pragma once
// The registry: every operator of Sluice, in palette order.

#include <span>
#include <string>
#include <vector>

#include "engine/operators/operator.h"

namespace sluice {

/// By kind; nullptr if there is none.
const Operator* findOperator(const std::string& kind);
std::vector<const Operator*> registeredOperators();
std::vector<const OperatorSpec*> registeredSpecs();

}  // namespace sluice
