#pragma once
// Edits of the program's graph, each a plain function of the document like those of document_edits.h. Graphs
// are named by the path of their region, the program itself by "".

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/program/document.h"
#include "engine/program/operator_spec.h"

namespace sluice::ui {

/// What is selected: paths of nodes and ids of streams.
struct Selection {
  std::set<std::string> nodes, streams;
  bool empty() const { return nodes.empty() && streams.empty(); }
  bool operator==(const Selection&) const = default;
};

/// "expert.gate" -> "expert"; "gate" -> ""; "expert#gate.in" -> "expert".
std::string graphOf(const std::string& path_or_id);
/// "expert.gate" -> "gate".
std::string nameOf(const std::string& path);
std::string joinPath(const std::string& graph, const std::string& name);
/// Without those that lie inside a region that is named, too.
std::set<std::string> outermost(const std::set<std::string>& nodes);
/// The graph that all the nodes stand in; the diagnostic says that they stand in several.
Result<std::string> commonGraph(const std::set<std::string>& nodes);

/// A node with every parameter that must be given: as its spec suggests, or the least that is allowed, so
/// that it can be typed at once.
Node newNode(const Document& document, const OperatorSpec& spec, const std::string& name);
/// Gives its path, or "" where there is no such graph.
std::string addOperator(Document& document, const std::string& graph, const OperatorSpec& spec, Position at);
/// An empty region.
std::string addRegion(Document& document, const std::string& graph, Position at);
void addStream(Document& document, const std::string& graph, const Stream& stream);
/// Puts a new operator between the ends of a stream, by its first input and first output; the stream keeps
/// its depth on both sides.
std::string insertOnStream(Document& document, const std::string& origin, const OperatorSpec& spec,
                           Position at);
/// Whether an operator can be put into a stream: it has an input and an output that are single streams.
bool canInsert(const OperatorSpec& spec);
/// Deletes nodes with their streams, and streams.
void removeParts(Document& document, const Selection& parts);
/// The streams, the steps of the schedule and the pins that name the node follow it.
Result<Done> renameNode(Document& document, const std::string& path, const std::string& name);

/// Nodes have other paths than before: their pins, and those of what is inside them, go with them.
void followInPins(Document& document, const std::map<std::string, std::string>& moved);

/// Whether an end is a bundle of streams as a whole: a port with a width, or one of a replicated region.
bool isBundle(const Document& document, const std::string& graph, const Endpoint& end, bool output,
              const Catalog& catalog);

/// Groups nodes of one graph into a region, which stands where the first of them stood; gives its path. What
/// crosses its boundary becomes its ports, so that the program computes the same.
Result<std::string> groupIntoRegion(Document& document, const std::set<std::string>& nodes,
                                    const Catalog& catalog);
/// The other way: what is in the region joins the graph around; the paths of what was in it. Only of a region
/// that has one instance.
Result<std::vector<std::string>> dissolveRegion(Document& document, const std::string& path);

/// Nodes of one graph with the streams among them, and the knobs, constants and inputs that they name, as
/// text: a document of its own.
Result<std::string> copyText(const Document& document, const std::set<std::string>& nodes);
/// Puts them into a graph, moved by `offset`, under new names where theirs are taken; gives their paths.
Result<std::vector<std::string>> pasteText(Document& document, const std::string& graph,
                                           const std::string& text, Position offset);

}  // namespace sluice::ui
