#pragma once
// Reads and writes protobuf messages by a schema in text form, so that no code is generated and a user's own
// schema files can take the place of ours.

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace sluice::inline interchange {

/// Every .proto file of a folder, name -> text.
Result<std::map<std::string, std::string>> protobufFiles(const std::filesystem::path& folder);

class ProtobufSchema {
 public:
  /// `files`: name ("graph.proto", as import lines spell it) -> text; `folder`: where they lie. Errors name
  /// file and line.
  static Result<ProtobufSchema> parse(const std::map<std::string, std::string>& files,
                                      const std::filesystem::path& folder = {});
  /// All files of a folder. Errors: there are none.
  static Result<ProtobufSchema> ofFolder(const std::filesystem::path& folder);
  /// One of resources/schemas/.
  static ProtobufSchema builtIn(std::string_view name);

  /// The folder, for diagnostics about what the schema lacks; empty: it is of none.
  Location place() const;
  /// The bytes of one message of the type `message` (without package) as JSON: field names as in the schema,
  /// what is unset left out unless the schema cannot tell it from 0, numbers as numbers, bytes as binary
  /// values - cut off behind `max_bytes`, as weights of gigabytes are not needed here. A field that
  /// the schema does not know appears as "unknown": [numbers] beside the known ones. A stop request is an
  /// error.
  Result<nlohmann::json> read(std::string_view message, std::string_view bytes, const Location& place,
                              const std::stop_token& stop = {}, std::size_t max_bytes = 1 << 20) const;
  /// The fields of the message that `field` of the message `message` holds; nothing: there is no such field.
  std::optional<std::set<std::string>> fields(std::string_view message, std::string_view field) const;
  /// The bytes of a message of the type `message` from such JSON. Errors: fields that the schema does not
  /// have. A value of another type than its field's is a bug and throws.
  Result<std::string> write(std::string_view message, const nlohmann::json& object) const;

 private:
  struct Parsed;
  std::shared_ptr<const Parsed> parsed_;
};

}  // namespace sluice::inline interchange
