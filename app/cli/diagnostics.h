#pragma once
// How the programs of the shell tell of diagnostics: in words for people, in JSON for programs.

#include <string>

#include "app/cli/json.h"
#include "engine/core/diagnostic.h"

namespace sluice::cli {

/// "error: PLACE: CAUSE (FIX) [CODE]" and a line for each place that takes part.
std::string shown(const Diagnostic& diagnostic);
std::string shown(const Diagnostics& diagnostics);

/// The parts of a location: kind, name, number, detail.
Json locationJson(const Location& location);
/// severity, code, place, location, cause, fix; related places if there are any.
Json diagnosticJson(const Diagnostic& diagnostic);
Json diagnosticsJson(const Diagnostics& diagnostics);
/// What diagnosticsJson() wrote, of another process; what is malformed is left out.
Diagnostics diagnosticsFrom(const Json& list);

}  // namespace sluice::cli
