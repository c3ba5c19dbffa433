#pragma once
// RewritesPage: the rewrites of a compiled dataflow design, each with its places, where it is legal and what
// is in the way elsewhere. What is applied becomes part of the program's schedule, so it is undone like any
// edit.

#include <QStringList>
#include <QWidget>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace sluice::ui {

struct RewriteSpot {
  QString place;     ///< "stream 'a.out0 -> b.in0'"
  QString argument;  ///< that is suggested there: "2x4"
  QString refused;   ///< cause and fix; empty where the rewrite is legal
};

struct RewriteKind {
  QString name, purpose;
  QString argument;  ///< what it is; empty: takes none
  std::vector<RewriteSpot> spots;
};

struct RewriteApplied {
  QString text, difference;
};

/// A tensor program of the schedule.
struct RewritableDesign {
  QString program;
  int step = 0;  ///< of the schedule, that compiles it
  std::vector<RewriteKind> rewrites;
  std::vector<RewriteApplied> applied;  ///< in their order
};

class RewritesPage : public QWidget {
  Q_OBJECT

 public:
  explicit RewritesPage(QWidget* parent = nullptr);

  void setDesigns(std::vector<RewritableDesign> designs);
  QTreeWidget* tree() const { return tree_; }
  QListWidget* applied() const { return applied_; }
  /// What the selected place and the argument come to: "vectorise stream '...' by 2x4"; empty: nothing legal.
  QString written() const;

 signals:
  /// One more rewrite for a step of the schedule.
  void applyRequested(int step, const QString& rewrite);
  /// Without the rewrite at this place of the step's list.
  void removeRequested(int step, int rewrite);

 private:
  QWidget* buildTop();
  QWidget* buildBottom();
  void showDesign();
  void addKind(const RewriteKind& kind);
  void select();
  void apply();
  const RewritableDesign* design() const;

  std::vector<RewritableDesign> designs_;
  QComboBox* program_;
  QLineEdit *filter_, *argument_;
  QCheckBox* refused_;
  QTreeWidget* tree_;
  QLabel *argument_label_, *applied_label_, *notice_;
  QListWidget* applied_;
  QPushButton *apply_, *remove_;
};

}  // namespace sluice::ui
