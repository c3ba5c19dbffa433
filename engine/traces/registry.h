#pragma once
// The registry of trace sources, in the order in which files are asked about. To add one: a file under
// sources/ and a line in registry.cpp.

#include <span>
#include <string_view>

#include "engine/traces/trace_source.h"

namespace sluice::inline traces {

std::span<const TraceSource* const> traceSources();
/// A generator of that name; null if there is none.
const TraceSource* findTraceGenerator(std::string_view name);
/// What reads that path; null if nothing does.
const TraceSource* findTraceReader(const FileLook& look);
FileLook lookAt(const std::filesystem::path& file);

}  // namespace sluice::inline traces
