#include "widgets/canvas/rough_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "widgets/canvas/arrangement.h"
#include "widgets/canvas/layered_layout.h"

namespace sluice::ui {

LayoutResult roughLayout(const LayoutGraph& graph, LayoutRoom room) {
  const std::vector<std::size_t> column = layoutColumns(graph);
  std::vector<std::size_t> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return column[a] < column[b]; });
  double area = 0;
  for (const LayoutNode& node : graph.nodes)
    area += (node.width + graph.rank_gap) * (node.height + graph.node_gap);
  constexpr double usual_shape = 1.6;
  const double shape = room.width > 0 && room.height > 0 ? room.width / room.height : usual_shape;
  const double widest = std::sqrt(area * shape);

  LayoutResult result;
  result.nodes.resize(graph.nodes.size());
  double x = 0, y = 0, line_height = 0;
  for (const std::size_t id : order) {
    const LayoutNode& node = graph.nodes[id];
    if (x > 0 && x + node.width > widest) {
      x = 0;
      y += line_height + graph.node_gap;
      line_height = 0;
    }
    result.nodes[id] = {x, y};
    line_height = std::max(line_height, node.height);
    result.width = std::max(result.width, x + node.width);
    x += node.width + graph.rank_gap;
  }
  result.height = y + line_height;
  for (const LayoutEdge& edge : graph.edges) {
    const LayoutNode &from = graph.nodes[edge.from], &to = graph.nodes[edge.to];
    const LayoutPoint p = result.nodes[edge.from], q = result.nodes[edge.to];
    result.edges.push_back(
        directCurve({p.x + from.width, p.y + from.outputs[edge.output]}, {q.x, q.y + to.inputs[edge.input]}));
  }
  return result;
}

}  // namespace sluice::ui
