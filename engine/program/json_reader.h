#pragma once
// Typed reading of a JSON tree: every refusal says where (line and JSON path), what was expected, what was
// found and the fix. Private to the file format.

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/atomic_file.h"
#include "engine/core/int_tensor.h"
#include "engine/program/document.h"
#include "engine/program/json_tree.h"

namespace sluice::inline program {

/// A value and the way to it. Lives on the stack beside its parent; the path is only put together for a
/// diagnostic.
class JsonCursor {
 public:
  explicit JsonCursor(const Json& root) : json_(root) {}

  const Json& json() const { return json_; }
  JsonCursor member(const JsonMember& member) const { return JsonCursor(member.value, this, member.key, 0); }
  JsonCursor element(std::size_t index) const { return JsonCursor((*json_.list())[index], this, {}, index); }
  std::string path() const;  ///< "$.program.nodes[3].parameters.rank"

 private:
  JsonCursor(const Json& json, const JsonCursor* parent, std::string_view key, std::size_t index)
      : json_(json), parent_(parent), key_(key), index_(index) {}

  const Json& json_;
  const JsonCursor* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

/// The diagnostics of one reading.
class JsonDecoder {
 public:
  explicit JsonDecoder(std::string name) : name_(std::move(name)) {}

  void refuse(Code code, const JsonCursor& spot, std::string cause, std::string fix,
              std::vector<Location> related = {});
  /// "expected EXPECTED, found FOUND".
  void mismatch(const JsonCursor& spot, const std::string& expected, std::string fix,
                Code code = "json-type");
  Location placeOf(const JsonCursor& spot) const;
  bool failed() const { return !diagnostics_.empty(); }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  std::string name_;
  Diagnostics diagnostics_;
};

// Each reads `spot` into `target`, or refuses and leaves `target` alone.
void read(JsonDecoder& reading, const JsonCursor& spot, std::string& target);
void read(JsonDecoder& reading, const JsonCursor& spot, bool& target);
void read(JsonDecoder& reading, const JsonCursor& spot, std::int64_t& target);
void read(JsonDecoder& reading, const JsonCursor& spot, std::uint64_t& target);
void read(JsonDecoder& reading, const JsonCursor& spot, double& target);
void read(JsonDecoder& reading, const JsonCursor& spot,
          Value& target);  ///< whole number, true/false, text, list of these
void read(JsonDecoder& reading, const JsonCursor& spot, Position& target);  ///< [x, y]
void read(JsonDecoder& reading, const JsonCursor& spot, std::vector<std::int64_t>& target);
void read(JsonDecoder& reading, const JsonCursor& spot, std::vector<std::string>& target);
/// Lists of whole numbers, nested as deep as there are dimensions: [[0, 3], [1, 2]].
void read(JsonDecoder& reading, const JsonCursor& spot, IntTensor& target);
/// An integer or an expression: a Value that is neither true/false nor a list.
void readNumber(JsonDecoder& reading, const JsonCursor& spot, Value& target);
/// An identifier: the names of nodes, ports, knobs, constants and inputs.
void readName(JsonDecoder& reading, const JsonCursor& spot, std::string& target);

/// Names that were read, each with what it names and where.
struct SeenName {
  std::string what;
  Location place;
};
using SeenNames = std::map<std::string, SeenName>;

/// Refuses a name that was there before.
void refuseTwice(JsonDecoder& reading, const JsonCursor& spot, const std::string& what,
                 const std::string& name, SeenNames& seen);

/// An object with a fixed set of keys; unknown ones are refused when it is made.
class ObjectReader {
 public:
  ObjectReader(JsonDecoder& reading, const JsonCursor& spot, const std::string& what,
               std::vector<std::string> keys);

  explicit operator bool() const { return object_ != nullptr; }
  std::optional<JsonCursor> find(std::string_view key) const;
  /// Refuses when there is no such key.
  std::optional<JsonCursor> require(std::string_view key) const;

  template <class T>
  void optional(std::string_view key, T& target) const {
    if (const auto spot = find(key)) read(reading_, *spot, target);
  }
  template <class T>
  void optional(std::string_view key, std::optional<T>& target) const {
    if (const auto spot = find(key)) read(reading_, *spot, target.emplace());
  }
  void requiredName(std::string_view key, std::string& target) const {
    if (const auto spot = require(key)) readName(reading_, *spot, target);
  }

 private:
  JsonDecoder& reading_;
  const JsonCursor& spot_;
  std::string what_;
  const Json::Object* object_;
};

/// Calls body(spot) for every element; refuses what is no list.
template <class Body>
void forEach(JsonDecoder& reading, const JsonCursor& spot, const std::string& what, Body body) {
  const Json::List* list = spot.json().list();
  if (!list) return reading.mismatch(spot, "a list of " + what, "write [ ... ]");
  for (std::size_t i = 0; i < list->size(); ++i) body(spot.element(i));
}

/// A whole text, which `readRoot(reading, root, thing)` reads.
template <class Thing, class ReadRoot>
Result<Thing> parseWhole(std::string_view json, const std::string& name, ReadRoot readRoot,
                         const std::stop_token& stop = {}) {
  SLUICE_TRY(const Json tree, parseJson(json, name, stop));
  JsonDecoder reading(name);
  Thing thing;
  readRoot(reading, JsonCursor(tree), thing);
  if (reading.failed()) return reading.diagnostics();
  return thing;
}

/// A whole file, which `parse(text, name)` reads.
template <class Parse>
auto loadWhole(const std::filesystem::path& file, Parse parse,
               std::uintmax_t limit = std::uintmax_t{64} << 20) -> decltype(parse({}, {})) {
  SLUICE_TRY(const std::string bytes, readFile(file, limit));
  return parse(bytes, file.string());
}

}  // namespace sluice::inline program
