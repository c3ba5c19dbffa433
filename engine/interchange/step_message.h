#pragma once
// One operator of STeP's protobuf form, read by the table of step_message_kinds.h, as the JSON form of
// step_fixture.h. Private to step_protobuf.cpp.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engine/interchange/import_refusal.h"
#include "engine/interchange/step_message_kinds.h"
#include "engine/interchange/step_protobuf.h"

namespace sluice::inline interchange {

/// Throws ImportRefusal for what cannot be taken over, json exceptions for what the schema lacks.
class StepMessageReader {
 public:
  StepMessageReader(const StepGraphOptions& options, Diagnostics& report)
      : options_(options), report_(report) {}

  /// `place`: what diagnostics call the operator.
  nlohmann::json read(const nlohmann::json& operation, const Location& place);

  /// Bytes of a float in memory, as the operators' n_byte say, and the first that does; absent: none.
  std::optional<std::int64_t> elementBytes() const { return element_bytes_; }
  const Location& elementBytesPlace() const { return element_bytes_place_; }

 private:
  using json = nlohmann::json;

  void add(json& op, const json& message, const StepField& field);
  void addMemory(json& op, const json& message, const StepField& field);
  void array(json& op, const std::string& path) const;
  void extents(json& op, const json& message, const std::string& path) const;
  void elementBytes(const json& op, std::int64_t bytes);
  void requestBytes(std::int64_t bytes) const;
  void bufferDepth(json& op, const json& message, const StepField& field);

  const StepGraphOptions& options_;
  Diagnostics& report_;
  Location place_;
  Location element_bytes_place_;
  std::int64_t id_ = 0;
  std::optional<std::int64_t> element_bytes_;
};

}  // namespace sluice::inline interchange
