#include "widgets/points/points_table.h"

#include <QHeaderView>

namespace sluice::ui {
namespace {

constexpr std::size_t most_lit = 5000;  // rows; Qt takes long to select more one by one

/// Knobs, metrics, and behind them state and level: the first are what there is room for in a narrow dock.
/// What a header did with the columns of the model before does not count.
void arrangeColumns(QHeaderView* header, int knobs) {
  int place = 0;
  const auto put = [&](int column) { header->moveSection(header->visualIndex(column), place++); };
  for (int column = 0; column < header->count(); ++column)
    if (column < knobs || column > knobs + 1) put(column);
  for (const int column : {knobs, knobs + 1})
    if (column < header->count()) put(column);
}

}  // namespace

PointsTable::PointsTable(PointsModel* points, QWidget* parent)
    : QTableView(parent), sorted_(new ShownRows(points, PointsModel::sort_role, this)) {
  setObjectName(QStringLiteral("pointsTable"));
  setAccessibleName(tr("Explored design points"));
  setModel(sorted_);
  setSortingEnabled(true);
  sortByColumn(-1, Qt::AscendingOrder);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setAlternatingRowColors(true);
  setShowGrid(false);
  setFrameShape(QFrame::NoFrame);
  setToolTip(tr("Double click or press Enter to set the knobs to a point"));
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  verticalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setHighlightSections(false);
  // Columns take the width of their title; measuring 100,000 cells as well would block the window.
  connect(points, &QAbstractItemModel::modelReset, this, [this, points] {
    horizontalHeader()->setResizeContentsPrecision(50);
    resizeColumnsToContents();
    const std::vector<DesignPoint>& all = points->points();
    arrangeColumns(horizontalHeader(), all.empty() ? 0 : static_cast<int>(all.front().knobs.size()));
  });
  connect(this, &QTableView::activated, this,
          [this](const QModelIndex& index) { emit pointActivated(sorted_->mapToSource(index).row()); });
}

void PointsTable::follow(PointSelection* selection) {
  selection_ = selection;
  sorted_->setFilter([selection](int row) { return selection->isShown(static_cast<std::size_t>(row)); });
  refilter_.setSingleShot(true);
  connect(&refilter_, &QTimer::timeout, this, &PointsTable::refilter);
  const auto filter_later = [this] {
    // A hidden table follows when a drag has ended.
    if (!isVisible()) return refilter_.start(1000);
    if (!refilter_.isActive()) refilter_.start(100);
  };
  connect(selection, &PointSelection::filtersChanged, this, filter_later);
  connect(selection, &PointSelection::reset, this, filter_later);
  connect(selection, &PointSelection::selectionChanged, this, &PointsTable::showSelected);
  connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &PointsTable::tellSelected);
}

void PointsTable::refilter() {
  refilter_.stop();
  following_ = true;
  const QByteArray columns = horizontalHeader()->saveState();
  sorted_->renew();
  horizontalHeader()->restoreState(columns);
  following_ = false;
  showSelected();
}

void PointsTable::showEvent(QShowEvent* event) {
  if (refilter_.isActive()) refilter();
  QTableView::showEvent(event);
}

void PointsTable::showSelected() {
  if (following_) return;
  following_ = true;
  QItemSelection rows;
  const bool few = selection_->selected().size() <= most_lit;
  for (const int point : few ? selection_->selected() : std::vector<int>()) {
    const QModelIndex row = sorted_->mapFromSource(sorted_->sourceModel()->index(point, 0));
    if (row.isValid()) rows.append(QItemSelectionRange(row, row.siblingAtColumn(sorted_->columnCount() - 1)));
  }
  selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
  if (!rows.isEmpty()) scrollTo(rows.first().topLeft());
  following_ = false;
}

void PointsTable::tellSelected() {
  if (following_) return;
  following_ = true;
  std::vector<int> points;
  for (const QModelIndex& row : selectionModel()->selectedRows())
    points.push_back(sorted_->mapToSource(row).row());
  selection_->select(std::move(points));
  following_ = false;
}

void PointsTable::selectPoint(int index) {
  const QModelIndex row = sorted_->mapFromSource(sorted_->sourceModel()->index(index, 0));
  if (!row.isValid()) return;
  selectRow(row.row());
  scrollTo(row);
}

}  // namespace sluice::ui
