#pragma once
// EnergyModel: the breakdown of a run's energy as a table.

#include <QAbstractTableModel>

#include "widgets/energy/energy_breakdown.h"

namespace sluice::ui {

class EnergyModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  /// Sorting by this role compares joules.
  static constexpr int sort_role = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  void setBreakdown(const EnergyBreakdown& breakdown);
  const EnergyBreakdown::Row& rowAt(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  enum Column { Name, Total, Share, FirstPart };
  static constexpr int leakage_column = FirstPart + static_cast<int>(std::size(energy_parts));

  /// Of a column of joules; absent where the row has none.
  std::optional<double> joules(const EnergyBreakdown::Row& row, int column) const;

  EnergyBreakdown breakdown_;
};

}  // namespace sluice::ui
