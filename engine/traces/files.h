#pragma once
// Files that belong to one set, each read by whom it is for.

#include <vector>

#include "engine/traces/trace_source.h"

namespace sluice::inline traces {

struct NamedFile {
  std::string name;
  std::filesystem::path file;
};

/// Their traces one behind the other; a file that cannot be read is left out, with a warning. Folders and
/// lists in it are refused: a set has one level.
TraceSet readFiles(const std::vector<NamedFile>& files, const TraceRequest& request);

}  // namespace sluice::inline traces
