#pragma once
// ScheduleController: the schedule in the window - its panel, the dialog that makes a step, what the canvas
// offers for a region, and the switch between the program and what the schedule makes of it.

#include <QObject>
#include <optional>

#include "app/window/schedule/schedule_trace.h"
#include "app/window/schedule/step_choices.h"
#include "app/window/shell/background_work.h"
#include "app/window/shell/window_context.h"

class QFrame;
class QLabel;

namespace sluice::ui {

class SchedulePanel;

class ScheduleController : public QObject {
  Q_OBJECT

 public:
  explicit ScheduleController(const WindowContext& context);

  SchedulePanel* panel() const { return panel_; }
  /// Nothing is being traced.
  bool idle() const { return tracing_.idle(); }

  /// Opens the dialog; `step` may have arguments already, or name no transformation yet.
  void add(const ScheduleStep& step = {});
  void edit(int position);
  /// Puts a step in or takes one out without a dialog, as one step for undo.
  void insertStep(const QString& label, std::size_t position, const ScheduleStep& step);
  void removeStep(const QString& label, std::size_t position);

 signals:
  void traced(const std::shared_ptr<const sluice::ui::ScheduleTrace>& trace);

 private:
  void connectPanel();
  void connectSwitch();
  void connectEngine();
  void buildSwitch();
  void change(const QString& label, const std::function<void(Document&)>& change, int selected);
  void sizeFifos();
  void openDialog(const ScheduleStep& step, std::size_t position, bool added);
  void addProgramCommands();
  void addCommands();
  void connectSteps();
  void updateSteps();
  void showMenu(const QPoint& where);
  /// The step that made or changed a node of the shown program.
  std::optional<std::size_t> stepBehind(const std::string& node) const;
  void startTrace(const std::shared_ptr<const SymbolicResult>& result);
  void updateSwitch();

  const WindowContext context_;
  SchedulePanel* panel_;
  QFrame* switch_;
  QLabel* refused_;
  std::shared_ptr<const ScheduleTrace> trace_;
  std::vector<StepOffer> offers_;  ///< for what is selected
  BackgroundWork tracing_, previewing_;
};

}  // namespace sluice::ui
