#include "widgets/parallel/parallel_axes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace sluice::ui {
namespace {

constexpr std::size_t most_levels = 24;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// What most people look at first; the other metrics are a click away.
bool isShownAtFirst(const PointColumn& column) {
  return column.is_knob || findMetric(column.name.toStdString())->prominence >= Prominence::Headline;
}

bool varies(const PointColumn& column) {
  return std::any_of(column.values.begin(), column.values.end(),
                     [&](double value) { return value != column.values.front(); });
}

}  // namespace

void ParallelAxes::follow(const PointColumns& columns) {
  if (columns.size() == 0) return;  // the arrangement waits for the next points
  const auto gone = [&](const QString& name) {
    const auto found = columns.find(name);
    return !found || (columns.columns()[*found].is_knob && !varies(columns.columns()[*found]));
  };
  std::erase_if(axes_, [&](const ParallelAxis& axis) { return gone(axis.column); });
  std::erase_if(hidden_, gone);
  for (const PointColumn& column : columns.columns()) {
    const bool known =
        std::find(hidden_.begin(), hidden_.end(), column.name) != hidden_.end() ||
        std::any_of(axes_.begin(), axes_.end(), [&](const auto& axis) { return axis.column == column.name; });
    if (known || gone(column.name)) continue;
    if (isShownAtFirst(column)) {
      ParallelAxis axis;
      axis.column = column.name;
      axes_.push_back(axis);
    } else {
      hidden_.push_back(column.name);
    }
  }
  for (ParallelAxis& axis : axes_) measure(axis, columns);
}

void ParallelAxes::measure(ParallelAxis& axis, const PointColumns& columns) const {
  const auto found = columns.find(axis.column);
  if (!found) return;
  const PointColumn& column = columns.columns()[*found];
  std::tie(axis.low, axis.high) = columns.extent(*found);
  axis.levels.clear();
  if (column.is_knob) {
    std::set<double> levels;
    for (const double value : column.values) {
      if (std::isfinite(value)) levels.insert(value);
      if (levels.size() > most_levels) break;
    }
    if (levels.size() <= most_levels) axis.levels.assign(levels.begin(), levels.end());
  }
  if (!axis.levels.empty() || !(axis.low > 0)) axis.logarithmic = false;
}

void ParallelAxes::move(std::size_t from, std::size_t to) {
  if (from >= axes_.size() || to >= axes_.size()) return;
  ParallelAxis moved = std::move(axes_[from]);
  axes_.erase(axes_.begin() + static_cast<std::ptrdiff_t>(from));
  axes_.insert(axes_.begin() + static_cast<std::ptrdiff_t>(to), std::move(moved));
}

void ParallelAxes::invert(std::size_t axis) {
  if (axis < axes_.size()) axes_[axis].inverted = !axes_[axis].inverted;
}

void ParallelAxes::hide(std::size_t axis) {
  if (axis >= axes_.size() || axes_.size() <= 2) return;
  hidden_.push_back(axes_[axis].column);
  axes_.erase(axes_.begin() + static_cast<std::ptrdiff_t>(axis));
}

void ParallelAxes::show(const QString& column, const PointColumns& columns) {
  if (std::erase(hidden_, column) == 0) return;
  ParallelAxis axis;
  axis.column = column;
  measure(axis, columns);
  axes_.push_back(std::move(axis));
}

void ParallelAxes::setLogarithmic(std::size_t axis, bool logarithmic) {
  if (axis < axes_.size()) axes_[axis].logarithmic = logarithmic && canBeLogarithmic(axis);
}

double ParallelAxes::place(std::size_t index, double value) const {
  const ParallelAxis& axis = axes_[index];
  if (!std::isfinite(value)) return none;
  double place = 0.5;
  if (axis.levels.size() > 1) {
    const auto at = std::lower_bound(axis.levels.begin(), axis.levels.end(), value);
    place = static_cast<double>(at - axis.levels.begin()) / static_cast<double>(axis.levels.size() - 1);
  } else if (axis.levels.empty() && axis.high > axis.low) {
    place = axis.logarithmic ? std::log(value / axis.low) / std::log(axis.high / axis.low)
                             : (value - axis.low) / (axis.high - axis.low);
  }
  return axis.inverted ? 1 - place : place;
}

double ParallelAxes::valueAt(std::size_t index, double place) const {
  const ParallelAxis& axis = axes_[index];
  const double up = axis.inverted ? 1 - place : place;
  if (!axis.levels.empty()) {
    const double rank = std::round(up * static_cast<double>(axis.levels.size() - 1));
    return axis
        .levels[static_cast<std::size_t>(std::clamp(rank, 0.0, static_cast<double>(axis.levels.size() - 1)))];
  }
  if (axis.logarithmic) return axis.low * std::pow(axis.high / axis.low, up);
  return axis.low + up * (axis.high - axis.low);
}

std::pair<double, double> ParallelAxes::range(std::size_t index, double from, double to) const {
  const ParallelAxis& axis = axes_[index];
  if (axis.levels.empty()) {
    const double a = valueAt(index, from), b = valueAt(index, to);
    return {std::min(a, b), std::max(a, b)};
  }
  // The levels that lie within; where none does, the nearest one.
  const double low = std::min(from, to), high = std::max(from, to);
  std::pair<double, double> taken{valueAt(index, (from + to) / 2), valueAt(index, (from + to) / 2)};
  bool first = true;
  for (const double level : axis.levels) {
    const double at = place(index, level);
    if (at < low || at > high) continue;
    taken.first = first ? level : std::min(taken.first, level);
    taken.second = first ? level : std::max(taken.second, level);
    first = false;
  }
  return taken;
}

}  // namespace sluice::ui
