#include "engine/operators/fault_diagnostic.h"

namespace sluice {

Diagnostic faultDiagnostic(const FlatGraph& graph, const SimulationFault& fault) {
  return {Severity::Error,
          "operator '" + graph.operators.at(fault.op).name + "', input " + std::to_string(fault.port) +
              ", token " + std::to_string(fault.token),
          fault.cause, fault.fix};
}

}  // namespace sluice
