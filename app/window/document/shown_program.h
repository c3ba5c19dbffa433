#pragma once
// ShownProgram: which program the canvas shows - the one that is edited, or what its schedule makes of it,
// which is what is simulated. Both are one document to the user: places on the canvas of nodes that both have
// are the document's own; those of nodes that a step made are kept for the session. Which regions are open is
// a matter of looking: the document says how it begins, the session what became of it.

#include <QHash>
#include <QObject>
#include <map>
#include <memory>
#include <optional>

#include "app/window/document/graph_correspondence.h"
#include "app/window/schedule/schedule_trace.h"

namespace sluice::ui {

class ShownProgram : public QObject {
  Q_OBJECT

 public:
  explicit ShownProgram(QObject* parent = nullptr);

  void open(const Document& plain);      ///< another file; nothing of the old one stays
  void setPlain(const Document& plain);  ///< the edited document
  /// What was simulated last; null: the schedule is refused, and only the plain program can be shown.
  void setSimulated(const std::shared_ptr<const SymbolicResult>& result);
  /// Tells who made what; and where nothing can be simulated though every step is legal, what came out.
  void setTrace(const std::shared_ptr<const ScheduleTrace>& trace);
  void wantScheduled(bool scheduled);  ///< remembered in the settings
  bool wantsScheduled() const { return wants_scheduled_; }

  const Document& document() const { return shown_; }
  const Document& plain() const { return plain_; }
  bool hasSchedule() const { return !plain_.schedule.empty(); }
  bool isScheduled() const { return scheduled_; }  ///< what is shown

  bool isInPlain(const std::string& path) const;
  /// Whether a stream that is shown is one of the plain program.
  bool isPlainStream(const std::string& id) const;
  /// What of the shown program cannot be edited, by path or id, with the reason in words.
  QHash<QString, QString> readOnly() const;

  /// For nodes that only the shown program has; places count until another file is opened.
  void place(const std::string& path, Position at);
  /// Until another file is opened; the document stays as it is.
  void collapse(const std::string& path, bool collapsed);
  /// The regions that are shown otherwise than the document says, by path.
  const std::map<std::string, bool>& collapsed() const { return collapsed_; }

 signals:
  void changed();
  void readOnlyChanged();

 private:
  void update();
  void dress(Graph& graph, const Graph* plain, const std::string& prefix) const;
  void readOnlyInto(const Graph& graph, const std::string& path, QHash<QString, QString>& result) const;
  QString madeBy(const std::string& path) const;

  Document plain_, shown_;
  std::shared_ptr<const Document> scheduled_program_;
  std::shared_ptr<const ScheduleTrace> trace_;
  GraphCorrespondence to_plain_;
  std::map<std::string, Position> places_;
  std::map<std::string, bool> collapsed_;
  bool wants_scheduled_ = true, scheduled_ = false;
};

/// "step 2, tile".
QString stepName(std::size_t position, const ScheduleStep& step);

}  // namespace sluice::ui
