#pragma once
// RepairBox: the search for a repair while it runs, and what it found: which FIFOs to deepen, the price in
// bytes, the run before and after - or why no depth helps. Beside the whole repair that of the chosen wait
// cycle.

#include <QWidget>

#include "widgets/deadlock/deadlock_explanation.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QTreeWidget;

namespace sluice::ui {

struct SearchState {
  double fraction = 0;
  int runs = 0;
  double seconds_left = 0;
  std::optional<double> bytes;  ///< of the best repair so far
};

class RepairBox : public QWidget {
  Q_OBJECT

 public:
  explicit RepairBox(QWidget* parent = nullptr);

  void setExplanation(const DeadlockExplanation& explanation);
  /// The chosen group, whose own repair is offered where it is less than the whole.
  void setGroup(const WaitGroup* group);
  void setSearching(const SearchState& state);
  void setStale(bool stale);
  bool canApply() const;
  bool canApplyWaitCycle() const;

 signals:
  void applyRequested();
  void applyWaitCycleRequested();
  void cancelRequested();
  void streamChosen(const QString& origin);

 private:
  void build();
  void showRepair(const ProposedRepair& repair, double on_chip_bytes);
  void updateParts();

  QLabel *title_, *reasons_, *before_after_, *progress_text_, *wait_cycle_;
  QTreeWidget* changes_;
  QProgressBar* bar_;
  QPushButton *cancel_, *apply_, *apply_wait_cycle_;
  std::optional<ProposedRepair> whole_;
  bool searching_ = false, stale_ = false, of_wait_cycle_ = false;
};

}  // namespace sluice::ui
