#include "app/window/document/places.h"

#include <charconv>
#include <string_view>

#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

std::optional<Place> nodePlace(const Document& document, const std::string& name) {
  std::string path = withoutIndices(name);
  if (findNode(document, path)) return Place{path, {}};
  // "gate.in" names a port, "pack.out.broadcast" what elaboration put in: the node is further up.
  for (std::size_t dot = path.rfind('.'); dot != std::string::npos; dot = path.rfind('.')) {
    path.resize(dot);
    if (findNode(document, path)) return Place{path, {}};
  }
  return std::nullopt;
}

/// "expert.pack.out -> expert.gate.in" of a stream, its graph's path before both ends.
std::string fullName(const Stream& stream, const std::string& id) {
  const std::string graph = graphOfStream(id);
  const std::string prefix = graph.empty() ? "" : graph + ".";
  return withoutIndices(prefix + text(stream.from) + " -> " + prefix + text(stream.to));
}

std::optional<Place> streamPlace(const Document& document, const std::string& name) {
  if (findStream(document, name)) return Place{{}, name};
  if (name.find(" -> ") == std::string::npos) return std::nullopt;
  const std::string wanted = withoutIndices(name);
  for (const auto& [id, stream] : namedStreams(document)) {
    const std::string plain = withoutIndices(text(stream->from) + " -> " + text(stream->to));
    if (fullName(*stream, id) == wanted || plain == wanted) return Place{{}, id};
  }
  return nodePlace(document, name.substr(0, name.find(" -> ")));
}

/// The number behind `key`, as in ".nodes[4]" at the beginning of a path; takes both away.
std::optional<std::size_t> takeElement(std::string_view& path, std::string_view key) {
  if (!path.starts_with(key)) return std::nullopt;
  std::size_t index = 0;
  const char* const end = path.data() + path.size();
  const auto [stop, error] = std::from_chars(path.data() + key.size(), end, index);
  if (error != std::errc() || stop == end || *stop != ']') return std::nullopt;
  path.remove_prefix(static_cast<std::size_t>(stop + 1 - path.data()));
  return index;
}

/// "$.program.nodes[4].program.streams[2].depth" -> "expert#gate.in".
std::optional<Place> jsonPlace(const Document& document, std::string_view path) {
  if (!path.starts_with('$')) return std::nullopt;
  path.remove_prefix(1);
  const Graph* graph = &document.program;
  std::string prefix;
  std::optional<Place> found;
  while (graph) {
    if (const auto stream = takeElement(path, ".program.streams[")) {
      if (*stream < graph->streams.size()) found = Place{{}, streamIds(*graph, prefix)[*stream]};
      return found;
    }
    const auto index = takeElement(path, ".program.nodes[");
    if (!index || *index >= graph->nodes.size()) return found;
    const Node& node = graph->nodes[*index];
    prefix += (prefix.empty() ? "" : ".") + node.name;
    found = Place{prefix, {}};
    graph = node.body ? &node.body->body : nullptr;
  }
  return found;
}

}  // namespace

std::optional<Place> resolvePlace(const Document& document, const Location& location) {
  for (const LocationPart& part : location.parts()) {
    switch (part.kind) {
      case Where::JsonPath:
        return jsonPlace(document, part.name);
      case Where::Stream:
        if (auto found = streamPlace(document, part.name)) return found;
        break;
      case Where::Operator:
      case Where::Node:
      case Where::Region:
        if (auto found = nodePlace(document, part.name)) return found;
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

}  // namespace sluice::ui
