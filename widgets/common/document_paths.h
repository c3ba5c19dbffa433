#pragma once
// Finding things in a document by the names that canvas and results use: a node by its path ("expert.gate",
// FlatOperator::origin), a stream by its id ("expert#gate.in", FlatStream::origin).

#include <optional>
#include <string>
#include <vector>

#include "engine/program/flat_graph.h"
#include "engine/program/stream_id.h"

namespace sluice::ui {

const Node* findNode(const Document& document, const std::string& path);
Node* findNode(Document& document, const std::string& path);

/// Paths of all nodes, regions' insides included, in document order.
std::vector<std::string> nodePaths(const Document& document);

/// The names an expression inside the node or stream may use: constants, knobs, and the indices of the
/// regions around it.
std::vector<std::string> namesInScope(const Document& document, const std::string& path);

/// "expert[3].pack.out -> expert[3].gate.in" -> "expert[3]: pack.out \u2192 gate.in", for narrow places.
std::string shortStreamName(const std::string& name);
/// "expert[3].gate" -> "expert.gate".
std::string withoutIndices(const std::string& name);
/// Elaboration puts a Broadcast behind a source with several streams. It has the origin of its source, and
/// the stream between the two that of the first consumer's; neither is in the document.
bool isInferredBroadcast(const FlatOperator& op);
bool feedsInferredBroadcast(const FlatGraph& graph, const FlatStream& stream);

}  // namespace sluice::ui
