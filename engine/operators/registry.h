#pragma once
// The registry: every operator of Sluice, in palette order; behind them those of plug-ins.

#include <map>
#include <string>
#include <vector>

#include "engine/core/registry.h"
#include "engine/operators/operator.h"
#include "engine/program/operator_spec.h"

namespace sluice::inline operators {

/// Plug-ins add to it.
Registry<const Operator*>& operatorRegistry();
/// By kind; nullptr if there is none.
const Operator* findOperator(const std::string& kind);
/// Of an elaborated operator, whose kind is registered.
const Operator& definitionOf(const FlatOperator& op);
std::vector<const Operator*> registeredOperators();
/// For looking up many: code that walks a graph asks once.
std::map<std::string, const Operator*> operatorsByKind();
std::vector<const OperatorSpec*> registeredSpecs();
/// The registered operators as a program catalog.
const Catalog& builtInCatalog();

}  // namespace sluice::inline operators
