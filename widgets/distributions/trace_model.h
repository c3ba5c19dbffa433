#pragma once
// TraceModel: the traces of a set as a table: what the design comes to under each, where that lies among the
// others, and whether the design deadlocks, overflows, or leaves the frontier under it.

#include <QAbstractTableModel>

#include "widgets/distributions/distribution_data.h"

namespace sluice::ui {

class TraceModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  /// Sorting by this role compares numbers.
  static constexpr int sort_role = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  void setData(const DistributionData& data, const MetricSpec& metric);
  std::size_t traceAt(int row) const { return rows_.at(static_cast<std::size_t>(row)).trace; }
  QString csv() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  enum Column { Number, Name, State, Value, Percentile, Frontier, Cause, ColumnCount };
  struct Row {
    std::size_t trace = 0, number = 0;
    QString name, state, cause;
    double value = 0, percentile = 0;
    std::optional<bool> on_frontier;  ///< absent: nothing was explored, or the design is on none
  };
  void markFrontier(const DistributionData& data);

  std::vector<Row> rows_;
  const MetricSpec* metric_ = nullptr;
};

}  // namespace sluice::ui
