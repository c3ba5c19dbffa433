#pragma once
// PointColumns: the explored points column by column, as numbers - what filters, axes and statistics run
// over. Knobs come first, then the metrics; NaN where a point has no such value.

#include <QObject>
#include <QStringList>
#include <optional>
#include <vector>

#include "widgets/points/points_model.h"

namespace sluice::ui {

struct PointColumn {
  QString name;  ///< a knob's, or one of metricNames()
  bool is_knob = false;
  std::vector<double> values;  ///< parallel to the model's points
  QStringList names = {};      ///< of the values 0, 1, ..; empty where they are numbers
};

class PointColumns : public QObject {
  Q_OBJECT

 public:
  explicit PointColumns(PointsModel* model, QObject* parent = nullptr);

  PointsModel* model() const { return model_; }
  const std::vector<PointColumn>& columns() const { return columns_; }
  std::size_t size() const { return size_; }  ///< of points
  std::optional<std::size_t> find(const QString& name) const;
  /// Lowest and highest value; 0 and 1 where there is none.
  std::pair<double, double> extent(std::size_t column) const;

 signals:
  void reset();
  void added(int first);

 private:
  void readAll();
  void readFrom(std::size_t first);

  PointsModel* model_;
  std::vector<PointColumn> columns_;
  std::size_t size_ = 0;
};

/// "weight_tile", "On-chip memory".
QString columnTitle(const PointColumn& column);
/// As for axisUnit(); a knob has none.
QString columnUnit(const PointColumn& column);
/// A value of the column as people read it.
QString columnText(const PointColumn& column, double value);
/// "1.45 – 4.19 k cycles": a unit that both ends have is written once.
QString columnRangeText(const PointColumn& column, double from, double to);

}  // namespace sluice::ui
