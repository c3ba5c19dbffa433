#include "app/window/document/program_match.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace sluice::ui {
namespace {

/// Whatever stands inside a region is compared for itself.
bool sameNode(const Node& a, const Node& b, bool parameters) {
  if (a.kind != b.kind || !a.body != !b.body) return false;
  if (!parameters) return true;
  if (a.parameters != b.parameters) return false;
  const auto shell = [](const Region& region) {
    return std::tie(region.count, region.index, region.inputs, region.outputs, region.widths);
  };
  return !a.body || shell(*a.body) == shell(*b.body);
}

using Ends = std::pair<std::string, std::string>;

Ends endsOf(const Stream& stream) {
  return {text(stream.from), text(stream.to)};
}

void matchInto(const Graph& one, const Graph& other, const std::string& path, bool parameters,
               ProgramMatch& match) {
  const std::string prefix = path.empty() ? "" : path + ".";
  std::unordered_map<std::string_view, const Node*> twins;
  for (const Node& node : other.nodes) twins.emplace(node.name, &node);
  for (const Node& node : one.nodes) {
    const auto found = twins.find(node.name);
    if (found == twins.end()) continue;
    const Node* twin = found->second;
    if (sameNode(node, *twin, parameters)) match.nodes.insert(prefix + node.name);
    if (node.body && twin->body)
      matchInto(node.body->body, twin->body->body, prefix + node.name, parameters, match);
  }
  std::map<Ends, std::size_t> positions;
  for (std::size_t i = 0; i < other.streams.size(); ++i) positions.emplace(endsOf(other.streams[i]), i);
  const auto known = [&](const std::string& node) {
    return node == "region" || match.nodes.contains(prefix + node);
  };
  for (std::size_t i = 0; i < one.streams.size(); ++i) {
    const Stream& stream = one.streams[i];
    const auto twin = positions.find(endsOf(stream));
    if (twin == positions.end() || !known(stream.from.node) || !known(stream.to.node)) continue;
    match.streams.emplace(path + "#" + std::to_string(i), path + "#" + std::to_string(twin->second));
  }
}

}  // namespace

std::optional<std::string> ProgramMatch::stream(const std::string& origin) const {
  const auto found = streams.find(origin);
  return found == streams.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> ProgramMatch::place(const std::string& path_or_origin) const {
  if (nodes.contains(path_or_origin)) return path_or_origin;
  return stream(path_or_origin);
}

ProgramMatch matchPrograms(const Graph& one, const Graph& other, bool parameters) {
  ProgramMatch match;
  matchInto(one, other, "", parameters, match);
  return match;
}

ProgramMatch reversed(const ProgramMatch& match) {
  ProgramMatch result{match.nodes, {}};
  for (const auto& [from, to] : match.streams) result.streams.emplace(to, from);
  return result;
}

bool sameWiring(const Graph& one, const Graph& other) {
  const auto same_ends = [](const Stream& a, const Stream& b) { return a.from == b.from && a.to == b.to; };
  const auto same_inside = [](const Node& a, const Node& b) {
    if (a.name != b.name || !a.body != !b.body) return false;
    return !a.body || sameWiring(a.body->body, b.body->body);
  };
  return std::equal(one.streams.begin(), one.streams.end(), other.streams.begin(), other.streams.end(),
                    same_ends) &&
         std::equal(one.nodes.begin(), one.nodes.end(), other.nodes.begin(), other.nodes.end(), same_inside);
}

}  // namespace sluice::ui
