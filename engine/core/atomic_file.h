#pragma once
// Whole-file reads and atomic writes with diagnostics.

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace sluice {

/// The bytes of a file. Errors: missing, a folder, unreadable, larger than `limit` bytes.
Result<std::string> readFile(const std::filesystem::path& file, std::uintmax_t limit = 1u << 30);
/// Writes `file` whole or not at all: temporary file in the same folder, fsync, rename. Errors: read-only or
/// missing folder, full disk.
Result<Done> writeFileAtomically(const std::filesystem::path& file, std::string_view bytes);

}  // namespace sluice
