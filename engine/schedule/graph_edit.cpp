#include "engine/schedule/graph_edit.h"

#include <algorithm>
#include <stdexcept>

#include "engine/program/spelling.h"

namespace sluice::inline schedule {
namespace {

/// As a factor of a product: a sum goes into parentheses.
std::string factor(const Value& value) {
  const std::string written = text(value);
  const bool plain = written.find_first_of("+-*/ ") == std::string::npos;
  return plain ? written : "(" + written + ")";
}

}  // namespace

std::size_t GraphEdit::position(const std::string& name) const {
  const auto found = std::find_if(graph_.nodes.begin(), graph_.nodes.end(),
                                  [&](const Node& node) { return node.name == name; });
  return static_cast<std::size_t>(found - graph_.nodes.begin());
}

Node& GraphEdit::node(const std::string& name) {
  return const_cast<Node&>(std::as_const(*this).node(name));
}

const Node& GraphEdit::node(const std::string& name) const {
  const Node* found = graph_.find(name);
  if (!found) throw std::logic_error("the graph has no node '" + name + "'");
  return *found;
}

std::string GraphEdit::freshName(const std::string& wish) const {
  return freeName(wish, [this](const std::string& name) { return has(name); });
}

const std::string& GraphEdit::earlier(const std::string& a, const std::string& b) const {
  return position(b) < position(a) ? b : a;
}

std::string GraphEdit::insertBefore(const std::string& anchor, Node node) {
  node.name = freshName(node.name);
  std::string name = node.name;
  graph_.nodes.insert(graph_.nodes.begin() + static_cast<std::ptrdiff_t>(position(anchor)), std::move(node));
  return name;
}

std::string GraphEdit::insertAfter(const std::string& anchor, Node node) {
  node.name = freshName(node.name);
  std::string name = node.name;
  const std::size_t place = std::min(position(anchor) + 1, graph_.nodes.size());
  graph_.nodes.insert(graph_.nodes.begin() + static_cast<std::ptrdiff_t>(place), std::move(node));
  return name;
}

void GraphEdit::erase(const std::string& name) {
  std::erase_if(graph_.nodes, [&](const Node& node) { return node.name == name; });
  std::erase_if(graph_.streams,
                [&](const Stream& stream) { return stream.from.node == name || stream.to.node == name; });
}

void GraphEdit::connect(Endpoint from, Endpoint to, std::optional<Value> depth) {
  graph_.streams.push_back({std::move(from), std::move(to), std::move(depth)});
}

std::vector<std::size_t> GraphEdit::streamsFrom(const Endpoint& source) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < graph_.streams.size(); ++i)
    if (sameEnd(graph_.streams[i].from, source)) found.push_back(i);
  return found;
}

std::vector<Endpoint> GraphEdit::targetsOf(const Endpoint& source) const {
  std::vector<Endpoint> targets;
  for (const std::size_t i : streamsFrom(source)) targets.push_back(graph_.streams[i].to);
  return targets;
}

std::optional<Endpoint> GraphEdit::sourceOf(const Endpoint& target) const {
  for (const Stream& stream : graph_.streams)
    if (sameEnd(stream.to, target)) return stream.from;
  return std::nullopt;
}

void GraphEdit::interpose(const Endpoint& target, const std::string& name, const std::string& in,
                          const std::string& out) {
  for (std::size_t i = 0; i < graph_.streams.size(); ++i) {
    if (!sameEnd(graph_.streams[i].to, target)) continue;
    const Endpoint end = graph_.streams[i].to;
    graph_.streams[i].to = endOf(name, in);
    graph_.streams.insert(graph_.streams.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                          {endOf(name, out), end, std::nullopt});
    return;
  }
  throw std::logic_error("no stream into '" + text(target) + "'");
}

void GraphEdit::redirect(const Endpoint& old, const Endpoint& fresh) {
  for (Stream& stream : graph_.streams)
    if (sameEnd(stream.from, old)) stream.from = fresh;
}

void GraphEdit::disconnect(const Endpoint& target) {
  std::erase_if(graph_.streams, [&](const Stream& stream) { return sameEnd(stream.to, target); });
}

Node operatorNode(std::string name, std::string kind, Values parameters) {
  Node node;
  node.name = std::move(name);
  node.kind = std::move(kind);
  node.parameters = std::move(parameters);
  return node;
}

Endpoint endOf(std::string node, std::string port) {
  return {std::move(node), std::move(port), std::nullopt};
}

bool sameEnd(const Endpoint& a, const Endpoint& b) {
  return a.node == b.node && a.port == b.port;
}

Value quotient(const Value& a, const Value& b) {
  if (b == Value(1)) return a;
  if (a.integer() && b.integer() && *b.integer() != 0) return Value(*a.integer() / *b.integer());
  return Value(factor(a) + "/" + factor(b));
}

Value product(const Value& a, const Value& b) {
  if (a == Value(1)) return b;
  if (b == Value(1)) return a;
  if (a.integer() && b.integer()) return Value(*a.integer() * *b.integer());
  return Value(factor(a) + "*" + factor(b));
}

std::vector<Value> listOf(const Value& value) {
  return value.list() ? *value.list() : std::vector<Value>{};
}

}  // namespace sluice::inline schedule
