#pragma once
// What an evaluation that heeds a stop request gives instead of its result.

#include "engine/core/diagnostic.h"

namespace sluice {

inline Diagnostic cancelledDiagnostic() {
  return {Severity::Note, "evaluation", "it was cancelled before its end", "run it again"};
}

}  // namespace sluice
