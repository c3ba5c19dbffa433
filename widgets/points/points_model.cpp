#include "widgets/points/points_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/csv.h"
#include "engine/explorer/tables.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

QString name(const std::string& text) {
  return QString::fromStdString(text);
}

bool isRecorded(const DesignPoint& point) {
  return point.peak_fifo_tokens.has_value();
}

bool isRun(const DesignPoint& point) {
  return point.fidelity != Fidelity::Symbolic;
}

bool hasPrices(const DesignPoint& point) {
  return isPriced(point.metrics);
}

}  // namespace

QString stateText(PointState state) {
  return name(sluice::text(state));
}

QString fidelityText(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::Symbolic:
      return QObject::tr("symbolic");
    case Fidelity::Count:
      return QObject::tr("counted");
    case Fidelity::Record:
      return QObject::tr("recorded");
  }
  return {};
}

KnobNames knobNames(const std::vector<Knob>& knobs) {
  KnobNames names;
  for (const Knob& knob : knobs)
    if (knob.kind == KnobKind::Choice) names[knob.name] = knob.choices;
  return names;
}

QString knobValueText(const std::string& knob, std::int64_t value, const KnobNames& names) {
  const auto found = names.find(knob);
  const bool named =
      found != names.end() && value >= 0 && static_cast<std::size_t>(value) < found->second.size();
  return named ? name(found->second[static_cast<std::size_t>(value)]) : QString::number(value);
}

QString knobsText(const KnobValues& knobs, const KnobNames& names) {
  QStringList parts;
  for (const auto& [knob, value] : knobs)
    parts << QStringLiteral("%1 = %2").arg(name(knob), knobValueText(knob, value, names));
  return parts.join(QStringLiteral(", "));
}

QString metricText(const DesignPoint& point, const MetricSpec& metric) {
  const double value = sluice::metric(point, metric);
  if (!std::isfinite(value)) return QStringLiteral("\u2013");
  const QString shown = text(metricQuantity(name(metric.name), value));
  return point.fidelity == Fidelity::Symbolic ? QStringLiteral("\u2265 ") + shown : shown;
}

bool isMeasured(PointState state) {
  return state == PointState::Done || state == PointState::Infeasible;
}

void PointsModel::setPoints(std::vector<DesignPoint> points) {
  beginResetModel();
  points_ = std::move(points);
  readColumns();
  endResetModel();
}

void PointsModel::setKnobNames(KnobNames names) {
  if (names == names_) return;
  beginResetModel();
  names_ = std::move(names);
  endResetModel();
}

void PointsModel::append(std::span<const DesignPoint> points) {
  if (points.empty()) return;
  const bool first_recorded = !recorded_ && std::any_of(points.begin(), points.end(), isRecorded);
  const bool first_run = !measured_ && std::any_of(points.begin(), points.end(), isRun);
  const bool first_priced = !priced_ && std::any_of(points.begin(), points.end(), hasPrices);
  if (points_.empty() || first_recorded || first_run ||
      first_priced) {  // there are other columns, or another frontier
    std::vector<DesignPoint> all = points_;
    all.insert(all.end(), points.begin(), points.end());
    setPoints(std::move(all));
    return;
  }
  const int first = rowCount();
  beginInsertRows({}, first, first + static_cast<int>(points.size()) - 1);
  points_.insert(points_.end(), points.begin(), points.end());
  endInsertRows();
}

void PointsModel::readColumns() {
  knobs_.clear();
  recorded_ = std::any_of(points_.begin(), points_.end(), isRecorded);
  measured_ = std::any_of(points_.begin(), points_.end(), isRun);
  priced_ = std::any_of(points_.begin(), points_.end(), hasPrices);
  if (points_.empty()) return;
  for (const auto& [knob, value] : points_.front().knobs) knobs_.push_back(knob);
}

int PointsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(points_.size());
}

int PointsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(knobs_.size() + 2 + metrics().size() + (recorded_ ? 1 : 0));
}

PointsModel::Place PointsModel::placeOf(int column) const {
  auto at = static_cast<std::size_t>(column);
  if (at < knobs_.size()) return {Kind::Knob, at};
  at -= knobs_.size();
  if (at < 2) return {at == 0 ? Kind::State : Kind::Fidelity, 0};
  at -= 2;
  return at < metrics().size() ? Place{Kind::Metric, at} : Place{Kind::PeakTokens, 0};
}

QVariant PointsModel::sortValue(const DesignPoint& point, int column) const {
  const Place place = placeOf(column);
  // What is not known sorts after all that is.
  constexpr double last = std::numeric_limits<double>::infinity();
  switch (place.kind) {
    case Kind::Knob: {
      const auto found = point.knobs.find(knobs_[place.index]);
      return found == point.knobs.end() ? QVariant() : QVariant::fromValue<qlonglong>(found->second);
    }
    case Kind::State:
      return stateText(point.state);
    case Kind::Fidelity:
      return static_cast<int>(point.fidelity);
    case Kind::Metric: {
      const double value = metric(point, *metrics()[place.index]);
      return std::isnan(value) ? last : value;
    }
    case Kind::PeakTokens:
      return point.peak_fifo_tokens ? static_cast<double>(*point.peak_fifo_tokens) : last;
  }
  return {};
}

QString PointsModel::cellText(const DesignPoint& point, int column) const {
  const Place place = placeOf(column);
  switch (place.kind) {
    case Kind::Knob: {
      const auto found = point.knobs.find(knobs_[place.index]);
      return found == point.knobs.end() ? QString() : knobValueText(found->first, found->second, names_);
    }
    case Kind::State:
      return stateText(point.state);
    case Kind::Fidelity:
      return fidelityText(point.fidelity);
    case Kind::Metric:
      return metricText(point, *metrics()[place.index]);
    case Kind::PeakTokens:
      return point.peak_fifo_tokens ? exactNumber(*point.peak_fifo_tokens) : QStringLiteral("\u2013");
  }
  return {};
}

int PointsModel::alignment(int column) const {
  const Place place = placeOf(column);
  const bool words = place.kind == Kind::State || place.kind == Kind::Fidelity ||
                     (place.kind == Kind::Knob && names_.contains(knobs_[place.index]));
  return int((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

QString PointsModel::tooltip(std::size_t row, int column) const {
  const DesignPoint& point = points_[row];
  if (!point.cause.empty()) return name(point.cause);
  const auto [kind, index] = placeOf(column);
  const bool bounds =
      point.fidelity == Fidelity::Symbolic && (kind == Kind::Fidelity || kind == Kind::Metric);
  if (bounds) return tr("Known from the symbolic formulas alone: lower bounds, no run");
  if (kind == Kind::Fidelity && point.fidelity == Fidelity::Count)
    return tr("Known from a run that only counts");
  if (kind == Kind::Fidelity) return tr("Known from a run that recorded every FIFO");
  if (kind == Kind::Metric)
    return tr("Trust: %1").arg(name(text(ofMetric(trust(row), metrics()[index]->name))));
  return {};
}

QVariant PointsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const DesignPoint& point = points_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return cellText(point, index.column());
    case sort_role:
      return sortValue(point, index.column());
    case Qt::TextAlignmentRole:
      return alignment(index.column());
    case Qt::ToolTipRole:
      return tooltip(static_cast<std::size_t>(index.row()), index.column());
    default:
      return {};
  }
}

QVariant PointsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role == Qt::TextAlignmentRole && orientation == Qt::Horizontal) return alignment(section);
  if (role != Qt::DisplayRole) return {};
  if (orientation == Qt::Vertical) return section + 1;
  if (section < 0 || section >= columnCount({})) return {};  // a header view asks during a reset as well
  const Place place = placeOf(section);
  switch (place.kind) {
    case Kind::Knob:
      return name(knobs_[place.index]);
    case Kind::State:
      return tr("State");
    case Kind::Fidelity:
      return tr("Fidelity");
    case Kind::Metric:
      return name(metrics()[place.index]->title);
    case Kind::PeakTokens:
      return tr("Most tokens in FIFOs");
  }
  return {};
}

QString PointsModel::csv(std::span<const std::size_t> frontier) const {
  std::vector<std::string> header = knobs_;
  header.insert(header.end(), {"state", "level"});
  for (const MetricSpec* metric : metrics()) header.push_back(metric->name);
  if (recorded_) header.push_back("peak_fifo_tokens");
  header.push_back("on_frontier");
  CsvTable table(header);
  std::vector<char> on_frontier(points_.size(), 0);
  for (const std::size_t index : frontier) on_frontier[index] = 1;
  for (std::size_t index = 0; index < points_.size(); ++index) {
    const DesignPoint& point = points_[index];
    std::vector<std::string> row;
    for (const std::string& knob : knobs_) {
      const auto value = point.knobs.find(knob);
      row.push_back(value == point.knobs.end() ? ""
                                               : knobValueText(knob, value->second, names_).toStdString());
    }
    row.insert(row.end(), {sluice::text(point.state), sluice::text(point.fidelity)});
    for (const MetricSpec* metric : metrics()) row.push_back(csvMetric(point, *metric));
    if (recorded_) row.push_back(point.peak_fifo_tokens ? std::to_string(*point.peak_fifo_tokens) : "");
    row.push_back(on_frontier[index] ? "1" : "0");
    table.row(row);
  }
  return QString::fromStdString(table.text());
}

}  // namespace sluice::ui
