#pragma once
// ResultsView: brings what the engine answers to where the user looks - canvas, figures, plots, inspector,
// diagnostics - and keeps apart what is of the knobs as they are now and what is still of older ones.

#include <QObject>
#include <map>

#include "app/window/session_controller.h"
#include "widgets/canvas/mark.h"

namespace sluice::ui {

class DiagnosticsList;
class GraphCanvas;
class Inspector;
class MetricsBar;
class OccupancyPlot;
class ParetoPlot;
class PointsModel;

/// The views, owned by the window.
struct ResultViews {
  GraphCanvas* canvas;
  MetricsBar* metrics;
  Inspector* inspector;
  ParetoPlot* pareto;
  PointsModel* points;
  OccupancyPlot* occupancy;
  DiagnosticsList* diagnostics;
};

class ResultsView : public QObject {
  Q_OBJECT

 public:
  ResultsView(ResultViews views, SessionController* session, QObject* parent);

  /// Another file: nothing of the old one stays.
  void reset();
  /// The document changed in what it computes: explored points are of another program now.
  void forgetPoints();
  void setDocument(const Document& document);
  void selectNode(const QString& path);
  void selectStream(const QString& origin);
  /// A file that could not be read or written; an empty list takes the message away.
  void setFileDiagnostics(const Diagnostics& diagnostics);
  const std::shared_ptr<const PointResult>& point() const { return point_; }

 signals:
  void diagnosticsChanged(int errors, int warnings);

 private:
  /// Who said it; each source replaces only its own.
  enum class Source { File, Check, Point, Explore };

  void connectSession(SessionController* session);
  void setStale(bool stale);
  void showSymbolic(const std::shared_ptr<const SymbolicResult>& result);
  void showPoint(const std::shared_ptr<const PointResult>& result);
  void showFailure(const Diagnostics& diagnostics);
  void showExploration(const Exploration& exploration);
  void showOccupancy();
  std::vector<std::size_t> streamsToPlot(QString* title) const;
  void showHeat();
  void setDiagnostics(Source source, Diagnostics diagnostics);
  void showDiagnostics();
  Diagnostics pointDiagnostics(const PointResult& result) const;

  ResultViews views_;
  Document document_;
  std::shared_ptr<const SymbolicResult> symbolic_;
  std::shared_ptr<const PointResult> point_;
  bool stale_ = false;
  std::string node_, stream_;  ///< selected
  std::map<Source, Diagnostics> diagnostics_;
};

}  // namespace sluice::ui
