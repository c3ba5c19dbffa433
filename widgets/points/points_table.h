#pragma once
// PointsTable: every explored point with its knobs and metrics, sortable.

#include <QTableView>
#include <QTimer>

#include "widgets/points/point_selection.h"
#include "widgets/points/shown_rows.h"

namespace sluice::ui {

class PointsTable : public QTableView {
  Q_OBJECT

 public:
  explicit PointsTable(PointsModel* points, QWidget* parent = nullptr);
  /// Shows what the filters leave, and selects what is selected elsewhere - and the other way round.
  void follow(PointSelection* selection);
  /// Selects the row of a point without activating it.
  void selectPoint(int index);

 signals:
  /// Double click or Enter on a row: an index into PointsModel::points().
  void pointActivated(int index);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void refilter();
  void showSelected();
  void tellSelected();

  ShownRows* sorted_;
  PointSelection* selection_ = nullptr;
  bool following_ = false;  ///< the rows are being selected for somebody else
  QTimer refilter_;         ///< while a brush is dragged, the rows follow a few times a second
};

}  // namespace sluice::ui
