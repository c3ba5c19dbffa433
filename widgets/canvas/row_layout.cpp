#include "widgets/canvas/row_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "widgets/canvas/curve.h"

namespace sluice::ui {
namespace {

constexpr double readable = 0.6;     // a zoom at which names have room
constexpr double worthwhile = 1.15;  // rows are no gain if they show it by less than this larger
constexpr std::size_t few_rows = 8, most_pieces = 64, few_boxes = 24;
constexpr double bend = 10;  // points
constexpr double infinite = std::numeric_limits<double>::infinity();

/// How far apart the links between rows are from each other and from boxes, in points.
struct Lanes {
  /// Marked lines are 20 wide; where boxes are a crowd, all stands closer together.
  explicit Lanes(const LayoutGraph& graph) : width(std::clamp(graph.node_gap, 12.0, 16.0)) {}

  const double width, clearance = width - 2;
};

/// A place between two columns where no box stands.
struct ColumnGap {
  double x = 0;
  std::size_t crossings = 0;
};

std::vector<ColumnGap> cutsOf(const LayoutGraph& graph, const LayoutResult& layout) {
  std::vector<std::pair<double, double>> spans;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    spans.emplace_back(layout.nodes[i].x, layout.nodes[i].x + graph.nodes[i].width);
  std::sort(spans.begin(), spans.end());
  std::vector<ColumnGap> cuts;
  double right = spans.empty() ? 0 : spans.front().second;
  for (const auto& [left, end] : spans) {
    if (left > right + 2 * Lanes(graph).clearance) cuts.push_back({(left + right) / 2});
    right = std::max(right, end);
  }
  for (const Curve& curve : layout.edges) {
    const auto [left, end] = std::minmax_element(
        curve.begin(), curve.end(), [](const LayoutPoint& a, const LayoutPoint& b) { return a.x < b.x; });
    const auto first = std::lower_bound(cuts.begin(), cuts.end(), left->x,
                                        [](const ColumnGap& cut, double x) { return cut.x < x; });
    for (auto cut = first; cut != cuts.end() && cut->x < end->x; ++cut) ++cut->crossings;
  }
  return cuts;
}

/// Where to break what is large in any case: near the ends of equal parts, and where few links cross.
std::vector<double> chooseCuts(const std::vector<ColumnGap>& cuts, double width, std::size_t rows) {
  std::vector<double> chosen;
  const double part = width / static_cast<double>(rows);
  for (std::size_t row = 1; row < rows; ++row) {
    const double target = part * static_cast<double>(row);
    double least = infinite, best = 0;
    for (const ColumnGap& cut : cuts) {
      const double off = std::abs(cut.x - target) / part;
      const double cost = off + 0.05 * static_cast<double>(cut.crossings);
      if (off > 0.4 || cost >= least || (!chosen.empty() && cut.x <= chosen.back())) continue;
      least = cost;
      best = cut.x;
    }
    if (least < infinite) chosen.push_back(best);
  }
  return chosen;
}

/// The columns between two places of `cuts`, or between one and an end of the layout.
struct Column {
  double left = infinite, right = -infinite, top = infinite, bottom = -infinite;
  void include(const Column& other) {
    left = std::min(left, other.left), right = std::max(right, other.right);
    top = std::min(top, other.top), bottom = std::max(bottom, other.bottom);
  }
};

/// Finds where to break a crowd of boxes: of all ways to make so many rows the one that shows the whole
/// largest, by what the boxes and the lanes between the rows take.
class RowBreaker {
 public:
  RowBreaker(const LayoutGraph& graph, const LayoutResult& layout, const std::vector<ColumnGap>& cuts,
             LayoutRoom room)
      : lanes_(graph), cuts_(cuts), room_(room), columns_(cuts.size() + 1) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const LayoutPoint at = layout.nodes[i];
      const auto cut = std::upper_bound(cuts.begin(), cuts.end(), at.x,
                                        [](double x, const ColumnGap& gap) { return x < gap.x; });
      columns_[static_cast<std::size_t>(cut - cuts.begin())].include(
          {at.x, at.x + graph.nodes[i].width, at.y, at.y + graph.nodes[i].height});
    }
  }

  /// Empty where so many rows cannot be made.
  std::vector<double> choose(std::size_t rows) const {
    std::vector<std::size_t> best;
    double largest = 0;
    for (const double width : widths(rows)) {
      const auto [height, places] = lowest(rows, width);
      const double zoom = std::min(room_.width / width, room_.height / std::max(1.0, height));
      if (places.empty() || zoom <= largest) continue;
      largest = zoom;
      best = places;
    }
    std::vector<double> chosen;
    for (const std::size_t place : best) chosen.push_back(cuts_[place].x);
    return chosen;
  }

 private:
  static constexpr std::size_t most_widths = 60, least_widths = 8;
  static constexpr std::size_t most_tried =
      12'000;  ///< widths times columns, as each goes through all columns

  double lanesAt(std::size_t column) const {  // at its right end
    return column < cuts_.size()
               ? lanes_.clearance + lanes_.width * static_cast<double>(cuts_[column].crossings)
               : 0;
  }

  /// `row`: the columns from `first` to `last`.
  double widthOf(const Column& row, std::size_t first, std::size_t last) const {
    return row.right - row.left + (first > 0 ? lanesAt(first - 1) : 0) + lanesAt(last);
  }

  /// Of the rows that may be the widest, from an equal share of the whole upwards.
  std::vector<double> widths(std::size_t rows) const {
    Column all_columns;
    for (const Column& column : columns_) all_columns.include(column);
    const double whole = widthOf(all_columns, 0, columns_.size() - 1),
                 least = whole / static_cast<double>(rows);
    std::vector<double> all;
    const std::size_t count = std::clamp(most_tried / columns_.size(), least_widths, most_widths);
    for (std::size_t i = 0; i < count; ++i)
      all.push_back(least + (whole - least) * static_cast<double>(i) / static_cast<double>(2 * count));
    return all;
  }

  /// The least height of so many rows no wider than that, and where they end.
  std::pair<double, std::vector<std::size_t>> lowest(std::size_t rows, double width) const {
    const std::size_t count = columns_.size();
    std::vector<std::vector<double>> height(rows, std::vector<double>(count, infinite));
    std::vector<std::vector<std::size_t>> before(rows, std::vector<std::size_t>(count, 0));
    for (std::size_t last = 0; last < count; ++last) {
      Column row;
      for (std::size_t first = last + 1; first-- > 0;) {
        row.include(columns_[first]);
        if (widthOf(row, first, last) > width) break;
        const double own = row.bottom - row.top + lanes_.clearance + lanesAt(last);
        if (first == 0) height[0][last] = own;
        for (std::size_t k = 1; first > 0 && k < rows; ++k) {
          const double all = height[k - 1][first - 1] + own;
          if (all >= height[k][last]) continue;
          height[k][last] = all;
          before[k][last] = first - 1;
        }
      }
    }
    std::vector<std::size_t> ends;
    std::size_t end = count - 1;
    if (height[rows - 1][end] == infinite) return {infinite, ends};
    for (std::size_t k = rows - 1; k > 0; --k) ends.push_back(end = before[k][end]);
    std::ranges::reverse(ends);
    return {height[rows - 1][count - 1], ends};
  }

  const Lanes lanes_;
  const std::vector<ColumnGap>& cuts_;
  const LayoutRoom room_;
  std::vector<Column> columns_;  ///< one more than cuts
};

/// On which side of a row a link goes by that has no box there.
enum class Beside : char { Nothing, Left, Right };

/// What of a link lies in one row.
struct Piece {
  std::size_t row = 0;
  Curve curve;
  Beside beside = Beside::Nothing;
};

/// A link that goes on in the row below, or comes from there.
struct Crossing {
  std::size_t edge = 0, piece = 0;  ///< from this piece to the next one
  double y = 0;
};

struct Row {
  double left = infinite, right = -infinite, top = infinite, bottom = -infinite;
  double dx = 0, dy = 0;       ///< from the layout to where the row stands
  std::vector<Crossing> down;  ///< at its right end, the lowest first
};

void addCorner(Curve& curve, LayoutPoint turn, LayoutPoint next) {
  const LayoutPoint from = curve.back();
  const double in = std::hypot(turn.x - from.x, turn.y - from.y);
  const double out = std::hypot(next.x - turn.x, next.y - turn.y);
  const double radius = std::min({bend, in / 2, out / 2});
  if (radius < 0.1) return extendTo(curve, turn);
  const auto towards = [&](LayoutPoint point, double length) {
    const double share = radius / length;
    return LayoutPoint{turn.x + (point.x - turn.x) * share, turn.y + (point.y - turn.y) * share};
  };
  const LayoutPoint begin = towards(from, in), end = towards(next, out);
  extendTo(curve, begin);
  const auto pull = [&](LayoutPoint point) {
    return LayoutPoint{point.x + (turn.x - point.x) * 2 / 3, point.y + (turn.y - point.y) * 2 / 3};
  };
  curve.insert(curve.end(), {pull(begin), pull(end), end});
}

class RowBuilder {
 public:
  RowBuilder(const LayoutGraph& graph, const LayoutResult& layout, std::vector<double> cuts,
             const LayoutSteps& steps)
      : lanes_(graph),
        graph_(graph),
        layout_(layout),
        cuts_(std::move(cuts)),
        steps_(steps),
        rows_(cuts_.size() + 1) {}

  std::optional<LayoutResult> build() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const LayoutPoint at = layout_.nodes[i];
      Row& row = rows_[rowOf(at.x)];
      row.left = std::min(row.left, at.x);
      row.right = std::max(row.right, at.x + graph_.nodes[i].width);
      row.top = std::min(row.top, at.y);
      row.bottom = std::max(row.bottom, at.y + graph_.nodes[i].height);
    }
    pieces_.resize(layout_.edges.size());
    for (std::size_t edge = 0; edge < layout_.edges.size(); ++edge)
      if (steps_.unwanted() || !splitEdge(edge)) return std::nullopt;
    for (Row& row : rows_)
      std::stable_sort(row.down.begin(), row.down.end(),
                       [](const Crossing& a, const Crossing& b) { return a.y > b.y; });
    for (std::size_t row = 1; row + 1 < rows_.size(); ++row) goBeside(row);
    includeLinks();
    placeRows();
    LayoutResult result;
    result.width = width_;
    result.height = height_;
    placeNodes(result);
    for (std::size_t edge = 0; edge < pieces_.size(); ++edge) {
      if (steps_.unwanted()) return std::nullopt;
      result.edges.push_back(joined(edge));
    }
    placeEnds(result);
    return result;
  }

 private:
  std::size_t rowOf(double x) const {
    return static_cast<std::size_t>(std::upper_bound(cuts_.begin(), cuts_.end(), x) - cuts_.begin());
  }

  /// False: it goes to and fro too often.
  bool splitEdge(std::size_t edge) {
    const Curve& curve = layout_.edges[edge];
    std::vector<Piece>& pieces = pieces_[edge];
    pieces.push_back({rowOf(curve.front().x), {curve.front()}});
    for (std::size_t i = 0; i + 3 < curve.size(); i += 3) {
      Curve rest(curve.begin() + static_cast<std::ptrdiff_t>(i),
                 curve.begin() + static_cast<std::ptrdiff_t>(i) + 4);
      while (const std::optional<double> t = leaves(rest, pieces.back().row)) {
        if (pieces.size() == most_pieces) return false;
        auto [before, after] = splitSegment(rest.data(), *t);
        const std::size_t row = pieces.back().row;
        const bool forward = pointOn(rest.data(), std::min(1.0, *t + 1e-3)).x >= before.back().x;
        append(pieces.back(), before);
        const std::size_t above = forward ? row : row - 1;
        rows_[above].down.push_back({edge, pieces.size() - 1, before.back().y});
        pieces.push_back({forward ? row + 1 : row - 1, {after.front()}});
        rest = std::move(after);
      }
      append(pieces.back(), rest);
    }
    return true;
  }

  /// When a segment leaves its row.
  std::optional<double> leaves(const Curve& segment, std::size_t row) const {
    constexpr int samples = 32;
    const double left = row == 0 ? -infinite : cuts_[row - 1];
    const double right = row == cuts_.size() ? infinite : cuts_[row];
    const auto outside = [&](double t) {
      const double x = pointOn(segment.data(), t).x;
      return x < left - 0.01 || x > right + 0.01;
    };
    for (int step = 1; step <= samples; ++step) {
      double in = static_cast<double>(step - 1) / samples, out = static_cast<double>(step) / samples;
      if (!outside(out)) continue;
      for (int halving = 0; halving < 20; ++halving) (outside((in + out) / 2) ? out : in) = (in + out) / 2;
      return out;
    }
    return std::nullopt;
  }

  static void append(Piece& piece, const Curve& segment) {
    piece.curve.insert(piece.curve.end(), segment.begin() + 1, segment.end());
  }

  /// Links that pass through the row below everything else, or above it, go by on the side where they come
  /// from: else they would run along all of the row and straight back. None crosses another for it.
  void goBeside(std::size_t row) {
    const std::vector<Crossing>&in = rows_[row - 1].down, &out = rows_[row].down;
    const auto piece = [&](const Crossing& entry, const Crossing& exit) -> Piece* {
      return entry.edge == exit.edge && exit.piece == entry.piece + 1 ? &pieces_[exit.edge][exit.piece]
                                                                      : nullptr;
    };
    const std::size_t most = std::min(in.size(), out.size());
    std::size_t lowest = 0, highest = 0;
    for (Piece* one; lowest < most && (one = piece(in[lowest], out[lowest])); ++lowest)
      one->beside = Beside::Left;
    for (; lowest + highest < most; ++highest) {
      const Crossing& entry = in[in.size() - 1 - highest];
      Piece* one = piece(entry, out[out.size() - 1 - highest]);
      if (!one || pieces_[entry.edge][entry.piece].beside == Beside::Left) break;
      one->beside = Beside::Right;
    }
  }

  void includeLinks() {
    for (const std::vector<Piece>& pieces : pieces_)
      for (const Piece& piece : pieces) {
        Row& row = rows_[piece.row];
        if (piece.beside != Beside::Nothing) continue;
        for (const LayoutPoint& point : piece.curve) {
          row.top = std::min(row.top, point.y);
          row.bottom = std::max(row.bottom, point.y);
        }
      }
  }

  double widthOfLanes(const Row& row) const { return lanes_.width * static_cast<double>(row.down.size()); }

  /// Rows below each other, with room for the links between them below and at both ends.
  void placeRows() {
    double indent = 0;
    for (std::size_t row = 0; row + 1 < rows_.size(); ++row) {
      if (!rows_[row].down.empty())
        indent =
            std::max(indent, rows_[row + 1].left - cuts_[row] + lanes_.clearance + widthOfLanes(rows_[row]));
    }
    double y = 0;
    for (std::size_t index = 0; index < rows_.size(); ++index) {
      Row& row = rows_[index];
      row.dx = indent - row.left;
      row.dy = y - row.top;
      const bool last = index + 1 == rows_.size();
      y += row.bottom - row.top + (last ? 0 : 2 * lanes_.clearance + widthOfLanes(row));
      const double end =
          last || row.down.empty() ? row.right : cuts_[index] + lanes_.clearance + widthOfLanes(row);
      width_ = std::max(width_, end + row.dx);
    }
    height_ = y;
  }

  void placeNodes(LayoutResult& result) const {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const LayoutPoint at = layout_.nodes[i];
      const Row& row = rows_[rowOf(at.x)];
      result.nodes.push_back({at.x + row.dx, at.y + row.dy});
    }
  }

  Curve shifted(const Piece& piece) const {
    Curve curve = piece.curve;
    for (LayoutPoint& point : curve) point = {point.x + rows_[piece.row].dx, point.y + rows_[piece.row].dy};
    return curve;
  }

  /// The corners from the end of a row to the beginning of the next. Lanes lie in each other: the lowest link
  /// turns first and comes in last, so that none crosses another.
  std::vector<LayoutPoint> corners(std::size_t upper, std::size_t number) const {
    const Row &above = rows_[upper], &below = rows_[upper + 1];
    const double y = above.down[number].y;
    const auto at = static_cast<double>(number);
    const auto rest = static_cast<double>(above.down.size() - 1 - number);
    const double right = cuts_[upper] + above.dx + lanes_.width * (at + 1);
    const double left = cuts_[upper] + below.dx - lanes_.width * (rest + 1);
    const double between = above.bottom + above.dy + lanes_.clearance + lanes_.width * at;
    return {{right, y + above.dy}, {right, between}, {left, between}, {left, y + below.dy}};
  }

  /// From the piece before to that one.
  std::vector<LayoutPoint> wayTo(std::size_t edge, std::size_t piece) const {
    const std::vector<Piece>& pieces = pieces_[edge];
    const std::size_t upper = std::min(pieces[piece - 1].row, pieces[piece].row);
    const std::vector<Crossing>& down = rows_[upper].down;
    const auto found = std::find_if(down.begin(), down.end(), [&](const Crossing& crossing) {
      return crossing.edge == edge && crossing.piece == piece - 1;
    });
    std::vector<LayoutPoint> way = corners(upper, static_cast<std::size_t>(found - down.begin()));
    if (pieces[piece].row < pieces[piece - 1].row) std::reverse(way.begin(), way.end());
    return way;
  }

  /// Further corners of a link that has turned `turns` times since it left a box's row.
  static void goOn(std::vector<LayoutPoint>& turns, std::vector<LayoutPoint> way, Beside before, Beside now) {
    if (before == Beside::Right) {
      turns.back().x = std::max(turns.back().x, way.front().x);  // beside the wider one of both rows
      if (now == Beside::Right) return;
    }
    if (before != Beside::Nothing) {
      way.erase(way.begin());
      way.front().x = turns.back().x;
    }
    if (now == Beside::Right) way.resize(1);
    if (now == Beside::Left) way.pop_back();
    turns.insert(turns.end(), way.begin(), way.end());
  }

  Curve joined(std::size_t edge) const {
    const std::vector<Piece>& pieces = pieces_[edge];
    Curve whole = shifted(pieces.front());
    std::vector<LayoutPoint> turns;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      goOn(turns, wayTo(edge, i), pieces[i - 1].beside, pieces[i].beside);
      if (pieces[i].beside != Beside::Nothing) continue;
      const Curve next = shifted(pieces[i]);
      for (std::size_t turn = 0; turn < turns.size(); ++turn)
        addCorner(whole, turns[turn], turn + 1 < turns.size() ? turns[turn + 1] : next.front());
      extendTo(whole, next.front());
      whole.insert(whole.end(), next.begin() + 1, next.end());
      turns.clear();
    }
    return whole;
  }

  /// The first and the last box stay at the ends.
  void placeEnds(LayoutResult& result) const {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const LayoutNode& node = graph_.nodes[i];
      if (node.rank == LayoutRank::Middle) continue;
      const bool first = node.rank == LayoutRank::First;
      const double by = (first ? 0 : width_ - node.width) - result.nodes[i].x;
      result.nodes[i].x += by;
      for (std::size_t edge = 0; edge < graph_.edges.size(); ++edge) {
        Curve& curve = result.edges[edge];
        if (graph_.edges[edge].from == i) {
          Curve start{{curve.front().x + by, curve.front().y}};
          extendTo(start, curve.front());
          curve.insert(curve.begin(), start.begin(), start.end() - 1);
        }
        if (graph_.edges[edge].to == i) extendTo(curve, {curve.back().x + by, curve.back().y});
      }
    }
  }

  const Lanes lanes_;
  const LayoutGraph& graph_;
  const LayoutResult& layout_;
  const std::vector<double> cuts_;
  const LayoutSteps& steps_;
  std::vector<Row> rows_;
  std::vector<std::vector<Piece>> pieces_;  ///< of each edge, in its direction
  double width_ = 0, height_ = 0;
};

double zoomOf(const LayoutResult& layout, LayoutRoom room) {
  return std::min(room.width / std::max(1.0, layout.width), room.height / std::max(1.0, layout.height));
}

}  // namespace

LayoutResult inRows(const LayoutGraph& graph, const LayoutResult& layout, LayoutRoom room,
                    const LayoutSteps& steps) {
  const double plain = zoomOf(layout, room);
  if (room.width <= 0 || room.height <= 0 || plain >= readable) return layout;
  const std::vector<ColumnGap> cuts = cutsOf(graph, layout);
  const RowBreaker breaker(graph, layout, cuts, room);
  const bool crowded = graph.nodes.size() > few_boxes || room.rows > few_rows;
  LayoutResult best = layout;
  double largest = plain * worthwhile;
  std::size_t taken = 2;
  const std::size_t most = std::min(room.rows, cuts.size() + 1);
  for (std::size_t rows = 2; rows <= most && largest < readable && !steps.unwanted(); ++rows) {
    steps.reached(static_cast<double>(rows - 2) / static_cast<double>(most));
    const std::vector<double> chosen = crowded ? breaker.choose(rows) : chooseCuts(cuts, layout.width, rows);
    if (chosen.size() + 1 != rows) continue;
    std::optional<LayoutResult> made = RowBuilder(graph, layout, chosen, steps).build();
    const double worth = std::pow(room.worth, static_cast<double>(rows - taken));
    if (!made || zoomOf(*made, room) <= largest * worth) continue;
    largest = zoomOf(*made, room);
    taken = rows;
    best = std::move(*made);
  }
  return best;
}

}  // namespace sluice::ui
