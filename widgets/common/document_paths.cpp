#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

void collect(const Graph& graph, const std::string& prefix, std::vector<std::string>& paths) {
  for (const Node& node : graph.nodes) {
    paths.push_back(prefix + node.name);
    if (node.body) collect(node.body->body, prefix + node.name + ".", paths);
  }
}

/// "pack.out.broadcast.out[2]" is "pack.out" to who wrote the program.
std::string withoutBroadcasts(std::string name) {
  static constexpr std::string_view inferred = ".broadcast.out[";
  for (std::size_t at = name.find(inferred); at != std::string::npos; at = name.find(inferred, at)) {
    const std::size_t number = at + inferred.size(), end = name.find_first_not_of("0123456789", number);
    if (end == number || end == std::string::npos || name[end] != ']') {
      at = number;
    } else {
      name.erase(at, end + 1 - at);
    }
  }
  return name;
}

}  // namespace

const Node* findNode(const Document& document, const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == 0) return nullptr;  // "" is no region's path
  const Graph* graph = findGraph(document, dot == std::string::npos ? "" : path.substr(0, dot));
  return graph ? graph->find(path.substr(dot + 1)) : nullptr;
}

Node* findNode(Document& document, const std::string& path) {
  return const_cast<Node*>(findNode(std::as_const(document), path));
}

std::vector<std::string> nodePaths(const Document& document) {
  std::vector<std::string> paths;
  collect(document.program, "", paths);
  return paths;
}

std::vector<std::string> namesInScope(const Document& document, const std::string& path) {
  std::vector<std::string> names;
  for (const auto& [name, value] : document.constants) names.push_back(name);
  for (const Knob& knob : document.knobs) names.push_back(knob.name);
  // Every region on the way down, for a stream to its graph.
  const std::string inside = graphOfStream(path);
  for (std::size_t end = inside.find('.');; end = inside.find('.', end + 1)) {
    const Node* node = findNode(document, inside.substr(0, end));
    if (node && node->body && !node->body->index.empty()) names.push_back(node->body->index);
    if (end == std::string::npos) return names;
  }
}

std::string shortStreamName(const std::string& full_name) {
  static const std::string arrow = " -> ";
  const std::string name = withoutBroadcasts(full_name);
  const std::size_t at = name.find(arrow);
  if (at == std::string::npos) return name;
  const std::string from = name.substr(0, at), to = name.substr(at + arrow.size());
  // The longest path of regions that both ends share; the last two parts of an end are its node and port.
  std::size_t shared = 0;
  for (std::size_t dot = from.find('.'); dot != std::string::npos; dot = from.find('.', dot + 1)) {
    const bool node_is_left =
        from.find('.', dot + 1) != std::string::npos && to.find('.', dot + 1) != std::string::npos;
    if (!node_is_left || to.compare(0, dot + 1, from, 0, dot + 1) != 0) break;
    shared = dot + 1;
  }
  const std::string ends = from.substr(shared) + " \u2192 " + to.substr(shared);
  return shared == 0 ? ends : from.substr(0, shared - 1) + ": " + ends;
}

std::string withoutIndices(const std::string& name) {
  std::string out;
  int depth = 0;
  for (const char c : name) {
    if (c == '[') ++depth;
    if (depth == 0) out += c;
    if (c == ']' && depth > 0) --depth;
  }
  return out;
}

bool isInferredBroadcast(const FlatOperator& op) {
  return op.inferred;
}

bool feedsInferredBroadcast(const FlatGraph& graph, const FlatStream& stream) {
  return isInferredBroadcast(graph.operators[stream.consumer]);
}

}  // namespace sluice::ui
