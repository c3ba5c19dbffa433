#include "app/cli/trust_report.h"

namespace sluice::cli {

TrustLabel trustAt(const Workload& workload, const KnobValues& knobs) {
  return trustOf(workload.document, knobs, workload.inputs);
}

Json trustJson(const TrustLabel& trust) {
  return {{"label", trustName(trust.trust)},
          {"source", trust.source},
          {"detail", trust.detail},
          {"changed_since", trust.changed},
          {"elsewhere", trust.elsewhere}};
}

std::string trustLine(const TrustLabel& trust) {
  return "Trust: " + text(trust) + "\n";
}

}  // namespace sluice::cli
