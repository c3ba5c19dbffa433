#include "engine/operators/fault_diagnostic.h"

namespace sluice {

Diagnostic faultDiagnostic(const FlatGraph& graph, const SimulationFault& fault) {
  return error(fault.code,
               Location(Where::Operator, graph.operators.at(fault.op).name) /
                   Location("input " + std::to_string(fault.port)) /
                   Location("token " + std::to_string(fault.token)),
               fault.cause, fault.fix);
}

}  // namespace sluice
