#pragma once
// Where a diagnostic is, as data: a path of parts from the outside in, such as the file, its line and column;
// the schedule's step and its argument; the operator and its port.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// What a part of a location is. locationWord() names it in words and in JSON.
enum class Where : std::uint8_t {
  Text,  ///< words for what has no kind of its own
  File,
  Line,
  Column,
  JsonPath,  ///< "$.program.nodes[3].parameters.rank"
  Operator,  ///< of the flat program: "expert[3].gate"
  Node,      ///< of the document: "expert.gate"
  Region,    ///< likewise
  Port,
  InputPort,
  OutputPort,
  Stream,  ///< its identity in the document, or its ends: "a.out -> b.in"
  Parameter,
  Knob,
  Constant,
  Symbol,
  Input,  ///< of the document
  Machine,
  Field,  ///< of what stands before: "depth", "count"
  ScheduleStep,
  Argument,
  Option,  ///< of the command line, with what it was given: "--set tile=3"
  DesignSpace,
  Constraint,
  ExploredPoints,  ///< those of a state
  Store,
  Figure,
  Platform,
  Tensor,
  Task,
  Kernel,
  Fifo,
  Buffer,
  Rewrite,
  Nest,
  Loop,
  Array,
};

/// "schedule step"; of fields and texts what they are.
std::string_view locationWord(Where kind);

struct LocationPart {
  Where kind = Where::Text;
  std::string name;
  std::int64_t number = 0;  ///< a line, a column, a step, from 1; 0: none
  std::string detail;       ///< more of it for people: "a.out -> b.in" of the stream "#b.in"

  bool operator==(const LocationPart&) const = default;
  auto operator<=>(const LocationPart&) const = default;
};

class Location {
 public:
  Location() = default;
  Location(std::string words);
  Location(const char* words) : Location(std::string(words)) {}
  explicit Location(Where kind, std::string name = {}, std::string detail = {});
  Location(Where kind, std::int64_t number, std::string name = {}, std::string detail = {});

  /// `inner` is in it.
  Location& operator/=(const Location& inner);
  friend Location operator/(Location outer, const Location& inner) { return outer /= inner; }

  bool empty() const { return parts_.empty(); }
  const std::vector<LocationPart>& parts() const { return parts_; }
  /// The innermost part of that kind; null if there is none.
  const LocationPart* find(Where kind) const;
  bool beginsWith(Where kind) const { return !empty() && parts_.front().kind == kind; }

  bool operator==(const Location&) const = default;
  auto operator<=>(const Location&) const = default;

 private:
  std::vector<LocationPart> parts_;
};

/// "graph.json: operator 'gate', port 'in'", "schedule step 2, tile, argument 'region'".
std::string text(const Location& location);

}  // namespace sluice
