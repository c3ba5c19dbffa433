#pragma once
// A program that a command made of another one, as a file.

#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/program/document.h"

namespace sluice::cli {

/// `document`, which was made of that in the file `source`, as the text of `file`: what its inputs name is
/// found from there, too.
std::string programText(Document document, const std::string& source, const std::string& file);

/// Writes it. Errors: as writeOutput(); it writes over neither `source` nor the other `inputs`.
Result<Done> writeProgram(const Document& document, const std::string& source, const std::string& file,
                          std::vector<std::string> inputs = {});

}  // namespace sluice::cli
