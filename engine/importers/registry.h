#pragma once
// The importers, one file each, in the order in which they are asked. Which of them a file is for is decided
// here and nowhere else.

#include "engine/importers/importer.h"

namespace sluice {

/// The last one takes what no other takes.
std::vector<const Importer*> registeredImporters();
/// The first one that knows the file by its suffix or its content.
const Importer& importerOf(const std::filesystem::path& file, std::string_view bytes);

/// Reads the file with the importer that it is for. Errors: as the importer gives them, an option that is for
/// another format, a Sluice document, what check() has against the result; a stop request.
Result<Imported> importFile(const std::filesystem::path& file, const ImportOptions& options = {});

/// "onnx", "mlir" ...
std::vector<std::string> importSuffixes();
/// Whether the file is for importFile(): its suffix or its content says so, and it is no Sluice document.
bool isForeign(const std::filesystem::path& file);
/// The symbolic dimensions that the file leaves open; none where its suffix is of no format that has some.
std::vector<std::string> symbolicDimensions(const std::filesystem::path& file);

}  // namespace sluice
