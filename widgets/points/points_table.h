#pragma once
// PointsTable: every explored point with its knobs and metrics, sortable.

#include <QSortFilterProxyModel>
#include <QTableView>

#include "widgets/points/points_model.h"

namespace sluice::ui {

class PointsTable : public QTableView {
  Q_OBJECT

 public:
  explicit PointsTable(PointsModel* points, QWidget* parent = nullptr);
  /// Selects the row of a point without activating it.
  void selectPoint(int index);

 signals:
  /// Double click or Enter on a row: an index into PointsModel::points().
  void pointActivated(int index);

 private:
  QSortFilterProxyModel* sorted_;
};

}  // namespace sluice::ui
