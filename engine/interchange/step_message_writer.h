#pragma once
// An operator of a STeP graph in JSON as a message of its protobuf form (step_format.md): the table of
// step_message_kinds.h the other way round.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/core/int_tensor.h"
#include "engine/interchange/protobuf_message.h"

namespace sluice::inline interchange {

/// What the protobuf form says beside the JSON.
struct StepElementTypes {
  std::vector<std::string>
      inputs;              ///< names of DataType: "f32", "u64", "multi_hot"; in the order of the ports
  std::string output;      ///< of the first output; empty: none
  std::int64_t bytes = 0;  ///< of an element that is loaded or stored off chip
  std::int64_t rank = 0;   ///< of the first input
};

struct StepMessage {
  nlohmann::json operation;  ///< of the message Operation
  std::string array = {};    ///< the .npy file that it names; empty: none
  IntTensor values = {};     ///< and what that holds
};

/// `op`: of a kind and with the fields of step_message_kinds.h; anything else is a bug and throws. Error: the
/// schema has no such kind.
Result<StepMessage> writeStepMessage(const nlohmann::json& op, const StepElementTypes& types,
                                     const ProtobufSchema& schema);

}  // namespace sluice::inline interchange
