#include "engine/program/stream_id.h"

#include <charconv>

namespace sluice::inline program {
namespace {

/// "#join.in2~2" is the second stream into "join.in2" in the graph "".
struct Parts {
  std::string_view graph, end;
  std::size_t number = 1;
};

std::optional<Parts> split(std::string_view id) {
  const std::size_t hash = id.find('#');
  if (hash == std::string_view::npos) return std::nullopt;
  Parts parts{id.substr(0, hash), id.substr(hash + 1)};
  const std::size_t tilde = parts.end.rfind('~');
  if (tilde == std::string_view::npos || parts.end.ends_with(']')) return parts;
  const char* const stop = parts.end.data() + parts.end.size();
  const auto [end, error] = std::from_chars(parts.end.data() + tilde + 1, stop, parts.number);
  if (error != std::errc() || end != stop || parts.number < 2) return std::nullopt;
  parts.end = parts.end.substr(0, tilde);
  return parts;
}

/// In a document that is const or not.
template <class AnyDocument>
auto streamOf(AnyDocument& document, std::string_view id) -> decltype(document.program.streams.data()) {
  const std::optional<Parts> parts = split(id);
  auto* graph = parts ? findGraph(document, std::string(parts->graph)) : nullptr;
  if (!graph) return nullptr;
  std::size_t number = 0;
  for (auto& stream : graph->streams) {
    if (!parts->end.starts_with(stream.to.node) || text(stream.to) != parts->end) continue;
    if (++number == parts->number) return &stream;
  }
  return nullptr;
}

template <class AnyGraph, class Visit>
void visitStreams(AnyGraph& graph, const std::string& path, const Visit& visit) {
  std::vector<std::string> ids = streamIds(graph, path);
  for (std::size_t i = 0; i < ids.size(); ++i) visit(std::move(ids[i]), graph.streams[i]);
  for (auto& node : graph.nodes)
    if (node.body) visitStreams(node.body->body, path.empty() ? node.name : path + "." + node.name, visit);
}

}  // namespace

std::vector<std::string> streamIds(const Graph& graph, const std::string& path) {
  std::vector<std::string> ids;
  ids.reserve(graph.streams.size());  // so that what `times` refers to stays
  std::unordered_map<std::string_view, std::size_t> times;
  times.reserve(graph.streams.size());
  for (const Stream& stream : graph.streams) {
    std::string& id = ids.emplace_back(path + "#" + text(stream.to));
    if (const std::size_t number = ++times[id]; number > 1) id += "~" + std::to_string(number);
  }
  return ids;
}

bool namesStream(std::string_view path_or_id) {
  return path_or_id.find('#') != std::string_view::npos;
}

std::string graphOfStream(std::string_view id) {
  return std::string(id.substr(0, id.find('#')));
}

bool isWithin(std::string_view path_or_id, std::string_view path) {
  if (!path_or_id.starts_with(path)) return false;
  const std::string_view rest = path_or_id.substr(path.size());
  return rest.empty() || rest.front() == '.' || rest.front() == '#';
}

const Stream* findStream(const Document& document, std::string_view id) {
  return streamOf(document, id);
}

Stream* findStream(Document& document, std::string_view id) {
  return streamOf(document, id);
}

std::vector<NamedStream> namedStreams(const Document& document) {
  std::vector<NamedStream> streams;
  visitStreams(document.program, "", [&](std::string id, const Stream& stream) {
    streams.push_back({std::move(id), &stream});
  });
  return streams;
}

std::unordered_map<std::string, const Stream*> streamsById(const Document& document) {
  std::unordered_map<std::string, const Stream*> streams;
  visitStreams(document.program, "",
               [&](std::string id, const Stream& stream) { streams.emplace(std::move(id), &stream); });
  return streams;
}

std::unordered_map<std::string, Stream*> streamsById(Document& document) {
  std::unordered_map<std::string, Stream*> streams;
  visitStreams(document.program, "",
               [&](std::string id, Stream& stream) { streams.emplace(std::move(id), &stream); });
  return streams;
}

}  // namespace sluice::inline program
