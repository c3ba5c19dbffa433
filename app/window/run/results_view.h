#pragma once
// ResultsView: brings what the engine answers to where the user looks - canvas, figures, plots, inspector,
// diagnostics - and keeps apart what is of the design as it is now and what is still of an older one. While a
// design cannot be simulated, the results before it stay, greyed, with a line that says how old they are.

#include <QObject>
#include <map>

#include "app/window/document/graph_correspondence.h"
#include "app/window/document/places.h"
#include "app/window/run/session_controller.h"
#include "app/window/schedule/schedule_trace.h"
#include "app/window/shell/window_context.h"
#include "widgets/canvas/mark.h"
#include "widgets/inspector/page.h"
#include "widgets/plots/occupancy_traces.h"

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
  /// What there is to say of the designs that were found; likewise.
  void setDesignRemarks(const Diagnostics& remarks);
  const std::shared_ptr<const PointResult>& point() const { return point_; }
  /// What the point was computed from; another than the session's while the design has no results.
  const std::shared_ptr<const Workload>& pointWorkload() const { return point_workload_; }
  /// Null where nothing is known of the schedule's steps.
  const std::shared_ptr<const ScheduleTrace>& trace() const { return trace_; }
  /// The shown program.
  const Document& document() const { return document_; }
  /// What of the point's program is in the shown one.
  const GraphCorrespondence& shownFromPoint() const { return shown_from_point_; }

 signals:
  void trustShown(const QString& trust);
  void pointShown();  ///< another point, none, or the same on another program
  void traceShown();  ///< it is known what the schedule's steps do
  void staleChanged(bool stale);
  void selectionShown(const QString& node, const QString& stream);
  void diagnosticsChanged(int errors, int warnings);

 private:
  /// Who said it; each source replaces only its own.
  enum class Source { File, Check, Static, Point, Explore, Design };

  void connectSession(SessionController* session);
  void setStale(bool stale);
  void showSymbolic(const std::shared_ptr<const SymbolicResult>& result);
  void showPoint(const std::shared_ptr<const PointResult>& result);
  void showTrust(const Document& document);
  void tellTrust();
  void showFailure(const Diagnostics& diagnostics);
  void showExploration(const Exploration& exploration);
  void forgetPoints();
  void showAge();
  bool isRerun(const KnobValues& knobs) const;
  bool isShown(const Graph& program, bool stale) const;
  struct Types {
    std::shared_ptr<const SymbolicResult> of;  ///< null: none are known
    bool whole = true;                         ///< else only what is in both programs
  };
  Types shownTypes() const;
  void showTypes();
  void showInspected();
  void showInspected(const Types& types);
  void clearOccupancy(const QString& why);
  void showOccupancy();
  std::vector<std::size_t> streamsByFill() const;
  QString occupancyTitle(const std::vector<ChosenStreams::Chosen>& chosen, std::size_t all) const;
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
  std::shared_ptr<const Workload> point_workload_;
  int point_edit_ = 0;     ///< how many changes undo could take back then
  QString trust_;          ///< why the point's cycles may be believed
  bool outdated_ = false;  ///< the design has no results: those that are shown are of an older one
  std::shared_ptr<const ScheduleTrace> trace_;
  Graph symbolic_program_, point_program_;  ///< what these results are of
  GraphCorrespondence shown_from_point_;    ///< what of the point's program is in the shown one
  std::map<std::string, double> node_heat_, stream_heat_;  ///< of the point's program
  ChosenStreams plotted_;
  /// What the plot of FIFOs shows.
  struct PlottedRun {
    std::shared_ptr<const PointResult> point;
    std::vector<std::pair<std::size_t, int>> streams = {};  ///< with their places
    QString title = {};
    bool operator==(const PlottedRun&) const = default;
  } plotted_run_;
  bool types_stale_ = false, stale_ = false;
  std::string node_, stream_;  ///< selected
  std::map<Source, Diagnostics> diagnostics_;
};

}  // namespace sluice::ui
