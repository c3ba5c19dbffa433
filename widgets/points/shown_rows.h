#pragma once
// ShownRows: the rows of a table that are shown, in the order that its user chose. A proxy for millions of
// rows: it reads the values to sort by once, as numbers, and filters in one pass - where
// QSortFilterProxyModel compares variants and takes rows out range by range.

#include <QAbstractProxyModel>
#include <functional>
#include <vector>

namespace sluice::ui {

class ShownRows : public QAbstractProxyModel {
  Q_OBJECT

 public:
  using Filter = std::function<bool(int source_row)>;

  /// `sort_role`: what rows are ordered by, numbers or texts. Rows that are added to the source follow;
  /// nothing of it may be taken out but by a reset.
  ShownRows(QAbstractItemModel* source, int sort_role, QObject* parent = nullptr);

  /// Null: all rows are shown.
  void setFilter(Filter filter);
  /// Filters and sorts anew, after the filter's answers have changed.
  void renew();

  /// A column of -1 is the source's order.
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
  QModelIndex mapToSource(const QModelIndex& index) const override;
  QModelIndex mapFromSource(const QModelIndex& index) const override;
  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex&) const override { return {}; }
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void read();
  void add(int first);
  void order();
  std::vector<double> keys() const;

  int sort_role_;
  Filter filter_;
  int column_ = -1;
  Qt::SortOrder order_ = Qt::AscendingOrder;
  std::vector<int> rows_;    ///< of the source, as they are shown
  std::vector<int> places_;  ///< of the source's rows in `rows_`; -1: not shown
};

}  // namespace sluice::ui
