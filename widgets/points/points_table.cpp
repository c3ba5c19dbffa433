#include "widgets/points/points_table.h"

#include <QHeaderView>

namespace sluice::ui {
namespace {

constexpr std::size_t mostLit = 5000;  // rows; Qt takes long to select more one by one

}  // namespace

class PointsTable::ShownRows : public QSortFilterProxyModel {
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

  const PointSelection* selection = nullptr;
  /// All rows anew: taking a hundred thousand out one range after the other takes Qt minutes.
  void filterAgain() {
    QAbstractItemModel* source = sourceModel();
    setSourceModel(nullptr);
    setSourceModel(source);
  }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex&) const override {
    return !selection || selection->isShown(static_cast<std::size_t>(row));
  }
};

PointsTable::PointsTable(PointsModel* points, QWidget* parent)
    : QTableView(parent), sorted_(new ShownRows(this)) {
  setObjectName(QStringLiteral("pointsTable"));
  setAccessibleName(tr("Explored design points"));
  sorted_->setSourceModel(points);
  sorted_->setSortRole(PointsModel::sortRole);
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
  connect(points, &QAbstractItemModel::modelReset, this, [this] {
    horizontalHeader()->setResizeContentsPrecision(50);
    resizeColumnsToContents();
  });
  connect(this, &QTableView::activated, this,
          [this](const QModelIndex& index) { emit pointActivated(sorted_->mapToSource(index).row()); });
}

void PointsTable::follow(PointSelection* selection) {
  selection_ = selection;
  sorted_->selection = selection;
  sorted_->filterAgain();
  refilter_.setSingleShot(true);
  refilter_.setInterval(100);
  connect(&refilter_, &QTimer::timeout, this, [this] {
    following_ = true;
    const QByteArray columns = horizontalHeader()->saveState();
    sorted_->filterAgain();
    horizontalHeader()->restoreState(columns);
    following_ = false;
    showSelected();
  });
  const auto filterLater = [this] {
    if (!refilter_.isActive()) refilter_.start();
  };
  connect(selection, &PointSelection::filtersChanged, this, filterLater);
  connect(selection, &PointSelection::reset, this, filterLater);
  connect(selection, &PointSelection::selectionChanged, this, &PointsTable::showSelected);
  connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &PointsTable::tellSelected);
}

void PointsTable::showSelected() {
  if (following_) return;
  following_ = true;
  QItemSelection rows;
  const bool few = selection_->selected().size() <= mostLit;
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
