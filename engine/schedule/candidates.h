#pragma once
// What the arguments of a transformation may name in a program: its regions, operators and ports.

#include <string>
#include <vector>

#include "engine/program/document.h"
#include "engine/schedule/transformation.h"

namespace sluice::inline schedule {

/// Candidates for an argument, each once, in the order of the program, `region` being the step's region; the
/// choices of an argument that names nothing.
std::vector<std::string> candidates(const Document& program, const ArgumentSpec& argument,
                                    const std::string& region);

}  // namespace sluice::inline schedule
