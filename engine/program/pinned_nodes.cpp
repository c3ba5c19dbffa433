#include "engine/program/pinned_nodes.h"

#include "engine/core/atomic_file.h"
#include "engine/program/file_format.h"
#include "engine/program/json_tree.h"

namespace sluice {
namespace {

constexpr std::string_view key = "pinned";

bool isNode(const Graph& graph, const std::string& path) {
  const std::size_t dot = path.find('.');
  const Node* node = graph.find(path.substr(0, dot));
  if (!node || dot == std::string::npos) return node;
  return node->body && isNode(node->body->body, path.substr(dot + 1));
}

}  // namespace

std::set<std::string> pinnedNodes(const std::filesystem::path& file) {
  std::set<std::string> pinned;
  const Result<std::string> bytes = readFile(file, std::uintmax_t{64} << 20);
  if (!bytes) return pinned;
  const Result<Json> tree = parseJson(*bytes, file.string());
  if (!tree || !tree->object()) return pinned;
  for (const JsonMember& member : *tree->object()) {
    if (member.key != key || !member.value.list()) continue;
    for (const Json& each : *member.value.list())
      if (const auto* path = std::get_if<std::string>(&each.value)) pinned.insert(*path);
  }
  return pinned;
}

Result<Done> saveDocument(const Document& document, const std::set<std::string>& pinned,
                          const std::filesystem::path& file) {
  std::string list;
  for (const std::string& path : pinned)
    if (isNode(document.program, path)) list += (list.empty() ? "" : ", ") + jsonString(path);
  std::string text = writeDocument(document);
  // A document ends with "\n}\n", after its last member.
  if (!list.empty()) text.insert(text.size() - 3, ",\n  \"" + std::string(key) + "\": [" + list + "]");
  return writeFileAtomically(file, text);
}

}  // namespace sluice
