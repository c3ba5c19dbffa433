#pragma once
// DesignsPanel: the designs that a search has found - all over the two objectives, the frontier as a table -
// and of the one that is selected the steps that lead to it, with what each changed, and whether it gives the
// same tensors. It shows and reports what the user wants; it keeps no document.

#include <QWidget>
#include <array>
#include <memory>

#include "engine/designer/design_report.h"

class QCheckBox;
class QLabel;
class QPushButton;
class QTabBar;
class QTableWidget;
class QVBoxLayout;

namespace sluice::ui {

class LineageTree;
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
  /// What is known of the selected design. `report`: where it is Known.
  enum class Proof { None, NotSimulated, Running, Stopped, Known };
  void showProof(Proof proof, const DesignReport* report);
  void select(int design);
  int selected() const;  ///< -1: none
  ParetoChart* chart() const { return chart_; }
  /// What the chart shows, and the objectives that the designs were found for.
  PointsModel* points() const { return points_; }
  const std::vector<std::string>& objectives() const { return request_.objectives; }
  /// Of these two: what no design can be beyond, as far as something is proved.
  const std::array<std::optional<double>, 2>& bounds() const { return bounds_; }
  QTableWidget* table() const { return table_; }
  LineageTree* lineage() const { return lineage_; }
  QPushButton* takeButton() const { return take_; }

 signals:
  /// A design is to become the program's schedule.
  void taken(int design);
  /// Its run is to be compared, as A (0) or B (1).
  void pinned(int design, int run);
  /// Another design is selected, or none.
  void chosen();
  /// The check of the selected design is to begin, or to stop.
  void checkClicked();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void build();
  void buildParts(QVBoxLayout& inside);
  QWidget* chartPart();
  void arrange();
  void showBounds(const ProgramBounds& bounds);
  void updateFrontier();
  void showFrontier();
  void showSelected();
  void showLineage();
  void setTableTitles();
  QVBoxLayout* foot();
  void updateButtons();

  std::shared_ptr<const Workload> searched_;
  KnobValues knobs_;
  DesignRequest request_;
  std::vector<const MetricSpec*> objectives_;
  std::vector<Design> designs_;
  std::vector<std::size_t> frontier_;
  std::optional<DesignReport> report_;  ///< of one of the designs
  std::array<std::optional<double>, 2> bounds_;
  bool outdated_ = false, filling_ = false;
  QWidget* content_;
  QTabBar* parts_;  ///< chart, frontier, steps: one at a time, where there is no room for all
  QWidget* lists_;
  QLabel *hint_, *outdated_note_;
  PointsModel* points_;
  ParetoChart* chart_;
  std::array<QCheckBox*, 2> log_;  ///< x, y
  QWidget* plot_;                  ///< the chart with these
  QTableWidget* table_;
  LineageTree* lineage_;
  QLabel* proof_;
  QPushButton *check_, *take_;
  std::array<QPushButton*, 2> pins_;
};

}  // namespace sluice::ui
