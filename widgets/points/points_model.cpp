#include "widgets/points/points_model.h"

#include <limits>

#include "engine/core/csv.h"
#include "engine/explorer/tables.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

QString name(const std::string& text) {
  return QString::fromStdString(text);
}

}  // namespace

QString stateText(PointState state) {
  return name(sluice::text(state));
}

QString knobsText(const KnobValues& knobs) {
  QStringList parts;
  for (const auto& [knob, value] : knobs) parts << QStringLiteral("%1 = %2").arg(name(knob)).arg(value);
  return parts.join(QStringLiteral(", "));
}

bool isMeasured(PointState state) {
  return state == PointState::Done || state == PointState::Infeasible;
}

void PointsModel::setPoints(std::vector<DesignPoint> points) {
  beginResetModel();
  points_ = std::move(points);
  readKnobNames();
  endResetModel();
}

void PointsModel::append(std::span<const DesignPoint> points) {
  if (points.empty()) return;
  if (points_.empty()) {
    setPoints({points.begin(), points.end()});
    return;
  }
  const int first = rowCount();
  beginInsertRows({}, first, first + static_cast<int>(points.size()) - 1);
  points_.insert(points_.end(), points.begin(), points.end());
  endInsertRows();
}

void PointsModel::readKnobNames() {
  knobs_.clear();
  if (points_.empty()) return;
  for (const auto& [knob, value] : points_.front().knobs) knobs_.push_back(knob);
}

int PointsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(points_.size());
}

int PointsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(knobs_.size() + 1 + metricNames().size());
}

QVariant PointsModel::sortValue(const DesignPoint& point, int column) const {
  const auto at = static_cast<std::size_t>(column);
  if (at < knobs_.size()) {
    const auto found = point.knobs.find(knobs_[at]);
    return found == point.knobs.end() ? QVariant() : QVariant::fromValue<qlonglong>(found->second);
  }
  if (at == knobs_.size()) return stateText(point.state);
  // Points without a result sort after all others.
  if (!isMeasured(point.state)) return std::numeric_limits<double>::infinity();
  return metric(point.metrics, metricNames()[at - knobs_.size() - 1]);
}

QString PointsModel::cellText(const DesignPoint& point, int column) const {
  const auto at = static_cast<std::size_t>(column);
  if (at <= knobs_.size()) return sortValue(point, column).toString();
  if (!isMeasured(point.state)) return QStringLiteral("\u2013");
  return text(
      metricQuantity(name(metricNames()[at - knobs_.size() - 1]), sortValue(point, column).toDouble()));
}

int PointsModel::alignment(int column) const {
  const bool is_state = static_cast<std::size_t>(column) == knobs_.size();
  return int((is_state ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

QVariant PointsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const DesignPoint& point = points_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return cellText(point, index.column());
    case sortRole:
      return sortValue(point, index.column());
    case Qt::TextAlignmentRole:
      return alignment(index.column());
    case Qt::ToolTipRole:
      return point.cause.empty() ? QVariant() : QVariant(name(point.cause));
    default:
      return {};
  }
}

QVariant PointsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role == Qt::TextAlignmentRole && orientation == Qt::Horizontal) return alignment(section);
  if (role != Qt::DisplayRole) return {};
  if (orientation == Qt::Vertical) return section + 1;
  const auto at = static_cast<std::size_t>(section);
  if (section < 0 || section >= columnCount({})) return {};  // a header view asks during a reset as well
  if (at < knobs_.size()) return name(knobs_[at]);
  if (at == knobs_.size()) return tr("State");
  return metricTitle(name(metricNames()[at - knobs_.size() - 1]));
}

QString PointsModel::csv(std::span<const std::size_t> frontier) const {
  std::vector<std::string> header = knobs_;
  header.push_back("state");
  header.insert(header.end(), metricNames().begin(), metricNames().end());
  header.push_back("on_frontier");
  CsvTable table(header);
  std::vector<char> on_frontier(points_.size(), 0);
  for (const std::size_t index : frontier) on_frontier[index] = 1;
  for (std::size_t index = 0; index < points_.size(); ++index) {
    const DesignPoint& point = points_[index];
    std::vector<std::string> row;
    for (const std::string& knob : knobs_) {
      const auto value = point.knobs.find(knob);
      row.push_back(value == point.knobs.end() ? "" : std::to_string(value->second));
    }
    row.push_back(sluice::text(point.state));
    for (const std::string& metric_name : metricNames()) {
      row.push_back(isMeasured(point.state) ? csvNumber(metric(point.metrics, metric_name)) : "");
    }
    row.push_back(on_frontier[index] ? "1" : "0");
    table.row(row);
  }
  return QString::fromStdString(table.text());
}

}  // namespace sluice::ui
