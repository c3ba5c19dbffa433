#pragma once
// The importers, one file each, in the order in which they are asked, and behind them those of plug-ins.
// Which of them a file is for is decided here and nowhere else.

#include <span>

#include "engine/core/registry.h"
#include "engine/importers/importer.h"

namespace sluice::inline importers {

/// Plug-ins add to it.
Registry<const Importer*>& importerRegistry();
std::span<const Importer* const> registeredImporters();
/// The first one that knows the file by its suffix or its content; those of plug-ins are asked before the
/// others, the last of which takes what no other takes.
const Importer& importerOf(const std::filesystem::path& file, std::string_view bytes);

/// Reads the file with the importer that it is for. Errors: as the importer gives them, an option that is for
/// another format, a Sluice document, what check() has against the result; a stop request.
Result<Imported> importFile(const std::filesystem::path& file, const ImportOptions& options = {});

/// The report, behind a note on how much of the model was understood where that is known.
Diagnostics reportWithCoverage(const Imported& imported, const std::filesystem::path& file);

/// "an ONNX model, a tensor program in writing, ... or ...": what is imported.
std::string importedKinds();
/// "onnx", "mlir" ...
std::vector<std::string> importSuffixes();
/// Whether the file is for importFile(): its suffix or its content says so, and it is no Sluice document.
bool isForeign(const std::filesystem::path& file);
/// The symbolic dimensions that the file leaves open; none where its suffix is of no format that has some.
std::vector<std::string> symbolicDimensions(const std::filesystem::path& file);

}  // namespace sluice::inline importers
