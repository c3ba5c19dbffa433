#pragma once
// RewritesPage: the rewrites of a compiled dataflow design, each with its places, where it is legal and what
// is in the way elsewhere. What is applied becomes a step of the program's schedule, so it is undone like any
// edit.

#include <QStringList>
#include <QWidget>
#include <optional>
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

/// What a rewrite changes with the argument that is suggested, in bytes: below 0, they get fewer.
struct RewriteGain {
  qint64 on_chip = 0, off_chip = 0;  ///< held at once, with FIFOs; moved to and from external memory
  QString all;                       ///< every number that changes
};

struct RewriteSpot {
  QString place;                         ///< "a.out0 -> b.in0"
  QString argument;                      ///< that is suggested there: "2x4"
  QString refused;                       ///< cause and fix; empty where the rewrite is legal
  QStringList nodes = {};                ///< of the canvas, where it is; empty: none of them
  QString stream = {};                   ///< likewise
  std::optional<RewriteGain> gain = {};  ///< none: not known (yet)
};

struct RewriteKind {
  QString name, purpose;
  QString place_kind;  ///< "stream"
  QString argument;    ///< its name; empty: takes none
  std::vector<RewriteSpot> spots;
};

struct RewriteApplied {
  QString text, difference;
  int step = 0;  ///< of the schedule
};

/// A tensor program of the schedule.
struct RewritableDesign {
  QString program;
  int next_step = 0;  ///< where in the schedule one more rewrite stands
  std::vector<RewriteKind> rewrites;
  std::vector<RewriteApplied> applied;  ///< in their order
};

/// One more rewrite that is to be applied.
struct RewriteWanted {
  QString program;
  int step = 0;  ///< where in the schedule
  int kind = 0;  ///< of the design's `rewrites`
  QString place, argument;
};

class RewritesPage : public QWidget {
  Q_OBJECT

 public:
  explicit RewritesPage(QWidget* parent = nullptr);

  void setDesigns(std::vector<RewritableDesign> designs);
  QTreeWidget* tree() const { return tree_; }
  QListWidget* applied() const { return applied_; }
  /// What the selected place and the argument come to; nothing where it is not legal.
  std::optional<RewriteWanted> wanted() const;

 signals:
  /// The user looks at a place: where it is on the canvas.
  void placeChosen(const QStringList& nodes, const QString& stream);
  void applyRequested(const sluice::ui::RewriteWanted& rewrite);
  /// Without this step of the schedule.
  void removeRequested(int step);

 private:
  QWidget* buildTop();
  QWidget* buildBottom();
  void showDesign();
  QTreeWidgetItem* makeKind(const RewritableDesign& design, int kind) const;
  QTreeWidgetItem* makeSpot(const RewriteKind& kind, int number, std::size_t spot) const;
  const RewriteSpot* currentSpot() const;
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
