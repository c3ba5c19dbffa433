#include "widgets/canvas/layered_layout.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "widgets/canvas/rough_layout.h"

namespace sluice::ui {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// A box in a column, or the place where a long link passes through a column.
struct Slot {
  std::size_t node = none;
  double height = 0, y = 0;
  std::vector<std::size_t> before, after;  ///< stops in the neighbouring columns
};

struct Columns {
  std::vector<std::vector<std::size_t>> order;   ///< stops of each column, top to bottom
  std::vector<Slot> stops;                       ///< the first ones are the nodes
  std::vector<std::vector<std::size_t>> passes;  ///< of each edge: the stops it passes through, left to right
};

/// Links that close a cycle, found by depth-first search in node order; they are drawn backwards and do not
/// count.
std::vector<bool> backwardEdges(const LayoutGraph& graph) {
  std::vector<std::vector<std::size_t>> leaving(graph.nodes.size());
  for (std::size_t i = 0; i < graph.edges.size(); ++i) leaving[graph.edges[i].from].push_back(i);
  enum class State : char { New, Open, Done };
  std::vector<State> state(graph.nodes.size(), State::New);
  std::vector<bool> backward(graph.edges.size(), false);
  struct Visit {
    std::size_t node, next;
  };
  std::vector<Visit> stack;
  for (std::size_t root = 0; root < graph.nodes.size(); ++root) {
    if (state[root] != State::New) continue;
    stack.push_back({root, 0});
    state[root] = State::Open;
    while (!stack.empty()) {
      Visit& visit = stack.back();
      if (visit.next == leaving[visit.node].size()) {
        state[visit.node] = State::Done;
        stack.pop_back();
        continue;
      }
      const std::size_t edge = leaving[visit.node][visit.next++];
      const std::size_t to = graph.edges[edge].to;
      if (state[to] == State::Open) backward[edge] = true;
      if (state[to] != State::New) continue;
      state[to] = State::Open;
      stack.push_back({to, 0});
    }
  }
  return backward;
}

/// One more than the furthest of its predecessors.
std::vector<std::size_t> columnsOf(const LayoutGraph& graph, const std::vector<bool>& backward) {
  const std::size_t count = graph.nodes.size();
  std::vector<std::size_t> column(count, 0), missing(count, 0), ready;
  std::vector<std::vector<std::size_t>> followers(count);
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    if (backward[i]) continue;
    followers[graph.edges[i].from].push_back(graph.edges[i].to);
    ++missing[graph.edges[i].to];
  }
  const bool first_exists = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const LayoutNode& node) {
    return node.rank == LayoutRank::First;
  });
  for (std::size_t i = 0; i < count; ++i) {
    if (missing[i] == 0) ready.push_back(i);
    if (graph.nodes[i].rank != LayoutRank::First && first_exists) column[i] = 1;
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (const std::size_t to : followers[ready[i]]) {
      column[to] = std::max(column[to], column[ready[i]] + 1);
      if (--missing[to] == 0) ready.push_back(to);
    }
  }
  std::size_t last = 0;
  for (std::size_t i = 0; i < count; ++i)
    last = std::max(last, column[i] + (graph.nodes[i].rank == LayoutRank::Last ? 0 : 1));
  for (std::size_t i = 0; i < count; ++i) {
    if (graph.nodes[i].rank == LayoutRank::Last) column[i] = last;
  }
  return column;
}

/// Sources without predecessors move right, next to their first consumer.
void pullSources(const LayoutGraph& graph, const std::vector<bool>& backward,
                 std::vector<std::size_t>& column) {
  std::vector<std::size_t> nearest(column.size(), none);
  std::vector<bool> fed(column.size(), false);
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    if (backward[i]) continue;
    const LayoutEdge& edge = graph.edges[i];
    nearest[edge.from] = std::min(nearest[edge.from], column[edge.to]);
    fed[edge.to] = true;
  }
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (!fed[i] && nearest[i] != none && graph.nodes[i].rank == LayoutRank::Middle)
      column[i] = nearest[i] - 1;
  }
}

Columns makeColumns(const LayoutGraph& graph, const std::vector<std::size_t>& column,
                    const std::vector<bool>& backward) {
  Columns columns;
  columns.order.resize(column.empty() ? 0 : *std::max_element(column.begin(), column.end()) + 1);
  for (std::size_t i = 0; i < column.size(); ++i) {
    columns.stops.push_back({i, graph.nodes[i].height, 0, {}, {}});
    columns.order[column[i]].push_back(i);
  }
  columns.passes.resize(graph.edges.size());
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    if (backward[i]) continue;
    const LayoutEdge& edge = graph.edges[i];
    std::size_t previous = edge.from;
    const auto join = [&](std::size_t next) {
      columns.stops[previous].after.push_back(next);
      columns.stops[next].before.push_back(previous);
      previous = next;
    };
    for (std::size_t c = column[edge.from] + 1; c < column[edge.to]; ++c) {
      const std::size_t slot = columns.stops.size();
      columns.stops.push_back({none, 4, 0, {}, {}});
      columns.order[c].push_back(slot);
      columns.passes[i].push_back(slot);
      join(slot);
    }
    join(edge.to);
  }
  return columns;
}

double meanY(const Columns& columns, const std::vector<std::size_t>& neighbours, double otherwise) {
  if (neighbours.empty()) return otherwise;
  double sum = 0;
  for (const std::size_t slot : neighbours) sum += columns.stops[slot].y + columns.stops[slot].height / 2;
  return sum / static_cast<double>(neighbours.size());
}

/// Puts a column's stops as near to the wanted middles as their order and the gap allow.
void settle(Columns& columns, const std::vector<std::size_t>& order, const std::vector<double>& wanted,
            double gap) {
  double shift = 0, floor = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < order.size(); ++i) {
    Slot& slot = columns.stops[order[i]];
    const double ideal = wanted[i] - slot.height / 2;
    slot.y = std::max(ideal, floor);
    floor = slot.y + slot.height + gap;
    shift += slot.y - ideal;
  }
  if (order.empty()) return;
  shift /= static_cast<double>(order.size());  // pushing only downwards would sink the picture
  for (const std::size_t slot : order) columns.stops[slot].y -= shift;
}

/// Sweeps left to right and back: every slot wants to be level with its neighbours.
void arrange(Columns& columns, double gap, const LayoutSteps& steps) {
  for (auto& order : columns.order) {
    double y = 0;
    for (const std::size_t slot : order) {
      columns.stops[slot].y = y;
      y += columns.stops[slot].height + gap;
    }
  }
  constexpr int sweeps = 8;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const bool rightwards = sweep % 2 == 0;
    steps.reached(static_cast<double>(sweep) / sweeps);
    for (std::size_t step = 0; step < columns.order.size() && !steps.unwanted(); ++step) {
      auto& order = columns.order[rightwards ? step : columns.order.size() - 1 - step];
      std::vector<std::pair<double, std::size_t>> wishes;
      for (const std::size_t id : order) {
        const Slot& slot = columns.stops[id];
        wishes.emplace_back(meanY(columns, rightwards ? slot.before : slot.after, slot.y + slot.height / 2),
                            id);
      }
      std::stable_sort(wishes.begin(), wishes.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      std::vector<double> wanted;
      for (std::size_t i = 0; i < wishes.size(); ++i) {
        order[i] = wishes[i].second;
        wanted.push_back(wishes[i].first);
      }
      settle(columns, order, wanted, gap);
    }
  }
}

void appendCurve(std::vector<LayoutPoint>& curve, LayoutPoint to) {
  const LayoutPoint from = curve.back();
  const double reach = std::max(24.0, std::abs(to.x - from.x) * 0.5);
  curve.push_back({from.x + reach, from.y});
  curve.push_back({to.x - reach, to.y});
  curve.push_back(to);
}

}  // namespace

std::vector<std::size_t> layoutColumns(const LayoutGraph& graph) {
  const std::vector<bool> backward = backwardEdges(graph);
  std::vector<std::size_t> column = columnsOf(graph, backward);
  pullSources(graph, backward, column);
  return column;
}

/// The time goes by the columns that links pass through.
bool isQuick(const LayoutGraph& graph) {
  constexpr std::size_t most = 3000;
  std::size_t effort = graph.nodes.size() + graph.edges.size();
  if (effort > most) return false;
  const std::vector<std::size_t> column = layoutColumns(graph);
  for (const LayoutEdge& edge : graph.edges)
    if (column[edge.to] > column[edge.from]) effort += column[edge.to] - column[edge.from];
  return effort <= most;
}

LayoutResult layeredLayout(const LayoutGraph& graph, const LayoutSteps& steps) {
  const std::vector<bool> backward = backwardEdges(graph);
  std::vector<std::size_t> column = columnsOf(graph, backward);
  pullSources(graph, backward, column);
  Columns columns = makeColumns(graph, column, backward);
  arrange(columns, graph.node_gap, steps);

  LayoutResult result;
  std::vector<double> left(columns.order.size() + 1, 0), width(columns.order.size(), 0);
  double top = std::numeric_limits<double>::infinity(), bottom = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    width[column[i]] = std::max(width[column[i]], graph.nodes[i].width);
  for (std::size_t c = 0; c < width.size(); ++c) left[c + 1] = left[c] + width[c] + graph.rank_gap;
  for (const Slot& slot : columns.stops) top = std::min(top, slot.y);
  for (Slot& slot : columns.stops) {
    slot.y -= top;
    bottom = std::max(bottom, slot.y + slot.height);
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    result.nodes.push_back(
        {left[column[i]] + (width[column[i]] - graph.nodes[i].width) / 2, columns.stops[i].y});
  }
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const LayoutEdge& edge = graph.edges[i];
    const LayoutPoint from = result.nodes[edge.from], to = result.nodes[edge.to];
    std::vector<LayoutPoint> curve{
        {from.x + graph.nodes[edge.from].width, from.y + graph.nodes[edge.from].outputs[edge.output]}};
    std::size_t c = column[edge.from];
    for (const std::size_t slot : columns.passes[i]) {
      ++c;
      const double y = columns.stops[slot].y + columns.stops[slot].height / 2;
      appendCurve(curve, {left[c], y});
      curve.insert(curve.end(),
                   {{left[c] + width[c] / 3, y}, {left[c] + width[c] * 2 / 3, y}, {left[c] + width[c], y}});
    }
    appendCurve(curve, {to.x, to.y + graph.nodes[edge.to].inputs[edge.input]});
    result.edges.push_back(std::move(curve));
  }
  result.width = left.back() > 0 ? left.back() - graph.rank_gap : 0;
  result.height = bottom;
  return result;
}

void LayeredLayout::start(const LayoutGraph& graph, quint64 generation) {
  cancel();
  if (isQuick(graph)) {
    emit finished(generation, layeredLayout(graph));
    return;
  }
  steps_.done = std::make_shared<std::atomic<double>>(0);
  const auto asked = std::make_shared<const LayoutGraph>(graph);
  const auto answer = [this, generation](LayoutResult result) {
    QMetaObject::invokeMethod(
        this, [this, generation, made = std::move(result)] { emit finished(generation, made); },
        Qt::QueuedConnection);
  };
  lane_.ask(
      [answer, asked, steps = steps_](const std::stop_token& stop) mutable {
        steps.stop = stop;
        LayoutResult result = layeredLayout(*asked, steps);
        if (!stop.stop_requested()) answer(std::move(result));
      },
      [answer, asked](const Diagnostic&) { answer(roughLayout(*asked, {})); });  // there was no memory for it
}

}  // namespace sluice::ui
