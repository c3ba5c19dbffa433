#pragma once
// Imports a STeP graph as the authors' Python front end serialises it (protobuf, package step_perf_ir;
// step_sim_spec 7). What the messages do not hold - FIFO depths, the bytes of a float - are options, as they
// are settings of the reference simulator.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/program/document.h"

namespace sluice {

struct StepGraphOptions {
  std::optional<std::int64_t> fifo_depth;           ///< tokens; absent: the reference's default
  std::map<std::int64_t, std::int64_t> depths;      ///< operator id -> depth of the channels that leave it
  std::int64_t element_bytes = 2;                   ///< 2: mock_bf16; 4
  std::filesystem::path folder;                     ///< where the .npy files of selectors and metadata lie
  std::map<std::string, std::string> schema_files;  ///< name -> text; empty: resources/schemas/
};

/// Operators become nodes "op<id>" in the order of the message, which is the order of the memory ports.
/// Selector and metadata values become inline inputs. Errors name the operator's number and kind.
Result<Document> importStepProtobuf(std::string_view bytes, const std::string& name,
                                    const StepGraphOptions& options);

}  // namespace sluice
