#include "engine/operators/functional.h"

#include <cmath>
#include <limits>

#include "engine/core/cancelled.h"
#include "engine/operators/fault_diagnostic.h"
#include "engine/operators/simulate.h"

namespace sluice::inline operators {

Result<std::unique_ptr<Functional>> Functional::of(const FlatGraph& graph, const ComputeOptions& options) {
  std::unique_ptr<Functional> functional(new Functional(options));
  SLUICE_TRY(functional->memory_,
             TensorMemory::of(graph, options.tensors, functional->arithmetic_, options.tasks));
  functional->tasks_ = options.tasks;
  if (options.made_up != nullptr)
    for (std::string& name : functional->memory_.madeUp()) options.made_up->push_back(std::move(name));
  return functional;
}

Result<TensorSet> compute(const FlatGraph& graph, const InputSet& inputs, const ComputeOptions& options) {
  SLUICE_TRY(const std::unique_ptr<Functional> functional, Functional::of(graph, options));
  SimulationOptions simulation;
  simulation.stop = options.stop;
  simulation.functional = functional.get();
  const SimulationResult result = simulate(graph, inputs, simulation);
  if (result.fault) return faultDiagnostic(graph, *result.fault);
  if (result.deadlock) {
    const BlockedOperator& first = result.deadlock->blocked.front();
    return error("deadlock", Location(Where::Operator, graph.operators[first.op].name),
                 "the program deadlocks at cycle " + std::to_string(result.deadlock->at),
                 "simulate it to see who waits for whom, and deepen the FIFOs of the circular wait");
  }
  if (result.cancelled) return cancelledDiagnostic();
  return functional->outputs();
}

double maxRelativeError(const FloatTensor& actual, const FloatTensor& expected) {
  if (actual.shape != expected.shape || actual.data.size() != expected.data.size())
    return std::numeric_limits<double>::infinity();
  double difference = 0, magnitude = 0;
  for (std::size_t i = 0; i < expected.data.size(); ++i) {
    const double a = actual.data[i], b = expected.data[i];
    if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, std::abs(a - b));
    magnitude = std::max(magnitude, std::abs(b));
  }
  return difference == 0 ? 0 : difference / magnitude;
}

}  // namespace sluice::inline operators
