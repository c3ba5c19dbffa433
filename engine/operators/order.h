#pragma once
// The orders of streams (StreamType::order): what an operator says of its own streams, and the check that a
// consumer gets the order that it asks for. Operators with the trait `ordered` say so in parameters; of the
// others only those that copy keep an order, as an operator that says nothing about order knows none.

#include <optional>

#include "engine/operators/operator.h"

namespace sluice::inline operators {

/// Orders in which the inputs, or outputs, of an operator must come, or come: of every port in turn, one for
/// all of them, or none. Empty texts: nothing is said of that port.
ParameterSpec takesOrderParameter();
ParameterSpec givesOrderParameter();

/// What the operator says of a port; null: nothing.
StreamOrder takenOrder(const FlatOperator& op, std::size_t input);
StreamOrder givenOrder(const FlatOperator& op, std::size_t output);

/// The types of the outputs by the operator's shape rule, with the orders that it says. Errors are those of
/// the rule, inputs that come in another order than the operator takes, and orders that send other tokens
/// than their stream.
Result<std::vector<StreamType>> outputTypes(const Operator& definition, const ShapeContext& t);

}  // namespace sluice::inline operators
