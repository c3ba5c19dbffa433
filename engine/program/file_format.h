#pragma once
// The native file format: JSON, versioned, deterministic, one node and one stream a line.
// engine/program/README.md is its schema.

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/program/document.h"

namespace sluice::inline program {

/// Reads a document. `name` is what diagnostics call the text. Syntax errors name line and column; schema
/// errors the JSON path
/// ("$.program.nodes[3].parameters.rank"), what was expected, what was found, and the fix. Duplicate keys,
/// unknown keys, wrong types, numbers that do not fit, invalid UTF-8, a newer version, duplicate names: all
/// refused, and so is a stop request. Never throws.
Result<Document> parseDocument(std::string_view json, const std::string& name,
                               const std::stop_token& stop = {});
/// The canonical text: parseDocument(writeDocument(d)) == d, and writing that again gives the same bytes.
std::string writeDocument(const Document& document);

/// The "data" of an input that stands in a file of its own: lists of whole numbers, nested as deep as the
/// trace has dimensions. One without values is refused.
Result<IntTensor> parseTrace(std::string_view json, const std::string& name);

Result<Document> loadDocument(const std::filesystem::path& file);
/// Atomic: a temporary file beside it, synced, renamed. On an error the old file is untouched.
Result<Done> saveDocument(const Document& document, const std::filesystem::path& file);

}  // namespace sluice::inline program
