// A part of a program as text, for the clipboard.

#include <algorithm>
#include <map>

#include "app/window/edit/graph_edits.h"
#include "engine/program/document_values.h"
#include "engine/program/file_format.h"
#include "engine/schedule/graph_edit.h"
#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

/// Constants may name further constants and knobs.
void close(const Document& document, std::set<std::string>& names) {
  for (std::size_t before = 0; before != names.size();) {
    before = names.size();
    for (const auto& [name, value] : document.constants)
      if (names.contains(name)) addNames(value, names);
  }
}

}  // namespace

Result<std::string> copyText(const Document& document, const std::set<std::string>& nodes) {
  SLUICE_TRY(const std::string path, commonGraph(nodes));
  const std::set<std::string> chosen = outermost(nodes);
  Document part;
  part.title = "part of " + (document.title.empty() ? "a program" : document.title);
  const Graph& graph = *findGraph(document, path);
  const auto taken = [&](const std::string& name) { return chosen.contains(joinPath(path, name)); };
  for (const Node& node : graph.nodes)
    if (taken(node.name)) part.program.nodes.push_back(node);
  for (const Stream& stream : graph.streams)
    if (taken(stream.from.node) && taken(stream.to.node)) part.program.streams.push_back(stream);
  std::set<std::string> names;
  forEachValue(part, [&](const Value& value) { addNames(value, names); });
  close(document, names);
  for (const auto& [name, value] : document.constants)
    if (names.contains(name)) part.constants[name] = value;
  for (const Knob& knob : document.knobs)
    if (names.contains(knob.name)) part.knobs.push_back(knob);
  for (const Input& input : document.inputs)
    if (names.contains(input.name)) part.inputs.push_back(input);
  return writeDocument(part);
}

Result<std::vector<std::string>> pasteText(Document& document, const std::string& graph,
                                           const std::string& text, Position offset) {
  Result<Document> part = parseDocument(text, "clipboard");
  if (!part) {
    return error("wrong-format", "clipboard",
                 "it holds no part of a program: " + part.diagnostics().front().cause,
                 "copy nodes of the canvas first");
  }
  Graph* around = findGraph(document, graph);
  if (!around)
    return error("unknown-region", Location(Where::Region, graph), "the program has no such region",
                 "select the region to paste into, or nothing");
  std::map<std::string, std::string> renamed;
  std::vector<std::string> paths;
  for (Node& node : part->program.nodes) {
    const std::string old = node.name;
    node.name = GraphEdit(*around).freshName(old);
    renamed[old] = node.name;
    if (node.at) node.at = Position{node.at->x + offset.x, node.at->y + offset.y};
    paths.push_back(joinPath(graph, node.name));
    around->nodes.push_back(node);
  }
  for (Stream stream : part->program.streams) {
    for (Endpoint* end : {&stream.from, &stream.to}) {
      const auto found = renamed.find(end->node);
      if (found != renamed.end()) end->node = found->second;
    }
    around->streams.push_back(stream);
  }
  for (const auto& [name, value] : part->constants) document.constants.try_emplace(name, value);
  const auto has = [](const auto& list, const std::string& name) {
    return std::any_of(list.begin(), list.end(), [&](const auto& each) { return each.name == name; });
  };
  for (const Knob& knob : part->knobs)
    if (!has(document.knobs, knob.name)) document.knobs.push_back(knob);
  for (const Input& input : part->inputs)
    if (!has(document.inputs, input.name)) document.inputs.push_back(input);
  return paths;
}

}  // namespace sluice::ui
