#include "widgets/distributions/trace_model.h"

#include <algorithm>
#include <cmath>

#include "engine/core/csv.h"
#include "engine/distributions/frontier_shares.h"
#include "engine/explorer/tables.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {

void TraceModel::setData(const DistributionData& data, const MetricSpec& metric) {
  beginResetModel();
  rows_.clear();
  metric_ = &metric;
  if (data.set && data.samples) {
    const std::vector<double> ordered = orderedValues(*data.samples, metric);
    for (std::size_t trace = 0; trace < data.samples->traces(); ++trace) {
      const std::optional<PointState> state = data.samples->state(trace);
      if (!state) continue;
      const double value = data.samples->value(trace, metric);
      const auto below = std::ranges::upper_bound(ordered, value) - ordered.begin();
      rows_.push_back({trace, data.set->traces[trace].number, qt(data.set->traces[trace].name),
                       qt(sluice::text(*state)), qt(data.samples->cause(trace)), value,
                       std::isnan(value) || ordered.empty()
                           ? std::nan("")
                           : static_cast<double>(below) / static_cast<double>(ordered.size()),
                       std::nullopt});
    }
    markFrontier(data);
  }
  endResetModel();
}

/// Only a design that is on the frontier under some trace can lose its place.
void TraceModel::markFrontier(const DistributionData& data) {
  std::vector<const PointSamples*> points;
  std::optional<std::size_t> here;
  for (const SampledDesign& design : data.explored) {
    if (design.knobs == data.knobs) here = points.size();
    points.push_back(design.samples.get());
  }
  if (!here || data.objectives.size() < 2) return;
  const FrontierShare share = frontierShares(points, data.objectives)[*here];
  if (share.on.empty()) return;
  for (Row& row : rows_) {
    if (std::ranges::binary_search(share.on, row.trace)) row.on_frontier = true;
    if (std::ranges::binary_search(share.off, row.trace)) row.on_frontier = false;
  }
}

int TraceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int TraceModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant TraceModel::data(const QModelIndex& index, int role) const {
  const Row& row = rows_.at(static_cast<std::size_t>(index.row()));
  const bool sorts = role == sort_role;
  if (role == Qt::TextAlignmentRole) {
    const bool number = index.column() == Number || index.column() == Value || index.column() == Percentile;
    return QVariant((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role == Qt::ToolTipRole && index.column() == Cause) return row.cause;
  if (role != Qt::DisplayRole && !sorts) return {};
  switch (index.column()) {
    case Number:
      return static_cast<qulonglong>(row.number);
    case Name:
      return row.name;
    case State:
      return row.state;
    case Value:
      return sorts ? QVariant(row.value) : QVariant(text(metricQuantity(qt(metric_->name), row.value)));
    case Percentile:
      return sorts ? QVariant(row.percentile) : QVariant(text(percentage(row.percentile)));
    case Frontier:
      return !row.on_frontier ? QString() : *row.on_frontier ? tr("on it") : tr("leaves it");
    default:
      return row.cause;
  }
}

QVariant TraceModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::ToolTipRole && section == Percentile)
    return tr("The share of the traces whose value is not above");
  if (role != Qt::DisplayRole) return {};
  const QString titles[] = {
      tr("No."),        tr("Trace"),    tr("State"), metric_ ? metricTitle(qt(metric_->name)) : QString(),
      tr("Percentile"), tr("Frontier"), tr("Cause")};
  return titles[section];
}

QString TraceModel::csv() const {
  CsvTable table(
      {"number", "trace", "state", metric_ ? metric_->name : "value", "percentile", "on_frontier", "cause"});
  const auto cell = [](double value) { return std::isfinite(value) ? csvNumber(value) : std::string(); };
  for (const Row& row : rows_)
    table.row({std::to_string(row.number), row.name.toStdString(), row.state.toStdString(), cell(row.value),
               cell(100 * row.percentile),
               !row.on_frontier   ? ""
               : *row.on_frontier ? "1"
                                  : "0",
               row.cause.toStdString()});
  return QString::fromStdString(table.text());
}

}  // namespace sluice::ui
