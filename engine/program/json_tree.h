#pragma once
// JSON as a tree that knows the line of every value. Private to the file format.

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/core/result.h"

namespace sluice::inline program {

struct JsonMember;

struct Json {
  using List = std::vector<Json>;
  using Object = std::vector<JsonMember>;
  /// null, true/false, a whole number (uint64 only above int64), another number, text, list, object.
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, List, Object> value;
  std::size_t line = 1;

  const List* list() const { return std::get_if<List>(&value); }
  const Object* object() const { return std::get_if<Object>(&value); }
};

struct JsonMember {
  std::string key;
  Json value;
};

/// "null", "true", "12", "1.5", "\"text\"", "a list of 3", "an object": for "found ...".
std::string describe(const Json& json);

/// Refuses what is not JSON in UTF-8, keys written twice, nesting deeper than 100 and texts of more than 64
/// MiB or 4 million values. A stop request is an error.
Result<Json> parseJson(std::string_view text, const std::string& name, const std::stop_token& stop = {});

/// `text` as a JSON string, with quotes. Bytes that are not UTF-8 become U+FFFD.
std::string jsonString(const std::string& text);

}  // namespace sluice::inline program
