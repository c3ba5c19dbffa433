#pragma once
// SizingPage: the FIFOs of a design sized by every method side by side, with what each costs and whether it
// runs; depths by hand are checked as they are edited, and every edit can be undone.

#include <QUndoStack>
#include <QWidget>

#include "widgets/fifos/sizing_comparison.h"
#include "widgets/fifos/sizing_examples.h"

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
  void setOptions(const SizingOptions& options);
  /// As one step for undo.
  void setDepth(std::size_t stream, std::int64_t depth);
  void setDepths(const std::vector<std::int64_t>& depths, const QString& label);

  QUndoStack* undoStack() { return &undo_; }
  const TimedGraph& graph() const { return graph_; }
  SizingOptions options() const;
  /// More designs to choose from, before the built-in ones; the first is shown until the user picks one.
  void setDesigns(std::vector<SizingExample> designs);
  void choose(const QString& design);
  /// The design is one of those given, not an example.
  bool showsGiven() const;
  /// The FIFO that gets most tokens by start times; none: nothing is sized.
  std::optional<std::size_t> deepest() const;
  /// By the shown method, or by start times.
  std::int64_t delayOf(std::size_t stream) const;
  /// What the simulator says to the sizings, in their order, and the depths that it found itself, if it was
  /// asked for them.
  void setSimulated(const std::vector<std::optional<SimulatedFifos>>& runs,
                    const std::optional<SimulatedSizing>& found);
  /// The simulator's own depths are there.
  bool hasSimulated() const { return simulated_; }
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
  /// The sizings changed: an owner with a simulator runs them and calls setSimulated().
  void simulationWanted();

 private:
  QWidget* buildOptions();
  QWidget* buildComparison();
  QTableView* makeTable(QAbstractItemModel* model, const char* name, const QString& title);
  void chooseDesign(int index);
  void applyDepths(const std::vector<std::int64_t>& depths);
  void scaleDelays();
  void compute();
  void check();
  void showTables();
  void showSizing(std::size_t sizing);
  void requestCurves(int stream);

  QUndoStack undo_;
  TimedGraph plain_, graph_;  ///< as given, and with its delays scaled
  std::vector<std::int64_t> by_hand_;
  std::vector<ComparedSizing> sizings_;
  bool simulated_ = false;
  std::vector<SizingExample> designs_;  ///< those given, then the examples
  int designs_given_ = 0;
  bool picked_ = false;  ///< the user has chosen a design, or edits one
  QString chosen_;       ///< design
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
