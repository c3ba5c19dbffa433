#pragma once
// Whole-file reads and atomic writes with diagnostics.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace sluice {

/// The bytes of a file. Errors: missing, a folder, unreadable, larger than `limit` bytes.
Result<std::string> readFile(const std::filesystem::path& file, std::uintmax_t limit = 1u << 30);
/// Writes `file` whole or not at all: temporary file in the same folder, fsync, rename. Errors: read-only or
/// missing folder, full disk.
Result<Done> writeFileAtomically(const std::filesystem::path& file, std::string_view bytes);

/// Takes the next bytes of a file.
using ByteSink = std::function<Result<Done>(std::string_view)>;
/// The same for what is too long to be had at once: `produce` gives it piece by piece, and returns at the
/// first piece that is refused, or with a diagnostic of its own.
Result<Done> writeFileAtomically(const std::filesystem::path& file,
                                 const std::function<Result<Done>(const ByteSink&)>& produce);

}  // namespace sluice
