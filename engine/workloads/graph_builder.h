#pragma once
// GraphBuilder: writes a graph from the sources on, one operator a line.

#include <initializer_list>
#include <string>
#include <utility>

#include "engine/program/document.h"

namespace sluice::inline workloads {

using Feeds = std::initializer_list<std::pair<std::string, Endpoint>>;

class GraphBuilder {
 public:
  explicit GraphBuilder(Graph& graph) : graph_(graph) {}

  /// Adds an operator, feeds its inputs, and gives its output "out".
  Endpoint add(const std::string& name, const std::string& kind, Values parameters, Feeds feeds = {}) {
    Node node;
    node.name = name;
    node.kind = kind;
    node.parameters = std::move(parameters);
    graph_.nodes.push_back(std::move(node));
    for (const auto& [port, source] : feeds) feed({name, port, {}}, source);
    return {name, "out", {}};
  }
  /// Adds a region; its outputs are {name, port}.
  void add(const std::string& name, Region region, Feeds feeds = {}) {
    Node node;
    node.name = name;
    node.kind = "Region";
    node.body = std::move(region);
    graph_.nodes.push_back(std::move(node));
    for (const auto& [port, source] : feeds) feed({name, port, {}}, source);
  }
  /// One dimension of the two innermost ones.
  Endpoint flatten(const std::string& name, const Endpoint& source) {
    return add(name, "Flatten", {{"min", 0}, {"max", 1}}, {{"in", source}});
  }
  void feed(Endpoint target, const Endpoint& source, std::optional<Value> depth = {}) {
    graph_.streams.push_back({source, std::move(target), std::move(depth)});
  }
  /// A sink with room for everything, as the reference's consumers have.
  void drop(const std::string& name, const Endpoint& source) {
    add(name, "Consumer", {});
    feed({name, "in", {}}, source, Value(1024));
  }

  static Endpoint boundary(const std::string& port) { return {"region", port, {}}; }
  static Endpoint element(const Endpoint& bundle, std::int64_t index) {
    return {bundle.node, bundle.port, Value(index)};
  }

 private:
  Graph& graph_;
};

inline Value list(std::initializer_list<Value> values) {
  return Value(std::vector<Value>(values));
}

}  // namespace sluice::inline workloads
