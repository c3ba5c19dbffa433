#pragma once
// Why the cycles of a report may be believed.

#include <string>

#include "app/cli/json.h"
#include "engine/program/trust.h"

namespace sluice::cli {

Json trustJson(const Document& document);
/// "Trust: model only\n".
std::string trustLine(const Document& document);

}  // namespace sluice::cli
