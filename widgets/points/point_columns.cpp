#include "widgets/points/point_columns.h"

#include <cmath>
#include <limits>

#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

}  // namespace

PointColumns::PointColumns(PointsModel* model, QObject* parent) : QObject(parent), model_(model) {
  connect(model_, &QAbstractItemModel::modelReset, this, &PointColumns::readAll);
  connect(model_, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex&, int first) {
    readFrom(static_cast<std::size_t>(first));
    emit added(first);
  });
  readAll();
}

void PointColumns::readAll() {
  columns_.clear();
  const std::vector<DesignPoint>& points = model_->points();
  if (!points.empty()) {
    for (const auto& [knob, value] : points.front().knobs) {
      PointColumn column{QString::fromStdString(knob), true, {}};
      if (const auto names = model_->knobNames().find(knob); names != model_->knobNames().end())
        for (const std::string& each : names->second) column.names << QString::fromStdString(each);
      columns_.push_back(std::move(column));
    }
  }
  for (const MetricSpec* metric : model_->metrics())
    columns_.push_back({QString::fromStdString(metric->name), false, {}});
  readFrom(0);
  emit reset();
}

void PointColumns::readFrom(std::size_t first) {
  const std::vector<DesignPoint>& points = model_->points();
  size_ = points.size();
  std::vector<const MetricSpec*> metrics;
  for (PointColumn& column : columns_) {
    column.values.resize(size_, none);
    metrics.push_back(column.is_knob ? nullptr : findMetric(column.name.toStdString()));
  }
  for (std::size_t row = first; row < size_; ++row) {
    const DesignPoint& point = points[row];
    auto knob = point.knobs.begin();  // in the order of the columns
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      double value = none;
      if (metrics[c]) {
        value = metric(point, *metrics[c]);
      } else if (knob != point.knobs.end()) {
        value = static_cast<double>(knob->second);
        ++knob;
      }
      columns_[c].values[row] = value;
    }
  }
}

std::optional<std::size_t> PointColumns::find(const QString& name) const {
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].name == name) return c;
  return std::nullopt;
}

std::pair<double, double> PointColumns::extent(std::size_t column) const {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : columns_[column].values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return low <= high ? std::pair(low, high) : std::pair(0.0, 1.0);
}

QString columnTitle(const PointColumn& column) {
  return column.is_knob ? column.name : metricTitle(column.name);
}

QString columnUnit(const PointColumn& column) {
  return column.is_knob ? QString() : metricUnit(column.name);
}

QString columnText(const PointColumn& column, double value) {
  if (!column.is_knob) return text(metricQuantity(column.name, value));
  const bool named = value >= 0 && value < static_cast<double>(column.names.size());
  if (named && value == std::floor(value)) return column.names[static_cast<qsizetype>(value)];
  return std::isfinite(value) ? QString::number(value, 'g', 12) : QStringLiteral("\u2013");
}

QString columnRangeText(const PointColumn& column, double from, double to) {
  const QString dash = QStringLiteral(" \u2013 ");
  if (!column.is_knob) {
    const Quantity first = metricQuantity(column.name, from), last = metricQuantity(column.name, to);
    if (first.unit == last.unit) return first.number + dash + text(last);
  }
  return columnText(column, from) + dash + columnText(column, to);
}

}  // namespace sluice::ui
