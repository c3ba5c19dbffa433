#include "widgets/points/points_table.h"

#include <QHeaderView>

namespace sluice::ui {

PointsTable::PointsTable(PointsModel* points, QWidget* parent)
    : QTableView(parent), sorted_(new QSortFilterProxyModel(this)) {
  setObjectName(QStringLiteral("pointsTable"));
  setAccessibleName(tr("Explored design points"));
  sorted_->setSourceModel(points);
  sorted_->setSortRole(PointsModel::sortRole);
  setModel(sorted_);
  setSortingEnabled(true);
  sortByColumn(-1, Qt::AscendingOrder);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setAlternatingRowColors(true);
  setShowGrid(false);
  setFrameShape(QFrame::NoFrame);
  setToolTip(tr("Double click or press Enter to set the knobs to a point"));
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  verticalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setHighlightSections(false);
  // Columns take the width of their title; measuring 100,000 cells as well would block the window.
  connect(sorted_, &QAbstractItemModel::modelReset, this, [this] {
    horizontalHeader()->setResizeContentsPrecision(50);
    resizeColumnsToContents();
  });
  connect(this, &QTableView::activated, this,
          [this](const QModelIndex& index) { emit pointActivated(sorted_->mapToSource(index).row()); });
}

void PointsTable::selectPoint(int index) {
  const QModelIndex row = sorted_->mapFromSource(sorted_->sourceModel()->index(index, 0));
  if (!row.isValid()) return;
  selectRow(row.row());
  scrollTo(row);
}

}  // namespace sluice::ui
