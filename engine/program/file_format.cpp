#include "engine/program/file_format.h"

#include "engine/core/atomic_file.h"

namespace sluice {

Result<Document> loadDocument(const std::filesystem::path& file) {
  constexpr std::uintmax_t limit = std::uintmax_t{64} << 20;
  const Result<std::string> bytes = readFile(file, limit);
  if (!bytes) return bytes.diagnostics();
  return parseDocument(*bytes, file.string());
}

Result<Done> saveDocument(const Document& document, const std::filesystem::path& file) {
  return writeFileAtomically(file, writeDocument(document));
}

}  // namespace sluice
