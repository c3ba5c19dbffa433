#include "app/cli/trust_report.h"

namespace sluice::cli {

TrustLabel trustAt(const Workload& workload, const KnobValues& knobs) {
  return trustOf(workload.document, knobs, workload.inputs);
}

Json trustJson(const TrustLabel& trust) {
  const bool any = trust.trust != Trust::Model;
  return {{"label", trustName(trust.trust)}, {"metrics", any ? Json::array({trusted_metric}) : Json::array()},
          {"source", trust.source},          {"detail", trust.detail},
          {"changed_since", trust.changed},  {"elsewhere", trust.elsewhere}};
}

std::string trustText(const TrustLabel& trust) {
  if (trust.trust == Trust::Model) return text(trust);
  return std::string(trusted_metric) + " " + text(trust) + "; all other metrics model only";
}

std::string trustLine(const TrustLabel& trust) {
  return "Trust: " + trustText(trust) + "\n";
}

}  // namespace sluice::cli
