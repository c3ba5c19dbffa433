#pragma once
// StallModel: every lost cycle of a run by who is to blame; below each cause whom it held up, and how. Of the
// first causes the victims are there from the start; of others, and more of them, they are asked for.

#include <QAbstractItemModel>
#include <optional>
#include <vector>

#include "engine/simulator/stalls.h"
#include "widgets/timeline/timeline_view.h"

namespace sluice::ui {

class StallModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { Cause, State, Lost, Share, ColumnCount };

  explicit StallModel(QObject* parent = nullptr);

  void setStalls(TimelineRun run, StallFindings stalls);
  /// The answer to victimsWanted().
  void setVictims(int cause, StallVictims victims);
  /// The row of a victim; of a cause the one that lost most. Null where that is not known (yet).
  const StallRow* rowAt(const QModelIndex& index) const;
  const StallCause* causeAt(const QModelIndex& index) const;
  /// One line for everyone who is known to have been held up by each cause, and one for all the others.
  QString csv() const;
  /// Asks for the victims of a cause, or for more of them than there are; not twice.
  void askAt(const QModelIndex& index);

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  bool hasChildren(const QModelIndex& parent = {}) const override;
  bool canFetchMore(const QModelIndex& parent) const override;
  void fetchMore(const QModelIndex& parent) override;

 signals:
  /// Whom the cause in this row held up, at most so many.
  void victimsWanted(int cause, std::size_t most);

 private:
  struct Group {
    StallBlame blame;
    std::optional<StallVictims> victims;
    bool asked = false;
    Cycles others() const;  ///< lost by victims that are not known
  };
  const Group& groupOf(const QModelIndex& index) const;
  QString textOf(const QModelIndex& index) const;
  double share(Cycles lost) const;

  TimelineRun run_;
  Cycles lost_ = 0;
  std::vector<Group> groups_;
};

}  // namespace sluice::ui
