#pragma once
// What work that heeds a stop request gives instead of its result.

#include "engine/core/diagnostic.h"

namespace sluice {

/// Nothing is wrong: the work was asked to stop before its end.
inline Diagnostic cancelledDiagnostic() {
  return note("cancelled", "the work", "it was cancelled before its end", "run it again");
}

}  // namespace sluice
