#pragma once
// Workspace: the middle of the window. The canvas above; below it the points (Pareto plot, table) beside what
// a run has to say (FIFO occupancy, diagnostics).

#include <QSplitter>

class QTabWidget;

namespace sluice::ui {

class DiagnosticsList;
class GraphCanvas;
class OccupancyPlot;
class ParetoPlot;
class PointsModel;
class PointsTable;

class Workspace : public QSplitter {
  Q_OBJECT

 public:
  /// `layout_helper`: the program that lays the canvas out.
  explicit Workspace(const QString& layout_helper, QWidget* parent = nullptr);

  GraphCanvas* canvas() const { return canvas_; }
  PointsModel* points() const { return points_; }
  ParetoPlot* pareto() const { return pareto_; }
  PointsTable* table() const { return table_; }
  OccupancyPlot* occupancy() const { return occupancy_; }
  DiagnosticsList* diagnostics() const { return diagnostics_; }

  void showOccupancy();
  void showDiagnostics();
  void setDiagnosticCounts(int errors, int warnings);

  /// Sizes of the parts, for the settings.
  QByteArray saveParts() const;
  void restoreParts(const QByteArray& parts);
  void resetParts();

 private:
  GraphCanvas* canvas_;
  PointsModel* points_;
  ParetoPlot* pareto_;
  PointsTable* table_;
  OccupancyPlot* occupancy_;
  DiagnosticsList* diagnostics_;
  QSplitter* results_;
  QTabWidget *point_tabs_, *run_tabs_;
};

}  // namespace sluice::ui
