#pragma once
// What work that heeds a stop request gives instead of its result.

#include "engine/core/diagnostic.h"

namespace sluice {

inline Diagnostic cancelledDiagnostic() {
  return {Severity::Note, "the work", "it was cancelled before its end", "run it again", true};
}

}  // namespace sluice
