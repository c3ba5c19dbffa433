#include "widgets/canvas/equal_regions.h"

#include <algorithm>

#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

bool areEqual(const Graph& a, const Graph& b);

/// Places on the canvas, and what is expanded there, do not count.
bool areEqual(const Region& a, const Region& b) {
  return a.count == b.count && a.index == b.index && a.inputs == b.inputs && a.outputs == b.outputs &&
         a.widths == b.widths && a.by_instance == b.by_instance && areEqual(a.body, b.body);
}

bool areEqual(const Node& a, const Node& b) {
  if (a.name != b.name || a.kind != b.kind || a.parameters != b.parameters) return false;
  return a.body && b.body ? areEqual(*a.body, *b.body) : !a.body && !b.body;
}

bool areEqual(const Graph& a, const Graph& b) {
  return a.streams == b.streams &&
         std::ranges::equal(a.nodes, b.nodes,
                            [](const Node& one, const Node& other) { return areEqual(one, other); });
}

using Kin = std::vector<const Node*>;  // of one graph

std::vector<Kin> kinsOf(const Graph& graph) {
  std::vector<Kin> kins;
  for (const Node& node : graph.nodes) {
    if (!node.body) continue;
    const auto found = std::ranges::find_if(
        kins, [&node](const Kin& kin) { return areEqual(*kin.front()->body, *node.body); });
    if (found == kins.end())
      kins.push_back({&node});
    else
      found->push_back(&node);
  }
  return kins;
}

/// What the names begin with, without a number at its end: "expert" of "expert_1" and "expert_12".
QString commonName(const Kin& kin) {
  std::string common = kin.front()->name;
  for (const Node* node : kin) common.erase(std::ranges::mismatch(common, node->name).in1, common.end());
  common.erase(common.find_last_not_of("_0123456789") + 1);
  return qt(common.empty() ? kin.front()->name : common);
}

void addGroups(const Graph& graph, const std::string& path, QList<NodeGroup>& groups) {
  const std::string prefix = path.empty() ? "" : path + ".";
  for (const Kin& kin : kinsOf(graph)) {
    if (kin.size() < 2) continue;
    const auto count = static_cast<int>(kin.size());
    NodeGroup group{
        commonName(kin), QObject::tr("%1 equal regions").arg(count), {}, GroupKind::EqualRegions, count};
    for (const Node* node : kin) group.nodes << qt(prefix + node->name);
    groups << group;
  }
  for (const Node& node : graph.nodes)
    if (node.body) addGroups(node.body->body, prefix + node.name, groups);
}

}  // namespace

QList<NodeGroup> equalRegions(const Document& document) {
  QList<NodeGroup> groups;
  addGroups(document.program, {}, groups);
  return groups;
}

}  // namespace sluice::ui
