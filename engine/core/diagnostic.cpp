#include "engine/core/diagnostic.h"

#include <algorithm>

namespace sluice {

std::string text(const Diagnostic& diagnostic) {
  const char* severity = diagnostic.severity == Severity::Error     ? "error: "
                         : diagnostic.severity == Severity::Warning ? "warning: "
                                                                    : "note: ";
  return severity + text(diagnostic.place) + ": " + diagnostic.cause + " (" + diagnostic.fix + ")";
}

std::string text(const Diagnostics& diagnostics) {
  std::string lines;
  for (const Diagnostic& diagnostic : diagnostics) lines += text(diagnostic) + "\n";
  return lines;
}

bool hasErrors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

bool isCancelled(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) { return d.cancelled; });
}

}  // namespace sluice
