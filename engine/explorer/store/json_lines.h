#pragma once
// Explorations as JSON Lines: for each a line that tells what was asked, then a line a visited point, flat,
// one member a knob and metric. What is written is read into any store as the same explorations.

#include <filesystem>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "engine/explorer/store/result_store.h"

namespace sluice::inline explorer {

/// Of one exploration, or of all.
Result<Done> writeJsonLines(ResultStore& store, std::optional<std::int64_t> exploration,
                            const std::function<Result<Done>(std::string_view)>& sink);

/// Points that the store knows are kept as they are there, as by merge(). `name` is the text's, for messages,
/// that name the line. Lines are at most 1 MiB long.
Result<MergeReport> readJsonLines(ResultStore& store, std::istream& in, const std::string& name);

/// What the file holds: another store or, where its name ends in .jsonl, JSON Lines of one.
Result<MergeReport> mergeFile(ResultStore& store, const std::filesystem::path& file);

}  // namespace sluice::inline explorer
