#pragma once
// ExplorerPane: the explored points from every side - Pareto chart, table, parallel coordinates, sensitivity,
// hypervolume, choice - under one row of filters, with one selection.

#include <QWidget>

#include "engine/explorer/session.h"
#include "widgets/points/point_selection.h"

namespace sluice::ui {

class Commands;
class DecisionPanel;
class FilterBar;
class HypervolumePlot;
class ParallelView;
class ParetoPlot;
class PointColumns;
class PointsModel;
class PointsTable;
class SensitivityView;
class SessionController;
class StoreDialog;
class ViewTabs;

class ExplorerPane : public QWidget {
  Q_OBJECT

 public:
  explicit ExplorerPane(QWidget* parent = nullptr);

  PointsModel* points() const { return points_; }
  PointSelection* selection() const { return selection_; }
  ParetoPlot* pareto() const { return pareto_; }
  PointsTable* table() const { return table_; }
  ParallelView* parallel() const { return parallel_; }
  SensitivityView* sensitivity() const { return sensitivity_; }
  HypervolumePlot* hypervolume() const { return hypervolume_; }
  DecisionPanel* decision() const { return decision_; }
  FilterBar* filters() const { return filters_; }
  /// The view in front.
  QWidget* current() const;
  void bring(QWidget* view);
  /// Where its views are put as tabs.
  ViewTabs* tabs() const { return tabs_; }

  /// The exploration's points in the order in which they are finished. Of a search, its objectives become
  /// the axes and its constraints filters.
  void follow(SessionController* session);
  /// Past explorations, whose points can take the place of those that are shown.
  StoreDialog* showStores();
  /// The commands of the menu Points.
  void addCommands(Commands* commands);

 signals:
  /// A point is to become the design.
  void pointActivated(int index);

 private:
  void lookAt(const SearchRequest& search);
  void constrain(const std::vector<Constraint>& constraints);
  std::vector<DesignPoint> withConstraints(std::vector<DesignPoint> points) const;

  PointsModel* points_;
  PointColumns* columns_;
  PointSelection* selection_;
  FilterBar* filters_;
  ParetoPlot* pareto_;
  PointsTable* table_;
  ParallelView* parallel_;
  SensitivityView* sensitivity_;
  HypervolumePlot* hypervolume_;
  DecisionPanel* decision_;
  ViewTabs* tabs_;
  std::vector<Constraint> constraints_;  ///< of the newest search
  std::vector<PointFilter> filters_of_search_;
  StoreDialog* stores_ = nullptr;  ///< the window's; once it was asked for
};

}  // namespace sluice::ui
