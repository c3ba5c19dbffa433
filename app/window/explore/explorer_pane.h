#pragma once
// ExplorerPane: the explored points from every side - Pareto chart, table, parallel coordinates, sensitivity,
// hypervolume, choice - with one selection and one row of filters. Each is a view of its own; the pane itself
// is the row of filters.

#include <QWidget>

#include "engine/explorer/session.h"
#include "widgets/points/point_selection.h"

class QLabel;

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
  /// Why the cycles of a row's point may be believed, and those of all points.
  void setTrust(std::function<TrustLabel(std::size_t row)> of_row, const TrustLabel& of_all);
  HypervolumePlot* hypervolume() const { return hypervolume_; }
  DecisionPanel* decision() const { return decision_; }
  FilterBar* filters() const { return filters_; }
  /// The first of its views that is seen; null: none is.
  QWidget* current() const;
  void bring(QWidget* view);
  /// Takes away what the user has done to the points: those of another program have nothing to do with it.
  void forget();

  /// The exploration's points in the order in which they are finished. Of a search, its objectives become
  /// the axes and its constraints filters.
  void follow(SessionController* session);
  /// Past explorations, whose points can take the place of those that are shown.
  StoreDialog* showStores();
  /// The program is another one than the points are of: they stay, greyed, and a line says so.
  void outdate();
  /// The program has results again: true if the points are of it, and stay.
  bool settle(const Document& program);
  /// The commands of the menu Points.
  void addCommands(Commands* commands);

 signals:
  /// A point is to become the design.
  void pointActivated(int index);

 private:
  QList<QWidget*> pages() const;
  void lookAt(const SearchRequest& search);
  void constrain(const std::vector<Constraint>& constraints);
  void setOutdated(bool outdated);
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
  QLabel* outdated_;  ///< visible while the points are of an older program
  bool is_outdated_ = false;
  std::shared_ptr<const Workload> explored_;  ///< what the points are of; null: not known
  std::vector<Constraint> constraints_;       ///< of the newest search
  std::vector<PointFilter> filters_of_search_;
  StoreDialog* stores_ = nullptr;  ///< the window's; once it was asked for
};

}  // namespace sluice::ui
