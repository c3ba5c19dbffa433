#pragma once
// What a stream of a document is called: the path of its graph, '#', and the end that it feeds, as in
// "#join.in2", "expert#gate.in" or, into the region's own output, "expert#region.out". An end is fed once, so
// the name holds whatever else is edited. A document that feeds an end several times is wrong and shown all
// the same: from the second on these streams are "#join.in2~2", "#join.in2~3".

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/program/document.h"

namespace sluice::inline program {

/// Of all streams of a graph, in their order. `path` is that of the graph, "" for the program itself.
std::vector<std::string> streamIds(const Graph& graph, const std::string& path);

/// Whether it names a stream, and not a node by its path.
bool namesStream(std::string_view path_or_id);
/// "expert#gate.in" -> "expert".
std::string graphOfStream(std::string_view id);
/// Whether the node or stream is the node `path` or lies inside it, if it is a region.
bool isWithin(std::string_view path_or_id, std::string_view path);

/// A stream by its id, or null. Looks at every stream of its graph: for many, take streamsById.
const Stream* findStream(const Document& document, std::string_view id);
Stream* findStream(Document& document, std::string_view id);

struct NamedStream {
  std::string id;
  const Stream* stream = nullptr;
};
/// Every stream of the document: those of a graph before those of the regions in it.
std::vector<NamedStream> namedStreams(const Document& document);
std::unordered_map<std::string, const Stream*> streamsById(const Document& document);
std::unordered_map<std::string, Stream*> streamsById(Document& document);

}  // namespace sluice::inline program
