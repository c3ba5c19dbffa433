#include "app/layout/dot_layout.h"

#include <gvc.h>

#include <cmath>
#include <memory>

namespace sluice::ui {
namespace {

// Graphviz's C interface takes char* where it only reads.
char* mutableText(const std::string& text) {
  return const_cast<char*>(text.c_str());
}

struct CloseContext {
  void operator()(GVC_t* context) const { gvFreeContext(context); }
};
struct CloseGraph {
  GVC_t* context;
  void operator()(Agraph_t* graph) const {
    gvFreeLayout(context, graph);
    agclose(graph);
  }
};
using ContextPointer = std::unique_ptr<GVC_t, CloseContext>;
using GraphPointer = std::unique_ptr<Agraph_t, CloseGraph>;

void set(void* object, const char* name, const std::string& value) {
  agsafeset(object, const_cast<char*>(name), mutableText(value), const_cast<char*>(""));
}

std::string number(double value) {
  std::string text;
  layout_protocol::append(text, value);
  return text.substr(1);
}

std::string portName(const std::string& side, std::size_t port) {
  return side + std::to_string(port);
}

std::string cell(int width, int height, const std::string& attributes = {}, const std::string& content = {}) {
  return "<TD FIXEDSIZE=\"TRUE\" WIDTH=\"" + std::to_string(width) + "\" HEIGHT=\"" + std::to_string(height) +
         "\"" + attributes + ">" + content + "</TD>";
}

std::string table(int width, int height, const std::string& rows) {
  return "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\" FIXEDSIZE=\"TRUE\" "
         "WIDTH=\"" +
         std::to_string(width) + "\" HEIGHT=\"" + std::to_string(height) + "\">" + rows + "</TABLE>";
}

/// One side of a box: thin cells at the height of the ports, spacers between them.
std::string portColumn(int width, int height, const std::vector<double>& ports, const std::string& side) {
  std::string rows;
  int y = 0;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const int top = std::max(y, static_cast<int>(std::lround(ports[i])) - 1);
    if (top + 2 > height) break;
    if (top > y) rows += "<TR>" + cell(width, top - y) + "</TR>";
    rows += "<TR>" + cell(width, 2, std::string(" PORT=\"").append(portName(side, i)).append("\"")) + "</TR>";
    y = top + 2;
  }
  if (y < height) rows += "<TR>" + cell(width, height - y) + "</TR>";
  return table(width, height, rows);
}

/// An HTML label is the one way to tell dot where exactly the ports of a box are.
std::string boxLabel(const LayoutNode& node) {
  const int width = std::max(4, static_cast<int>(std::lround(node.width))), half = width / 2;
  const int height = std::max(4, static_cast<int>(std::lround(node.height)));
  return table(width, height,
               "<TR>" + cell(half, height, {}, portColumn(half, height, node.inputs, "i")) +
                   cell(width - half, height, {}, portColumn(width - half, height, node.outputs, "o")) +
                   "</TR>");
}

std::vector<Agnode_t*> addNodes(Agraph_t* target, const LayoutGraph& graph) {
  std::vector<Agnode_t*> nodes;
  const auto ranked = [&](const char* name, const char* rank) {
    Agraph_t* group = agsubg(target, const_cast<char*>(name), 1);
    set(group, "rank", rank);
    return group;
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Agnode_t* node = agnode(target, mutableText(std::to_string(i)), 1);
    set(node, "shape", "plain");
    char* label = agstrdup_html(target, mutableText(boxLabel(graph.nodes[i])));
    agsafeset(node, const_cast<char*>("label"), label, const_cast<char*>(""));
    if (graph.nodes[i].rank == LayoutRank::First) agsubnode(ranked("first", "source"), node, 1);
    if (graph.nodes[i].rank == LayoutRank::Last) agsubnode(ranked("last", "sink"), node, 1);
    nodes.push_back(node);
  }
  return nodes;
}

std::vector<Agedge_t*> addEdges(Agraph_t* target, const LayoutGraph& graph,
                                const std::vector<Agnode_t*>& nodes) {
  std::vector<Agedge_t*> edges;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const LayoutEdge& wanted = graph.edges[i];
    Agedge_t* edge = agedge(target, nodes[wanted.from], nodes[wanted.to], mutableText(std::to_string(i)), 1);
    set(edge, "tailport", portName("o", wanted.output) + ":e");
    set(edge, "headport", portName("i", wanted.input) + ":w");
    set(edge, "arrowhead", "none");
    edges.push_back(edge);
  }
  return edges;
}

std::vector<LayoutPoint> curve(Agedge_t* edge, double height) {
  std::vector<LayoutPoint> points;
  const splines* spline = ED_spl(edge);
  if (spline == nullptr || spline->size < 1) return points;
  const bezier& first = spline->list[0];
  for (std::size_t i = 0; i < static_cast<std::size_t>(first.size); ++i)
    points.push_back({first.list[i].x, height - first.list[i].y});
  return points;
}

}  // namespace

Result<LayoutResult> dotLayout(const LayoutGraph& graph) {
  const auto failure = [](const std::string& cause) {
    return error("helper-failed", "layout", cause, "the built-in layered layout is used instead");
  };
  agseterr(AGMAX);  // its warnings are not for our stderr, which carries one message at most
  const ContextPointer context(gvContext());
  const GraphPointer target(agopen(const_cast<char*>("g"), Agdirected, nullptr), CloseGraph{context.get()});
  set(target.get(), "rankdir", "LR");
  set(target.get(), "ranksep", number(graph.rank_gap / 72));
  set(target.get(), "nodesep", number(graph.node_gap / 72));
  set(target.get(), "splines", "spline");
  const std::vector<Agnode_t*> nodes = addNodes(target.get(), graph);
  const std::vector<Agedge_t*> edges = addEdges(target.get(), graph, nodes);
  if (gvLayout(context.get(), target.get(), "dot") != 0) return failure("dot failed");

  LayoutResult result;
  const boxf bounds = GD_bb(target.get());
  result.width = bounds.UR.x;
  result.height = bounds.UR.y;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const pointf center = ND_coord(nodes[i]);
    result.nodes.push_back(
        {center.x - graph.nodes[i].width / 2, result.height - center.y - graph.nodes[i].height / 2});
  }
  for (Agedge_t* edge : edges) {
    result.edges.push_back(curve(edge, result.height));
    if (result.edges.back().size() < 4) return failure("dot left an edge without a curve");
  }
  return result;
}

}  // namespace sluice::ui
