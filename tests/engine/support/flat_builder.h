#pragma once
// FlatBuilder: small flat graphs for tests, without a document. Parameters that are not given take the spec's
// default.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/program/flat_graph.h"

namespace sluice {

/// One output port of an operator.
struct Output {
  OperatorId op = 0;
  std::uint32_t port = 0;
  bool operator==(const Output&) const = default;
};

using Setting =
    std::variant<std::int64_t, bool, std::string, std::vector<std::int64_t>, std::vector<StreamOrder>>;
using Settings = std::map<std::string, Setting>;

class FlatBuilder {
 public:
  BoundMachine machine;
  std::uint64_t depth = 2;  ///< of the streams that the next add() makes

  /// Adds an operator fed by `inputs`, in port order; bundled ports spread out. Misuse (unknown kind or
  /// parameter, an output with two consumers, too few inputs) throws std::logic_error.
  OperatorId add(const std::string& kind, const Settings& settings = {},
                 const std::vector<Output>& inputs = {});
  /// The same for operators with one output.
  Output through(const std::string& kind, const Settings& settings = {},
                 const std::vector<Output>& inputs = {}) {
    return {add(kind, settings, inputs), 0};
  }
  /// All outputs of an operator.
  std::vector<Output> outputs(OperatorId op) const;
  std::vector<Output> broadcast(Output from, std::size_t ways);
  /// Gives every output that nobody reads a Consumer.
  void consumeTheRest();
  /// The stream that leaves an output; it must have a consumer.
  StreamId stream(Output output) const;

  /// The graph; every output must have a consumer.
  FlatGraph build() const;

 private:
  static constexpr StreamId nobody = ~StreamId{0};
  std::size_t portCount(const FlatOperator& op, const std::vector<PortSpec>& ports) const;
  void connect(Output from, OperatorId to, std::size_t port);

  FlatGraph graph_;
};

/// The same graph with operator i moved to position `position[i]` (ports of the memory are polled in this
/// order).
FlatGraph reordered(const FlatGraph& graph, std::span<const OperatorId> position);
/// The graph without one operator and all that hangs on its outputs; streams that are cut end in Consumers.
FlatGraph without(const FlatGraph& graph, OperatorId op);
/// As text, one line an operator, for failure messages.
std::string text(const FlatGraph& graph);

}  // namespace sluice
