#pragma once
// SizingPage: the FIFOs of a design sized by every method side by side, with what each costs and whether it
// runs; depths by hand are checked as they are edited, and every edit can be undone.

#include <QUndoStack>
#include <QWidget>

#include "widgets/fifos/sizing_comparison.h"

class QAbstractItemModel;
class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTableView;

namespace sluice::ui {

class FifoFields;
class SizingModel;
class SummaryModel;
class TimedGraphView;

class SizingPage : public QWidget {
  Q_OBJECT

 public:
  explicit SizingPage(QWidget* parent = nullptr);

  /// Another design: edits of the old one are gone.
  void setGraph(const TimedGraph& graph, const QString& note);
  /// As one step for undo.
  void setDepth(std::size_t stream, std::int64_t depth);
  void setDepths(const std::vector<std::int64_t>& depths, const QString& label);

  QUndoStack* undoStack() { return &undo_; }
  const TimedGraph& graph() const { return graph_; }
  SizingOptions options() const;
  /// The methods, and by hand the last.
  const std::vector<ComparedSizing>& sizings() const { return sizings_; }
  std::size_t shownSizing() const { return shown_; }
  TimedGraphView* graphView() const { return view_; }
  QTableView* table() const { return table_; }
  QTableView* summary() const { return summary_; }
  QString verdict() const;

 signals:
  /// The user wants to see the curves of a FIFO.
  void curvesRequested(int stream, qint64 delay);

 private:
  QWidget* buildOptions();
  QWidget* buildComparison();
  QTableView* makeTable(QAbstractItemModel* model, const char* name, const QString& title);
  void chooseExample(int index);
  void applyDepths(const std::vector<std::int64_t>& depths);
  void scaleDelays();
  void compute();
  void check();
  void showSizing(std::size_t sizing);
  void requestCurves(int stream);

  QUndoStack undo_;
  TimedGraph plain_, graph_;  ///< as given, and with its delays scaled
  std::vector<std::int64_t> by_hand_;
  std::vector<ComparedSizing> sizings_;
  std::size_t shown_ = 0;
  QComboBox *example_, *objective_;
  QSpinBox* scale_;
  FifoFields* fifo_;
  QLabel *note_, *verdict_;
  QPushButton* take_;
  TimedGraphView* view_;
  SizingModel* model_;
  SummaryModel* summary_model_;
  QTableView *table_, *summary_;
};

}  // namespace sluice::ui
