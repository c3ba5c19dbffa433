#pragma once
// GraphEdit: the few changes that transformations are made of. Nodes are named, never pointed to: inserting
// one moves the others.

#include <optional>
#include <string>
#include <vector>

#include "engine/program/document.h"

namespace sluice::inline schedule {

class GraphEdit {
 public:
  explicit GraphEdit(Graph& graph) : graph_(graph) {}

  bool has(const std::string& name) const { return graph_.find(name) != nullptr; }
  Node& node(const std::string& name);  ///< asking for one that is not there is a bug and throws
  const Node& node(const std::string& name) const;
  std::string freshName(const std::string& wish) const;  ///< the wish, or with _2, _3 ...
  /// Which of the two comes first in the graph.
  const std::string& earlier(const std::string& a, const std::string& b) const;

  /// Both give the new node's name. An `anchor` that is not a node: at the end.
  std::string insertBefore(const std::string& anchor, Node node);
  std::string insertAfter(const std::string& anchor, Node node);
  void erase(const std::string& name);  ///< with its streams

  void connect(Endpoint from, Endpoint to, std::optional<Value> depth = {});
  std::vector<std::size_t> streamsFrom(const Endpoint& source) const;
  std::vector<Endpoint> targetsOf(const Endpoint& source) const;
  /// What feeds an input.
  std::optional<Endpoint> sourceOf(const Endpoint& target) const;
  /// Sends the stream into `target` through a node: source -> node.in, node.out -> target.
  void interpose(const Endpoint& target, const std::string& node, const std::string& in,
                 const std::string& out);
  /// All streams that come from `old` come from `fresh` now.
  void redirect(const Endpoint& old, const Endpoint& fresh);
  void disconnect(const Endpoint& target);

  std::vector<Stream>& streams() { return graph_.streams; }
  const std::vector<Stream>& streams() const { return graph_.streams; }
  std::vector<Node>& nodes() { return graph_.nodes; }
  const std::vector<Node>& nodes() const { return graph_.nodes; }

 private:
  std::size_t position(const std::string& name) const;  ///< nodes().size() if it is not there

  Graph& graph_;
};

/// A node of a kind with parameters.
Node operatorNode(std::string name, std::string kind, Values parameters = {});
/// "node.port" of a single stream.
Endpoint endOf(std::string node, std::string port);
bool sameEnd(const Endpoint& a, const Endpoint& b);  ///< whatever the index
/// a/b and a*b as parameters: numbers where both are, else an expression.
Value quotient(const Value& a, const Value& b);
Value product(const Value& a, const Value& b);
std::vector<Value> listOf(const Value& value);  ///< its elements; none if it is no list

}  // namespace sluice::inline schedule
