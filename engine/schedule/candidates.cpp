#include "engine/schedule/candidates.h"

#include <algorithm>

namespace sluice::inline schedule {
namespace {

/// The ends of streams in a graph, without those at the boundary of its region.
void collectEnds(const Graph& graph, const std::string& prefix, Endpoint Stream::*end,
                 std::vector<std::string>& ends) {
  for (const Stream& stream : graph.streams) {
    const Endpoint& at = stream.*end;
    if (at.node != "region") ends.push_back(prefix + at.node + "." + at.port);
  }
}

/// Every graph before those of the regions in it.
void collectInputs(const Graph& graph, const std::string& prefix, std::vector<std::string>& inputs) {
  collectEnds(graph, prefix, &Stream::to, inputs);
  for (const Node& node : graph.nodes)
    if (node.body) collectInputs(node.body->body, prefix + node.name + ".", inputs);
}

void collectNodes(const Graph& graph, const std::string& prefix, const ArgumentSpec& argument,
                  std::vector<std::string>& paths) {
  for (const Node& node : graph.nodes) {
    if (mayName(argument, node)) paths.push_back(prefix + node.name);
    if (node.body) collectNodes(node.body->body, prefix + node.name + ".", argument, paths);
  }
}

std::vector<std::string> portsOf(const Document& program, ArgumentKind kind, const std::string& region) {
  std::vector<std::string> ports;
  if (kind == ArgumentKind::AnyInput) {
    ports.push_back("*");
    collectInputs(program.program, "", ports);
    return ports;
  }
  const std::size_t dot = region.rfind('.');
  const Graph* around = region.empty()             ? nullptr
                        : dot == std::string::npos ? &program.program
                                                   : findGraph(program, region.substr(0, dot));
  const Node* node =
      around ? around->find(dot == std::string::npos ? region : region.substr(dot + 1)) : nullptr;
  if (!node || !node->body) return {};
  if (kind == ArgumentKind::RegionInput) return node->body->inputs;
  collectEnds(node->body->body, "", &Stream::from, ports);
  return ports;
}

}  // namespace

std::vector<std::string> candidates(const Document& program, const ArgumentSpec& argument,
                                    const std::string& region) {
  std::vector<std::string> names;
  if (namesNode(argument)) {
    collectNodes(program.program, "", argument, names);
  } else {
    names = namesPort(argument) ? portsOf(program, argument.kind, region) : argument.choices;
  }
  std::vector<std::string> once;
  for (const std::string& name : names)
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  return once;
}

}  // namespace sluice::inline schedule
