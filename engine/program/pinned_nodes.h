#pragma once
// The nodes that automatic layout leaves alone. They say nothing of the program, so no Document has them;
// they stand in the file beside it, as "pinned": ["route", "expert.gate"].

#include <filesystem>
#include <set>
#include <string>

#include "engine/core/result.h"
#include "engine/program/document.h"

namespace sluice {

/// Paths. A file that cannot be read has none.
std::set<std::string> pinnedNodes(const std::filesystem::path& file);
/// saveDocument() with pins; those that name no node are left out.
Result<Done> saveDocument(const Document& document, const std::set<std::string>& pinned,
                          const std::filesystem::path& file);

}  // namespace sluice
