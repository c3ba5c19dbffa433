#include "app/window/document/graph_correspondence.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "engine/program/stream_id.h"

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

void matchInto(const Graph& one, const Graph& other, const std::string& path, bool parameters,
               GraphCorrespondence& match) {
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
  const std::vector<std::string> ids = streamIds(one, path), other_ids = streamIds(other, path);
  std::unordered_map<std::string_view, const Stream*> twin_streams;
  for (std::size_t i = 0; i < other_ids.size(); ++i) twin_streams.emplace(other_ids[i], &other.streams[i]);
  const auto known = [&](const std::string& node) {
    return node == "region" || match.nodes.contains(prefix + node);
  };
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Stream& stream = one.streams[i];
    const auto twin = twin_streams.find(ids[i]);
    if (twin == twin_streams.end() || !(twin->second->from == stream.from)) continue;
    if (known(stream.from.node) && known(stream.to.node)) match.streams.insert(ids[i]);
  }
}

}  // namespace

GraphCorrespondence matchPrograms(const Graph& one, const Graph& other, bool parameters) {
  GraphCorrespondence match;
  matchInto(one, other, "", parameters, match);
  return match;
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
