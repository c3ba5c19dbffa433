#pragma once
// PointsModel: the explored design points, once. The Pareto plot and the table are two views of it.

#include <QAbstractTableModel>
#include <span>
#include <vector>

#include "engine/explorer/point.h"

namespace sluice::ui {

class PointsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  /// Sorting by this role compares numbers, not texts.
  static constexpr int sortRole = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  void setPoints(std::vector<DesignPoint> points);
  void append(std::span<const DesignPoint> points);
  void clear() { setPoints({}); }
  const std::vector<DesignPoint>& points() const { return points_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  /// Knobs, state, every metric and whether it is on the `frontier`, one line a point.
  QString csv(std::span<const std::size_t> frontier) const;

 private:
  void readKnobNames();
  QVariant sortValue(const DesignPoint& point, int column) const;
  int alignment(int column) const;
  QString cellText(const DesignPoint& point, int column) const;

  std::vector<DesignPoint> points_;
  std::vector<std::string> knobs_;  ///< columns 0 ..; then the state, then the metrics
};

QString stateText(PointState state);
/// "tile = 16, ways = 4".
QString knobsText(const KnobValues& knobs);
/// Whether the metrics of a point in that state mean anything.
bool isMeasured(PointState state);

}  // namespace sluice::ui
