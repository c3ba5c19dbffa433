#pragma once
// Workspace: the middle of the window, which no dock takes: the canvas, and beside it what wants as much
// room, as tabs. It makes the widgets of the views that much of the window works with.

#include "app/window/shell/view_tabs.h"

namespace sluice::ui {

class DiagnosticsList;
class ExplorerPane;
class GraphCanvas;
class OccupancyPlot;
class ParetoPlot;
class PointsModel;
class PointsTable;

class Workspace : public ViewTabs {
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
  void showDiagnostics();
  /// In the title of their dock.
  void setDiagnosticCounts(int errors, int warnings);

 private:
  GraphCanvas* canvas_;
  ExplorerPane* explorer_;
  OccupancyPlot* occupancy_;
  DiagnosticsList* diagnostics_;
};

}  // namespace sluice::ui
