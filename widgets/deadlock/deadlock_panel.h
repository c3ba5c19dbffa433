#pragma once
// DeadlockPanel: why nothing moves, beside the canvas - the wait cycles with toggles, the chain of sentences
// of the chosen one, the moment it closed, and the repair with its price.

#include <QSet>
#include <QWidget>

#include "widgets/deadlock/deadlock_explanation.h"

class QLabel;
class QListWidget;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTreeWidget;
class QTreeWidgetItem;

namespace sluice::ui {

class NearMissBox;
class RepairBox;

class DeadlockPanel : public QWidget {
  Q_OBJECT

 public:
  explicit DeadlockPanel(QWidget* parent = nullptr);

  /// No deadlock to show; says what there is instead.
  void clear(const QString& message);
  /// The same deadlock with more known of it keeps what is chosen and toggled.
  void setExplanation(const DeadlockExplanation& explanation);
  const DeadlockExplanation& explanation() const { return explanation_; }
  /// What is shown belongs to older knobs; nothing can be applied.
  void setStale(bool stale);
  RepairBox* repair() const { return repair_; }
  NearMissBox* nearMisses() const { return near_misses_; }
  /// A short message at the foot: "Wrote chain.txt".
  void setMessage(const QString& message);

  int currentGroup() const { return current_; }  ///< position in the explanation; -1: none
  int currentStep() const;
  QSet<int> shownGroups() const;
  bool showsClosing() const { return closing_; }

 public slots:
  void nextWaitCycle() { walkWaitCycles(1); }
  void previousWaitCycle() { walkWaitCycles(-1); }
  void nextMember() { walkMembers(1); }
  void previousMember() { walkMembers(-1); }
  void goToClosing();

 signals:
  void groupChanged();  ///< another wait cycle is chosen, toggled, or its moment looked at
  void stepChosen(const QString& node, const QString& stream);
  /// The moment at which the chosen wait cycle closed.
  void cycleRequested(qint64 cycle);
  void pictureRequested();
  void textRequested();

 private:
  void build();
  void fillTree();
  QString alikeText(const QList<int>& groups) const;
  QTreeWidgetItem* rowOf(QTreeWidgetItem* parent, int group);
  void choose(int group);
  void showChain();
  void tellStep();
  void walkWaitCycles(int step);
  void walkMembers(int step);

  DeadlockExplanation explanation_;
  int current_ = -1;
  bool closing_ = false, filling_ = false;
  QStackedWidget* pages_;
  NearMissBox* near_misses_;
  QLabel *headline_, *detail_, *message_;
  QTreeWidget* groups_;
  QListWidget* chain_;
  QPushButton *closing_button_, *picture_, *text_;
  RepairBox* repair_;
};

}  // namespace sluice::ui
