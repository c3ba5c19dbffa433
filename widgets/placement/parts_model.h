#pragma once
// PartsModel: a row for each kernel, converter, transfer and FIFO of a placed design, with what it takes of
// each resource; TotalsModel: a row for each group and die, used of available.

#include <QAbstractTableModel>

#include "widgets/placement/placed_design.h"

namespace sluice::ui {

class PartsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, Kind, Group, FirstResource };
  static constexpr int sort_role = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  void setParts(std::vector<PlacedPart> parts, const Resources& available);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<PlacedPart> parts_;
  Resources available_;  ///< of the whole card
};

class TotalsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;

  void setTotals(std::vector<PlacedTotal> totals);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<PlacedTotal> totals_;
};

}  // namespace sluice::ui
