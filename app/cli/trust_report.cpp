#include "app/cli/trust_report.h"

namespace sluice::cli {

Json trustJson(const Document& document) {
  const TrustLabel trust = trustOf(document);
  return {{"label", trustName(trust.trust)},
          {"source", trust.source},
          {"detail", trust.detail},
          {"changed_since", trust.changed}};
}

std::string trustLine(const Document& document) {
  return "Trust: " + text(trustOf(document)) + "\n";
}

}  // namespace sluice::cli
