#include "widgets/points/shown_rows.h"

#include <algorithm>
#include <limits>
#include <map>

namespace sluice::ui {

ShownRows::ShownRows(QAbstractItemModel* source, int sort_role, QObject* parent)
    : QAbstractProxyModel(parent), sort_role_(sort_role) {
  setSourceModel(source);
  connect(source, &QAbstractItemModel::modelAboutToBeReset, this, [this] { beginResetModel(); });
  connect(source, &QAbstractItemModel::modelReset, this, [this] {
    read();
    endResetModel();
  });
  connect(source, &QAbstractItemModel::rowsInserted, this,
          [this](const QModelIndex&, int first) { add(first); });
  connect(source, &QAbstractItemModel::dataChanged, this, [this] { renew(); });
  read();
}

void ShownRows::setFilter(Filter filter) {
  filter_ = std::move(filter);
  renew();
}

void ShownRows::renew() {
  beginResetModel();
  read();
  endResetModel();
}

void ShownRows::read() {
  rows_.clear();
  for (int row = 0; row < sourceModel()->rowCount(); ++row)
    if (!filter_ || filter_(row)) rows_.push_back(row);
  order();
}

/// New rows of the source; they go to the end, or each to its place.
void ShownRows::add(int first) {
  if (column_ >= 0) return renew();
  std::vector<int> more;
  for (int row = first; row < sourceModel()->rowCount(); ++row)
    if (!filter_ || filter_(row)) more.push_back(row);
  places_.resize(static_cast<std::size_t>(sourceModel()->rowCount()), -1);
  if (more.empty()) return;
  const int from = rowCount();
  beginInsertRows({}, from, from + static_cast<int>(more.size()) - 1);
  for (const int row : more) {
    places_[static_cast<std::size_t>(row)] = static_cast<int>(rows_.size());
    rows_.push_back(row);
  }
  endInsertRows();
}

/// By source row: the value as a number; of texts their rank.
std::vector<double> ShownRows::keys() const {
  std::vector<double> keys(static_cast<std::size_t>(sourceModel()->rowCount()),
                           -std::numeric_limits<double>::infinity());
  std::map<QString, std::vector<int>> texts;
  for (const int row : rows_) {
    const QVariant value = sourceModel()->index(row, column_).data(sort_role_);
    if (value.typeId() == QMetaType::QString)
      texts[value.toString()].push_back(row);
    else if (value.isValid())
      keys[static_cast<std::size_t>(row)] = value.toDouble();
  }
  double rank = 0;
  for (const auto& [text, rows] : texts) {
    for (const int row : rows) keys[static_cast<std::size_t>(row)] = rank;
    ++rank;
  }
  return keys;
}

void ShownRows::order() {
  if (column_ >= 0 && column_ < sourceModel()->columnCount()) {
    const std::vector<double> values = keys();
    const auto value = [&](int row) { return values[static_cast<std::size_t>(row)]; };
    if (order_ == Qt::AscendingOrder)
      std::stable_sort(rows_.begin(), rows_.end(), [&](int a, int b) { return value(a) < value(b); });
    else
      std::stable_sort(rows_.begin(), rows_.end(), [&](int a, int b) { return value(a) > value(b); });
  }
  places_.assign(static_cast<std::size_t>(sourceModel()->rowCount()), -1);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    places_[static_cast<std::size_t>(rows_[i])] = static_cast<int>(i);
}

void ShownRows::sort(int column, Qt::SortOrder order) {
  if (column == column_ && order == order_) return;
  column_ = column;
  order_ = order;
  emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
  const QModelIndexList before = persistentIndexList();
  QModelIndexList sources;
  for (const QModelIndex& index : before) sources << mapToSource(index);
  std::sort(rows_.begin(), rows_.end());
  this->order();
  QModelIndexList after;
  for (const QModelIndex& index : sources) after << mapFromSource(index);
  changePersistentIndexList(before, after);
  emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

QModelIndex ShownRows::mapToSource(const QModelIndex& index) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  return sourceModel()->index(rows_[static_cast<std::size_t>(index.row())], index.column());
}

QModelIndex ShownRows::mapFromSource(const QModelIndex& index) const {
  if (!index.isValid() || index.row() >= static_cast<int>(places_.size())) return {};
  const int place = places_[static_cast<std::size_t>(index.row())];
  return place < 0 ? QModelIndex() : createIndex(place, index.column());
}

QModelIndex ShownRows::index(int row, int column, const QModelIndex& parent) const {
  const bool there =
      !parent.isValid() && row >= 0 && row < rowCount() && column >= 0 && column < columnCount();
  return there ? createIndex(row, column) : QModelIndex();
}

int ShownRows::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ShownRows::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : sourceModel()->columnCount();
}

/// A row keeps the number that it has in the source.
QVariant ShownRows::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Horizontal) return sourceModel()->headerData(section, orientation, role);
  if (section < 0 || section >= rowCount()) return {};
  return sourceModel()->headerData(rows_[static_cast<std::size_t>(section)], orientation, role);
}

}  // namespace sluice::ui
