#pragma once
// SizingModel: a row a FIFO; for every method its delay, the paper's estimate, the exact peak, depth and
// bytes; at the right the depths by hand, which are edited here. SummaryModel: a row a method.

#include <QAbstractTableModel>

#include "widgets/fifos/sizing_comparison.h"

namespace sluice::ui {

class SizingModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  /// Of one method.
  enum Quantity { Delay, Published, Peak, SimulatedPeak, Depth, SizeInBytes, QuantityCount };
  static constexpr int GroupRole = Qt::UserRole;  ///< true in the first column of a method

  using QAbstractTableModel::QAbstractTableModel;

  void show(const TimedGraph& graph, const std::vector<ComparedSizing>& sizings);
  /// The column of a quantity of a method; without delays there are only depth and bytes.
  int columnOf(std::size_t sizing, Quantity quantity) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 signals:
  void depthEdited(int stream, qint64 depth);

 private:
  struct Cell {
    std::size_t sizing;
    Quantity quantity;
  };
  std::optional<Cell> cellOf(int column) const;

  TimedGraph graph_;
  std::vector<ComparedSizing> sizings_;
};

class SummaryModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Method, Delays, Depths, Memory, Constraints, SimulatedCycles, Stalls, Verdict, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  void show(const std::vector<ComparedSizing>& sizings);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<ComparedSizing> sizings_;
};

}  // namespace sluice::ui
