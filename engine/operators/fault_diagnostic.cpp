#include "engine/operators/fault_diagnostic.h"

namespace sluice::inline operators {

Diagnostic faultDiagnostic(const FlatGraph& graph, const SimulationFault& fault) {
  const std::string at = "input " + std::to_string(fault.port) + ", token " + std::to_string(fault.token);
  return error(fault.code, Location(Where::Operator, graph.operators.at(fault.op).name) / Location(at),
               fault.cause, fault.fix);
}

}  // namespace sluice::inline operators
