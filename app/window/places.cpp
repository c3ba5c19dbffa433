#include "app/window/places.h"

#include <charconv>
#include <regex>

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
std::string fullName(const Stream& stream, const std::string& origin) {
  const std::string graph = origin.substr(0, origin.rfind('#'));
  const std::string prefix = graph.empty() ? "" : graph + ".";
  return withoutIndices(prefix + text(stream.from) + " -> " + prefix + text(stream.to));
}

std::optional<Place> streamPlace(const Document& document, const std::string& name) {
  if (findStream(document, name)) return Place{{}, name};
  if (name.find(" -> ") == std::string::npos) return std::nullopt;
  const std::string wanted = withoutIndices(name);
  for (const std::string& origin : streamOrigins(document)) {
    const Stream& stream = *findStream(document, origin);
    const std::string plain = withoutIndices(text(stream.from) + " -> " + text(stream.to));
    if (fullName(stream, origin) == wanted || plain == wanted) return Place{{}, origin};
  }
  return nodePlace(document, name.substr(0, name.find(" -> ")));
}

/// "$.program.nodes[4].program.streams[2].depth" -> "expert#2".
std::optional<Place> jsonPlace(const Document& document, const std::string& path) {
  static const std::regex step("\\.program\\.(nodes|streams)\\[([0-9]+)\\]");
  const Graph* graph = &document.program;
  std::string prefix;
  std::optional<Place> found;
  for (std::sregex_iterator at(path.begin(), path.end(), step), end; at != end && graph; ++at) {
    std::size_t index = 0;
    const std::string digits = (*at)[2];
    std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if ((*at)[1] == "streams") {
      if (index < graph->streams.size()) found = Place{{}, prefix + "#" + std::to_string(index)};
      return found;
    }
    if (index >= graph->nodes.size()) return found;
    const Node& node = graph->nodes[index];
    prefix += (prefix.empty() ? "" : ".") + node.name;
    found = Place{prefix, {}};
    graph = node.body ? &node.body->body : nullptr;
  }
  return found;
}

}  // namespace

std::optional<Place> resolvePlace(const Document& document, const std::string& place) {
  if (place.starts_with('$')) return jsonPlace(document, place);
  if (auto found = streamPlace(document, place)) return found;
  static const std::regex quoted("(operator|node|region|stream|port) '([^']*)'");
  std::smatch match;
  if (std::regex_search(place, match, quoted)) {
    const std::string name = match[2];
    if (auto found = streamPlace(document, name)) return found;
    return nodePlace(document, name);
  }
  return place.find('\'') == std::string::npos ? nodePlace(document, place) : std::nullopt;
}

}  // namespace sluice::ui
