#pragma once
// Extents of symbolic dimensions as users give them: one, or several of which a knob is made.

#include <string>
#include <vector>

#include "engine/importers/importer.h"

namespace sluice::inline importers {

/// "64", or "64,32,128": the first is the one to begin with. Errors: what is no whole number from 1 on.
Result<std::vector<std::int64_t>> extentsFrom(const std::string& text, const Location& place);
/// Errors: no extent, or one below 1.
Result<Done> takeExtents(ImportOptions& options, const std::string& dimension,
                         const std::vector<std::int64_t>& extents, const Location& place);

}  // namespace sluice::inline importers
