#pragma once
// What a user is told when something is wrong: where it is, why it is wrong, how to fix it.

#include <string>
#include <vector>

#include "engine/core/location.h"

namespace sluice {

enum class Severity { Note, Warning, Error };

struct Diagnostic {
  Severity severity = Severity::Error;
  Location place;
  std::string cause;  ///< what was found and what was expected
  std::string fix;    ///< what the user can do about it; never empty
  /// Nothing is wrong: the work was asked to stop before its end.
  bool cancelled = false;

  bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

/// "error: PLACE: CAUSE (MEND)", one line.
std::string text(const Diagnostic& diagnostic);
/// One line per diagnostic.
std::string text(const Diagnostics& diagnostics);
bool hasErrors(const Diagnostics& diagnostics);
/// Work was asked to stop: whatever else is told is of no interest.
bool isCancelled(const Diagnostics& diagnostics);

}  // namespace sluice
