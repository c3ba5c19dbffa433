#pragma once
// DesignsPanel: the designs that a search has found - all over the two objectives, the frontier as a table -
// and of the one that is selected the steps that lead to it, with what each changed. It shows and reports
// what the user wants; it keeps no document.

#include <QWidget>
#include <memory>

#include "engine/designer/designer.h"

class QLabel;
class QPushButton;
class QTableWidget;
class QTreeWidget;
class QCPItemStraightLine;

namespace sluice::ui {

class ParetoChart;
class PointsModel;

class DesignsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit DesignsPanel(QWidget* parent = nullptr);

  /// A search begins with this; null: there is none, and nothing is shown.
  void begin(std::shared_ptr<const Workload> searched, const KnobValues& knobs, const DesignRequest& request);
  /// In the order of the search.
  void append(std::vector<Design> designs);
  void finish(const DesignResult& result);
  /// The program is another one than the designs are of: they stay, but cannot be taken.
  void setOutdated(bool outdated);
  bool isOutdated() const { return outdated_; }

  const std::vector<Design>& designs() const { return designs_; }
  /// Places among the designs, by the first objective: the rows of the table.
  const std::vector<std::size_t>& frontier() const { return frontier_; }
  void select(int design);
  int selected() const;  ///< -1: none
  ParetoChart* chart() const { return chart_; }
  QTableWidget* table() const { return table_; }
  QTreeWidget* lineage() const { return lineage_; }
  QPushButton* takeButton() const { return take_; }

 signals:
  /// A design is to become the program's schedule.
  void taken(int design);

 private:
  void build();
  void showBounds(const ProgramBounds& bounds);
  void updateFrontier();
  void showFrontier();
  void showSelected();
  void showLineage();
  void addStage(const QString& text, const Design* design, const Design* before);
  const Design* evaluated(std::size_t steps, const Design& of) const;
  void updateButton();

  std::shared_ptr<const Workload> searched_;
  KnobValues knobs_;
  DesignRequest request_;
  std::vector<const MetricSpec*> objectives_;
  std::vector<Design> designs_;
  std::vector<std::size_t> frontier_;
  std::vector<QCPItemStraightLine*> bounds_;  ///< of the chart
  bool outdated_ = false, filling_ = false;
  QWidget* content_;
  QLabel *hint_, *outdated_note_;
  PointsModel* points_;
  ParetoChart* chart_;
  QTableWidget* table_;
  QTreeWidget* lineage_;
  QPushButton* take_;
};

}  // namespace sluice::ui
