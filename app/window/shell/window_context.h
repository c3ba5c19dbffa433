#pragma once
// WindowContext: what the controllers of the window work with, all of it owned by the window.

class QMainWindow;

namespace sluice::ui {

class Commands;
class DocumentController;
class GraphCanvas;
class OccupancyPlot;
class ResultsView;
class SessionController;
class ShownProgram;

struct WindowContext {
  QMainWindow* window;
  Commands* commands;
  DocumentController* documents;
  SessionController* session;
  ShownProgram* shown;
  GraphCanvas* canvas;
  OccupancyPlot* occupancy;
  ResultsView* results;
};

}  // namespace sluice::ui
