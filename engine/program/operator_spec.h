#pragma once
// What the program layer must know of an operator to check, draw and edit it: its parameters and its ports.
// The operators layer adds shape rule, cost and behaviour (engine/operators/operator.h) and fills the
// catalog.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/range.h"
#include "engine/program/value.h"

namespace sluice::inline program {

enum class ParameterKind {
  Integer,
  Boolean,
  Choice,
  IntegerList,
  Input,  ///< the name of one of the document's inputs
  Text,   ///< any text
  Orders  ///< a list of iterative tensor types, as texts; an empty text: none
};

struct ParameterSpec {
  std::string name;
  ParameterKind kind = ParameterKind::Integer;
  std::optional<Value> initial;      ///< absent: must be given
  Range range;                       ///< Integer and every element of an IntegerList
  std::vector<std::string> choices;  ///< Choice
  std::string help;
  std::string unit;       ///< "tiles", "bytes", "cycles", "FLOPs/cycle" or empty
  bool duration = false;  ///< how long something takes, and nothing else: what re-timing may change
  /// Where it must be given, what a new operator begins with; absent: the least that may be.
  std::optional<Value> suggested = {};
};

/// The help, and the range of a whole number where it has an upper end.
std::string helpWithRange(const ParameterSpec& spec);

struct PortSpec {
  std::string name;
  std::string
      width;  ///< empty: one stream; else the Integer parameter that says how many streams the port bundles
  std::string help;
};

/// What a reader of the help asks of an operator, in sentences.
struct OperatorRules {
  std::string shape;   ///< the shape of the outputs
  std::string cost;    ///< on-chip memory, off-chip traffic (bytes) and FLOPs, as the cost rule counts them
  std::string timing;  ///< cycles, as the behaviour spends them
};

struct OperatorSpec {
  std::string kind;      ///< the paper's name: "Partition"
  std::string category;  ///< palette group: "Off-chip memory", "On-chip memory", "Routing", "Higher order",
                         ///< "Shape", "Source", "Sink"
  std::string summary;   ///< one sentence
  std::string paper;     ///< "STeP 3.2, Table 4"
  std::vector<ParameterSpec> parameters;
  std::vector<PortSpec> inputs, outputs;
  OperatorRules rules = {};

  const ParameterSpec* parameter(const std::string& name) const;
};

/// The operators a program may use, by kind.
class Catalog {
 public:
  explicit Catalog(std::vector<const OperatorSpec*> specs);
  const OperatorSpec* find(const std::string& kind) const;
  std::span<const OperatorSpec* const> all() const { return specs_; }  ///< in registry order
  std::vector<std::string> closest(
      const std::string& kind) const;  ///< up to 3 kinds spelled alike, for diagnostics

 private:
  std::vector<const OperatorSpec*> specs_;
};

}  // namespace sluice::inline program
