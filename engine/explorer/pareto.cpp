#include "engine/explorer/pareto.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>

namespace sluice::inline explorer {
namespace {

using Row = std::span<const double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<Row> rowsOf(std::span<const double> values, std::size_t objectives) {
  if (objectives == 0 || values.size() % objectives != 0) {
    throw std::logic_error("pareto: the values are not whole rows of objectives");
  }
  std::vector<Row> rows;
  rows.reserve(values.size() / objectives);
  for (std::size_t at = 0; at < values.size(); at += objectives)
    rows.push_back(values.subspan(at, objectives));
  return rows;
}

bool hasNaN(Row row) {
  return std::any_of(row.begin(), row.end(), [](double value) { return std::isnan(value); });
}

/// Better or equal in every objective. Both rows free of NaN.
bool covers(Row better, Row worse) {
  for (std::size_t k = 0; k < better.size(); ++k) {
    if (better[k] > worse[k]) return false;
  }
  return true;
}

/// The set of (x, y) seen so far, kept as its lower-left stairs: x rises, y falls strictly.
class Stairs {
 public:
  bool covers(double x, double y) const {
    const auto after = steps_.upper_bound(x);
    return after != steps_.begin() && std::prev(after)->second <= y;
  }

  /// Adds a point and returns the area, below and left of (right, top), that no earlier point covered. With
  /// infinite bounds only the stairs matter, not the area.
  double insert(double x, double y, double right, double top) {
    if (covers(x, y)) return 0;
    const auto after = steps_.upper_bound(x);
    double above = after == steps_.begin() ? top : std::prev(after)->second;
    double area = 0, left = x;
    auto step = steps_.lower_bound(x);
    while (step != steps_.end() && step->second >= y) {
      area += (step->first - left) * (above - y);
      left = step->first;
      above = step->second;
      step = steps_.erase(step);
    }
    area += ((step == steps_.end() ? right : step->first) - left) * (above - y);
    steps_.emplace_hint(step, x, y);
    return area;
  }

 private:
  std::map<double, double> steps_;
};

/// Row numbers in lexicographic order, equal rows by number: whatever dominates a row, or equals it, comes
/// before it.
std::vector<std::size_t> lexicographicOrder(const std::vector<Row>& rows) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!hasNaN(rows[i])) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto [at_a, at_b] = std::mismatch(rows[a].begin(), rows[a].end(), rows[b].begin());
    return at_a == rows[a].end() ? a < b : *at_a < *at_b;
  });
  return order;
}

void sortByFirst(std::vector<std::size_t>& front, const std::vector<Row>& rows) {
  std::sort(front.begin(), front.end(), [&](std::size_t a, std::size_t b) {
    return rows[a][0] != rows[b][0] ? rows[a][0] < rows[b][0] : a < b;
  });
}

double sliced(std::vector<Row> rows, std::size_t objectives, Row reference);

double area(const std::vector<Row>& rows, Row reference) {
  Stairs stairs;
  double sum = 0;
  for (Row row : rows) sum += stairs.insert(row[0], row[1], reference[0], reference[1]);
  return sum;
}

/// Sweeps a plane up the third objective and keeps the area that is covered in it.
double volume(std::vector<Row> rows, Row reference) {
  std::sort(rows.begin(), rows.end(), [](Row a, Row b) { return a[2] < b[2]; });
  Stairs stairs;
  double sum = 0, covered = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    covered += stairs.insert(rows[i][0], rows[i][1], reference[0], reference[1]);
    const double next = i + 1 < rows.size() ? rows[i + 1][2] : reference[2];
    if (next > rows[i][2]) sum += covered * (next - rows[i][2]);
  }
  return sum;
}

/// More than three objectives: one slab of the last objective after the other.
double slabs(std::vector<Row> rows, std::size_t objectives, Row reference) {
  const std::size_t last = objectives - 1;
  std::sort(rows.begin(), rows.end(), [&](Row a, Row b) { return a[last] < b[last]; });
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double next = i + 1 < rows.size() ? rows[i + 1][last] : reference[last];
    if (next == rows[i][last]) continue;
    const std::vector<Row> below(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    sum += sliced(below, last, reference) * (next - rows[i][last]);
  }
  return sum;
}

double sliced(std::vector<Row> rows, std::size_t objectives, Row reference) {
  if (rows.empty()) return 0;
  if (objectives == 2) return area(rows, reference);
  if (objectives == 3) return volume(std::move(rows), reference);
  if (objectives > 3) return slabs(std::move(rows), objectives, reference);
  double best = infinity;
  for (Row row : rows) best = std::min(best, row[0]);
  return reference[0] - best;
}

bool isWithin(Row row, std::span<const double> reference) {
  for (std::size_t k = 0; k < reference.size(); ++k) {
    if (!(row[k] < reference[k])) return false;  // NaN too
  }
  return true;
}

}  // namespace

std::vector<std::size_t> paretoFrontier(std::span<const double> values, std::size_t objectives) {
  const std::vector<Row> rows = rowsOf(values, objectives);
  std::vector<std::size_t> frontier;
  Stairs stairs;  // of the second and third objective: what came before is no worse in the first
  for (std::size_t i : lexicographicOrder(rows)) {
    const Row row = rows[i];
    bool dominated = false;
    if (objectives <= 3) {
      const double y = objectives > 1 ? row[1] : 0, z = objectives > 2 ? row[2] : 0;
      dominated = stairs.covers(y, z);
      if (!dominated) stairs.insert(y, z, infinity, infinity);
    } else {
      dominated =
          std::any_of(frontier.begin(), frontier.end(), [&](std::size_t f) { return covers(rows[f], row); });
    }
    if (!dominated) frontier.push_back(i);
  }
  sortByFirst(frontier, rows);
  return frontier;
}

std::vector<std::vector<std::size_t>> paretoFronts(std::span<const double> values, std::size_t objectives) {
  if (objectives > 3) throw std::logic_error("paretoFronts: more than 3 objectives");
  const std::vector<Row> rows = rowsOf(values, objectives);
  std::vector<std::vector<std::size_t>> fronts;
  std::vector<Stairs> stairs;  // of each front
  for (const std::size_t i : lexicographicOrder(rows)) {
    const Row row = rows[i];
    const double y = objectives > 1 ? row[1] : 0, z = objectives > 2 ? row[2] : 0;
    // What a front covers, every better one covers, too.
    const auto front = std::partition_point(stairs.begin(), stairs.end(),
                                            [&](const Stairs& each) { return each.covers(y, z); });
    const auto number = static_cast<std::size_t>(front - stairs.begin());
    if (front == stairs.end()) stairs.emplace_back(), fronts.emplace_back();
    stairs[number].insert(y, z, infinity, infinity);
    fronts[number].push_back(i);
  }
  for (std::vector<std::size_t>& front : fronts) sortByFirst(front, rows);
  return fronts;
}

double hypervolume(std::span<const double> values, std::size_t objectives,
                   std::span<const double> reference) {
  if (reference.size() != objectives)
    throw std::logic_error("hypervolume: one reference value for each objective");
  std::vector<Row> rows = rowsOf(values, objectives);
  std::erase_if(rows, [&](Row row) { return !isWithin(row, reference); });
  return sliced(std::move(rows), objectives, reference);
}

RelativeHypervolume relativeHypervolume(std::span<const double> values, std::size_t objectives) {
  std::vector<double> best(objectives, infinity), worst(objectives, -infinity);
  for (const Row row : rowsOf(values, objectives)) {
    if (hasNaN(row)) continue;
    for (std::size_t k = 0; k < objectives; ++k) {
      best[k] = std::min(best[k], row[k]);
      worst[k] = std::max(worst[k], row[k]);
    }
  }
  RelativeHypervolume relative;
  double box = 1;
  for (std::size_t k = 0; k < objectives; ++k) {
    relative.reference.push_back(worst[k] + 0.1 * (worst[k] - best[k]));
    box *= relative.reference[k] - best[k];
  }
  relative.share = box > 0 ? hypervolume(values, objectives, relative.reference) / box : 1;
  return relative;
}

std::vector<double> hypervolumeByVisit(std::span<const double> values, std::size_t objectives,
                                       std::span<const double> reference) {
  if (reference.size() != objectives)
    throw std::logic_error("hypervolumeByVisit: one reference value for each objective");
  std::vector<double> volumes;
  double dominated = 0;
  Stairs stairs;           // of two objectives
  std::vector<Row> front;  // of one or three
  for (const Row row : rowsOf(values, objectives)) {
    if (isWithin(row, reference)) {
      if (objectives == 2) {
        dominated += stairs.insert(row[0], row[1], reference[0], reference[1]);
      } else if (std::none_of(front.begin(), front.end(), [&](Row other) { return covers(other, row); })) {
        std::erase_if(front, [&](Row other) { return covers(row, other); });
        front.push_back(row);
        dominated = sliced(front, objectives, reference);
      }
    }
    volumes.push_back(dominated);
  }
  return volumes;
}

}  // namespace sluice::inline explorer
