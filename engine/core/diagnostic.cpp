#include "engine/core/diagnostic.h"

#include <algorithm>

#include "engine/core/printable.h"

namespace sluice {
namespace {

Diagnostic make(Severity severity, Code code, Location place, std::string cause, std::string fix) {
  return {severity, std::string(code.name()), std::move(place), std::move(cause), std::move(fix), {}, {}};
}

}  // namespace

Diagnostic error(Code code, Location place, std::string cause, std::string fix) {
  return make(Severity::Error, code, std::move(place), std::move(cause), std::move(fix));
}

Diagnostic warning(Code code, Location place, std::string cause, std::string fix) {
  return make(Severity::Warning, code, std::move(place), std::move(cause), std::move(fix));
}

Diagnostic note(Code code, Location place, std::string cause, std::string fix) {
  return make(Severity::Note, code, std::move(place), std::move(cause), std::move(fix));
}

std::string text(const Diagnostic& diagnostic) {
  const char* severity = diagnostic.severity == Severity::Error     ? "error: "
                         : diagnostic.severity == Severity::Warning ? "warning: "
                                                                    : "note: ";
  return severity + printableName(text(diagnostic.place)) + ": " + diagnostic.cause + " (" + diagnostic.fix +
         ")";
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
  return std::ranges::any_of(diagnostics, [](const Diagnostic& each) { return each.code == "cancelled"; });
}

}  // namespace sluice
