#pragma once
// WindowContext: what the controllers and views of the window work with, all of it owned by the window.

#include <QString>
#include <functional>

#include "engine/core/diagnostic.h"

class QMainWindow;

namespace sluice::ui {

class Commands;
class DiagnosticsList;
class DocumentController;
class ExplorerPane;
class FileCommands;
class GraphCanvas;
class Inspector;
class MetricsBar;
class OccupancyPlot;
class OperatorPalette;
class Panels;
class ResultsView;
class SessionController;
class ShownProgram;
class Views;

struct WindowContext {
  QMainWindow* window = nullptr;
  Commands* commands = nullptr;
  Views* views = nullptr;
  Panels* panels = nullptr;
  DocumentController* documents = nullptr;
  SessionController* session = nullptr;
  ShownProgram* shown = nullptr;
  GraphCanvas* canvas = nullptr;
  ExplorerPane* explorer = nullptr;
  OccupancyPlot* occupancy = nullptr;
  DiagnosticsList* diagnostics = nullptr;
  OperatorPalette* operators = nullptr;
  Inspector* inspector = nullptr;
  MetricsBar* metrics = nullptr;
  ResultsView* results = nullptr;
  FileCommands* files = nullptr;
  /// Selects a node by its path, or a stream by its origin or name, in every view.
  std::function<void(const QString& place)> jump = {};
  /// Lists what is wrong among the diagnostics; an empty list takes it away.
  std::function<void(const Diagnostics& why)> report = {};
};

}  // namespace sluice::ui
