#pragma once
// TimelinePanel: the timeline with what steers it - play, speed, filter, folding - and the table of stalls.

#include <QWidget>

#include "widgets/timeline/stall_model.h"
#include "widgets/timeline/timeline_view.h"

class QAction;
class QComboBox;
class QLabel;
class QLineEdit;
class QTreeView;

namespace sluice::ui {

class TimeCursor;

class TimelinePanel : public QWidget {
  Q_OBJECT

 public:
  /// `commands`: for the tool bar, in its order; their keys work wherever the panel has the focus.
  TimelinePanel(TimeCursor* cursor, const QList<QAction*>& commands, QWidget* parent = nullptr);

  /// A null run shows the notice. Stalls follow with setStalls().
  void setRun(const TimelineRun& run, const QString& notice);
  void setStalls(const TimelineRun& run, StallFindings stalls);
  void setStale(bool stale);
  TimelineView* view() const { return view_; }
  QTreeView* stallTable() const { return stalls_; }
  StallModel* stallModel() const { return model_; }
  QLineEdit* filter() const { return filter_; }

 public slots:
  /// The stretches of a row of the table; called again for the same row, the next of them.
  void showIntervals(const QModelIndex& index);

 private:
  void makeBar(const QList<QAction*>& commands);
  void setSpeed();

  TimeCursor* cursor_;
  TimelineView* view_;
  StallModel* model_;
  QTreeView* stalls_;
  QLineEdit* filter_;
  QComboBox* speeds_;
  QLabel* status_;
  QWidget* bar_;
  const StallRow* shown_row_ = nullptr;
  std::vector<StallInterval> intervals_;
  std::size_t interval_ = 0;
};

}  // namespace sluice::ui
