#pragma once
// StallModel: every lost cycle of a run by who is to blame; below each cause whom it held up, and how.

#include <QAbstractItemModel>
#include <vector>

#include "engine/simulator/stalls.h"
#include "widgets/timeline/timeline_view.h"

namespace sluice::ui {

class StallModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { Cause, State, Lost, Share, ColumnCount };

  explicit StallModel(QObject* parent = nullptr);

  void setStalls(TimelineRun run, StallReport stalls);
  const StallReport& stalls() const { return stalls_; }
  /// The row of a victim; the one that lost most, of a cause.
  const StallRow* rowAt(const QModelIndex& index) const;
  const StallCause* causeAt(const QModelIndex& index) const;
  /// One line for everyone who was held up by each cause.
  QString csv() const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Group {
    StallCause cause;
    Cycles lost = 0;
    std::vector<std::size_t> rows;  ///< of stalls_, most lost cycles first
  };
  QString textOf(const QModelIndex& index) const;

  TimelineRun run_;
  StallReport stalls_;
  std::vector<Group> groups_;
};

}  // namespace sluice::ui
