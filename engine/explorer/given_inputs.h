#pragma once
// Whether a program can do with the values that its inputs were given in place of the document's own. What is
// wrong is told at the input and its file: the program, in which an error would name operators, is right.

#include <filesystem>
#include <map>
#include <string>

#include "engine/explorer/workload_set.h"

namespace sluice::inline explorer {

/// `set` has the values of `files` at those inputs; paths are taken from `folder`, as makeWorkloadSet() does.
/// Error: streams do not fit together with those of the chosen trace, and do with the document's own.
/// Warnings, of all traces: values that no operator takes; more tiles of a request than its part of a cache
/// has. Looks at the program before its schedule, and runs nothing. What is wrong with the program itself is
/// not told here.
Diagnostics checkGivenInputs(const WorkloadSet& set, const KnobValues& knobs,
                             const std::filesystem::path& folder,
                             const std::map<std::string, std::filesystem::path>& files);

}  // namespace sluice::inline explorer
