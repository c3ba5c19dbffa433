#pragma once
// Workspace: the middle of the window. The canvas above; below it the points (Pareto plot, table) beside what
// a run has to say (FIFO occupancy, diagnostics). Each of the three is a place for views, as tabs.

#include <QSplitter>

namespace sluice::ui {

class DiagnosticsList;
class ExplorerPane;
class GraphCanvas;
class OccupancyPlot;
class ParetoPlot;
class PointsModel;
class PointsTable;
class ViewTabs;

enum class Area;

class Workspace : public QSplitter {
  Q_OBJECT

 public:
  /// `layout_helper`: the program that lays the canvas out.
  explicit Workspace(const QString& layout_helper, QWidget* parent = nullptr);

  GraphCanvas* canvas() const { return canvas_; }
  ExplorerPane* explorer() const { return explorer_; }
  PointsModel* points() const;
  ParetoPlot* pareto() const;
  PointsTable* table() const;
  OccupancyPlot* occupancy() const { return occupancy_; }
  DiagnosticsList* diagnostics() const { return diagnostics_; }
  /// Null for an area of docks.
  ViewTabs* tabs(Area area) const;
  /// A view to the front of its tabs, by its id.
  void bring(const QString& id);
  void showDiagnostics();
  void setDiagnosticCounts(int errors, int warnings);

  /// Sizes of the parts and the views in front, for the settings.
  QByteArray saveParts() const;
  void restoreParts(const QByteArray& parts);
  void resetParts();

 private:
  GraphCanvas* canvas_;
  ExplorerPane* explorer_;
  OccupancyPlot* occupancy_;
  DiagnosticsList* diagnostics_;
  QSplitter* results_;
  ViewTabs *middle_, *run_tabs_;
};

}  // namespace sluice::ui
