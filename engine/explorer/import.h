#pragma once
// Programs of other tools: a STeP graph (protobuf, or the JSON of the artifact), a Graphviz graph, an ONNX
// model, a tensor program in writing. Which of them a file holds is decided here and nowhere else.

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/interchange/step_protobuf.h"
#include "engine/program/document.h"

namespace sluice {

struct ImportOptions {
  StepGraphOptions step = {};                           ///< protobuf; its folder is that of the file
  std::map<std::string, std::int64_t> dimensions = {};  ///< ONNX: extents of symbolic dimensions, "seq" -> 64
  /// STeP graphs: files of the authors' settings (step_settings.h). Empty: hbm_config.json and
  /// sim_config.json beside the graph, if they are there. What `step` gives comes before what a file gives.
  std::filesystem::path hbm_config = {}, sim_config = {};
  std::stop_token stop = {};
};

struct Imported {
  Document document;   ///< passes check()
  Diagnostics report;  ///< what was not taken over as it was
};

/// By the file's suffix where it says enough, else by what is inside. Errors: as the readers give them, and
/// what check() has against the document; a stop request.
Result<Imported> importFile(const std::filesystem::path& file, const ImportOptions& options = {});

/// "pb", "json", "dot", "gv", "onnx", "mlir".
const std::vector<std::string>& importSuffixes();
/// Whether the file is for importFile(): it has such a suffix or begins as a tensor program, and is no Sluice
/// document.
bool isForeign(const std::filesystem::path& file);
/// The symbolic dimensions of an ONNX model's inputs, each once; none of any other file.
std::vector<std::string> symbolicDimensions(const std::filesystem::path& file);

}  // namespace sluice
