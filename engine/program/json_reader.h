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
class Spot {
 public:
  explicit Spot(const Json& root) : json_(root) {}

  const Json& json() const { return json_; }
  Spot member(const JsonMember& member) const { return Spot(member.value, this, member.key, 0); }
  Spot element(std::size_t index) const { return Spot((*json_.list())[index], this, {}, index); }
  std::string path() const;  ///< "$.program.nodes[3].parameters.rank"

 private:
  Spot(const Json& json, const Spot* parent, std::string_view key, std::size_t index)
      : json_(json), parent_(parent), key_(key), index_(index) {}

  const Json& json_;
  const Spot* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

/// The diagnostics of one reading.
class Reading {
 public:
  explicit Reading(std::string name) : name_(std::move(name)) {}

  void refuse(Code code, const Spot& spot, std::string cause, std::string fix,
              std::vector<Location> related = {});
  /// "expected EXPECTED, found FOUND".
  void mismatch(const Spot& spot, const std::string& expected, std::string fix, Code code = "json-type");
  Location placeOf(const Spot& spot) const;
  bool failed() const { return !diagnostics_.empty(); }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  std::string name_;
  Diagnostics diagnostics_;
};

// Each reads `spot` into `target`, or refuses and leaves `target` alone.
void read(Reading& reading, const Spot& spot, std::string& target);
void read(Reading& reading, const Spot& spot, bool& target);
void read(Reading& reading, const Spot& spot, std::int64_t& target);
void read(Reading& reading, const Spot& spot, std::uint64_t& target);
void read(Reading& reading, const Spot& spot, double& target);
void read(Reading& reading, const Spot& spot,
          Value& target);  ///< whole number, true/false, text, list of these
void read(Reading& reading, const Spot& spot, Position& target);  ///< [x, y]
void read(Reading& reading, const Spot& spot, std::vector<std::int64_t>& target);
void read(Reading& reading, const Spot& spot, std::vector<std::string>& target);
/// Lists of whole numbers, nested as deep as there are dimensions: [[0, 3], [1, 2]].
void read(Reading& reading, const Spot& spot, IntTensor& target);
/// An integer or an expression: a Value that is neither true/false nor a list.
void readNumber(Reading& reading, const Spot& spot, Value& target);
/// An identifier: the names of nodes, ports, knobs, constants and inputs.
void readName(Reading& reading, const Spot& spot, std::string& target);

/// Names that were read, each with what it names and where.
struct SeenName {
  std::string what;
  Location place;
};
using SeenNames = std::map<std::string, SeenName>;

/// Refuses a name that was there before.
void refuseTwice(Reading& reading, const Spot& spot, const std::string& what, const std::string& name,
                 SeenNames& seen);

/// An object with a fixed set of keys; unknown ones are refused when it is made.
class ObjectReader {
 public:
  ObjectReader(Reading& reading, const Spot& spot, const std::string& what, std::vector<std::string> keys);

  explicit operator bool() const { return object_ != nullptr; }
  std::optional<Spot> find(std::string_view key) const;
  /// Refuses when there is no such key.
  std::optional<Spot> require(std::string_view key) const;

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
  Reading& reading_;
  const Spot& spot_;
  std::string what_;
  const Json::Object* object_;
};

/// Calls body(spot) for every element; refuses what is no list.
template <class Body>
void forEach(Reading& reading, const Spot& spot, const std::string& what, Body body) {
  const Json::List* list = spot.json().list();
  if (!list) return reading.mismatch(spot, "a list of " + what, "write [ ... ]");
  for (std::size_t i = 0; i < list->size(); ++i) body(spot.element(i));
}

/// A whole text, which `readRoot(reading, root, thing)` reads.
template <class Thing, class ReadRoot>
Result<Thing> parseWhole(std::string_view json, const std::string& name, ReadRoot readRoot,
                         const std::stop_token& stop = {}) {
  SLUICE_TRY(const Json tree, parseJson(json, name, stop));
  Reading reading(name);
  Thing thing;
  readRoot(reading, Spot(tree), thing);
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
