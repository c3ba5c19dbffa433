#pragma once
// Workspace: the middle of the window. The canvas above; below it the points (Pareto plot, table) beside what
// a run has to say (FIFO occupancy, diagnostics).

#include <QSplitter>

class QTabWidget;

namespace sluice::ui {

class DiagnosticsList;
class ExplorerPane;
class GraphCanvas;
class OccupancyPlot;
class ParetoPlot;
class PointsModel;
class PointsTable;
class Views;

class Workspace : public QSplitter {
  Q_OBJECT

 public:
  /// `layout_helper`: the program that lays the canvas out. Its views join `views`.
  Workspace(const QString& layout_helper, Views& views, QWidget* parent = nullptr);

  GraphCanvas* canvas() const { return canvas_; }
  ExplorerPane* explorer() const { return explorer_; }
  PointsModel* points() const;
  ParetoPlot* pareto() const;
  PointsTable* table() const;
  OccupancyPlot* occupancy() const { return occupancy_; }
  DiagnosticsList* diagnostics() const { return diagnostics_; }
  void showOccupancy();
  void showDiagnostics();
  void setDiagnosticCounts(int errors, int warnings);

  /// Sizes of the parts and the tabs in front, for the settings.
  QByteArray saveParts() const;
  void restoreParts(const QByteArray& parts);
  void resetParts();

 private:
  void addViews(Views& views);

  GraphCanvas* canvas_;
  ExplorerPane* explorer_;
  OccupancyPlot* occupancy_;
  DiagnosticsList* diagnostics_;
  QSplitter* results_;
  QTabWidget* run_tabs_;
};

}  // namespace sluice::ui
