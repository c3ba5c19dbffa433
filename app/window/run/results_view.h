#pragma once
// ResultsView: brings what the engine answers to where the user looks - canvas, figures, plots, inspector,
// diagnostics - and keeps apart what is of the knobs as they are now and what is still of older ones.

#include <QObject>
#include <map>

#include "app/window/document/places.h"
#include "app/window/document/program_match.h"
#include "app/window/run/session_controller.h"
#include "app/window/schedule/schedule_trace.h"
#include "app/window/shell/window_context.h"
#include "widgets/canvas/mark.h"

namespace sluice::ui {

class ParetoChart;
class PointsModel;

class ResultsView : public QObject {
  Q_OBJECT

 public:
  /// The context has no results yet: they are this.
  explicit ResultsView(const WindowContext& context);

  /// Another file: nothing of the old one stays.
  void reset();
  /// The document changed in what it computes: explored points are of another program now.
  void forgetPoints();
  /// What the canvas shows - the program, or what its schedule makes of it - and the document itself. What
  /// was computed for another program than the shown one is shown only where both are the same.
  void setPrograms(const Document& shown, const Document& plain);
  void setTrace(const std::shared_ptr<const ScheduleTrace>& trace);
  /// Where in the shown program a diagnostic's place is.
  std::optional<Place> placeOf(const Location& place) const;
  void selectNode(const QString& path);
  void selectStream(const QString& origin);
  /// A file that could not be read or written; an empty list takes the message away.
  void setFileDiagnostics(const Diagnostics& diagnostics);
  const std::shared_ptr<const PointResult>& point() const { return point_; }
  /// What of the point's program is in the shown one.
  const ProgramMatch& shownFromPoint() const { return shown_from_point_; }

 signals:
  void pointShown();  ///< another point, none, or the same on another program
  void staleChanged(bool stale);
  void selectionShown(const QString& node, const QString& stream);
  void diagnosticsChanged(int errors, int warnings);

 private:
  /// Who said it; each source replaces only its own.
  enum class Source { File, Check, Static, Point, Explore };

  void connectSession(SessionController* session);
  void setStale(bool stale);
  void showSymbolic(const std::shared_ptr<const SymbolicResult>& result);
  void showPoint(const std::shared_ptr<const PointResult>& result);
  void showFailure(const Diagnostics& diagnostics);
  void showExploration(const Exploration& exploration);
  bool isShown(const Graph& program, bool stale) const;
  std::shared_ptr<const SymbolicResult> shownTypes() const;
  void showTypes();
  void showInspected();
  void showOccupancy();
  std::vector<std::size_t> streamsToPlot(QString* title) const;
  void measureHeat();
  void showHeat();
  void setDiagnostics(Source source, Diagnostics diagnostics);
  void showDiagnostics();
  void addDeadlockMarks(QHash<QString, Mark>& marks) const;
  Diagnostics pointDiagnostics(const PointResult& result) const;

  PointsModel* points() const;
  ParetoChart* pareto() const;

  const WindowContext context_;
  Document document_, plain_;  ///< shown; edited
  std::shared_ptr<const SymbolicResult> symbolic_;
  std::shared_ptr<const PointResult> point_;
  std::shared_ptr<const ScheduleTrace> trace_;
  Graph symbolic_program_, point_program_;  ///< what these results are of
  ProgramMatch shown_from_point_;           ///< what of the point's program is in the shown one
  std::map<std::string, double> node_heat_, stream_heat_;  ///< of the point's program
  bool types_stale_ = false, stale_ = false;
  std::string node_, stream_;  ///< selected
  std::map<Source, Diagnostics> diagnostics_;
};

}  // namespace sluice::ui
