#pragma once
// Imports a STeP graph as the authors' Python front end serialises it (protobuf, package step_perf_ir;
// step_format.md 1). What the messages do not hold - FIFO depths, the memory - are settings of the reference
// simulator (step_settings.h). Every field that is set is taken over or refused; resources/schemas/README.md
// lists those that mean nothing here.

#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/interchange/step_settings.h"
#include "engine/program/document.h"

namespace sluice::inline interchange {

struct StepGraphOptions {
  SimConfig sim;
  std::optional<HbmConfig> hbm;               ///< absent: a machine's own numbers
  std::optional<std::int64_t> element_bytes;  ///< of a float in memory: 2 or 4; absent: as the graph says
  std::filesystem::path folder;               ///< where the .npy and .json files that it names lie
  std::map<std::string, std::string> schema_files;  ///< name -> text; empty: resources/schemas/
  std::filesystem::path schema_folder = {};         ///< where those lie
  std::stop_token stop = {};
};

struct StepGraphImport {
  Document document;
  Diagnostics report;  ///< what the graph does not hold and was assumed
};

/// Operators become nodes "op<id>" in the order of the message, which is the order of the memory ports.
/// Selector and metadata values become inline inputs. Errors name the operator's number and kind, or the file
/// of settings that the graph contradicts; or a stop request was heeded.
Result<StepGraphImport> importStepProtobuf(std::string_view bytes, const std::string& name,
                                           const StepGraphOptions& options);

}  // namespace sluice::inline interchange
