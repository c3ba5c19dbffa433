#pragma once
// TaskValues: what a task that was lowered to an operator computes in functional mode. The operators that
// stand for tasks (Kernel, LayoutConverter, and loads and stores of counted bytes) know counts and times, not
// what their tokens mean; the code that lowered them does (engine/tensor/lowering/lowered_values.h).

#include <map>
#include <string>

#include "engine/simulator/process.h"

namespace sluice::inline operators {

class TaskValues {
 public:
  virtual ~TaskValues() = default;
  /// The next token of an input, with the elements that its producer gave it.
  virtual void take(simulator::Context& me, std::size_t port, const simulator::Token& x) = 0;
  /// Gives the next token of an output its elements; ends the run with a fault where they cannot be there
  /// yet.
  virtual void give(simulator::Context& me, std::size_t port, simulator::Token& y) = 0;
};

/// By the names of the operators.
using TaskValuesByName = std::map<std::string, TaskValues*>;

}  // namespace sluice::inline operators
