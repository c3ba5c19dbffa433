#pragma once
// How a reader of a foreign format gives up from deep inside. Private to the readers, which catch it.

#include <exception>
#include <string>
#include <utility>

#include "engine/core/diagnostic.h"

namespace sluice::inline interchange {

struct ImportRefusal : std::exception {
  explicit ImportRefusal(Diagnostic diagnostic) : why(std::move(diagnostic)) {}
  const char* what() const noexcept override { return why.cause.c_str(); }

  /// With the place that only the catcher knows, and what the user can do where no throw said it.
  Diagnostic at(const Location& place, const char* usual_fix) const {
    Diagnostic diagnostic = why;
    diagnostic.place = place;
    if (diagnostic.fix.empty()) diagnostic.fix = usual_fix;
    return diagnostic;
  }

  Diagnostic why;
};

[[noreturn]] inline void refuseImport(Code code, std::string cause, std::string fix = {}) {
  throw ImportRefusal(error(code, {}, std::move(cause), std::move(fix)));
}

}  // namespace sluice::inline interchange
