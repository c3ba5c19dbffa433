#pragma once
// FigureSource: what the figures of the window's program are drawn from - the points that were explored, the
// canvas, and the runs and samples that panels ask for, which are simulated beside the event loop and kept
// while the program stays what it is.

#include <QObject>
#include <set>

#include "app/window/shell/background_work.h"
#include "app/window/shell/window_context.h"
#include "engine/core/executor.h"
#include "widgets/export/figure_sheet.h"

namespace sluice::ui {

class DesignsPanel;

class FigureSource : public QObject {
  Q_OBJECT

 public:
  explicit FigureSource(const WindowContext& context, QObject* parent = nullptr);

  /// What there is by now. Runs that are missing are asked for: changed() follows.
  FigureData dataFor(const Document& document, const Figure& figure);
  bool idle() const { return work_.idle(); }

 signals:
  void changed();

 private:
  const DesignsPanel* designs() const;  ///< what the designer has found; null without its view
  void followProgram();
  void ask(const KnobValues& knobs, RecordMode mode);
  void askSamples(const KnobValues& knobs);

  const WindowContext context_;
  std::shared_ptr<const Workload> workload_;   ///< whose runs these are
  std::shared_ptr<const WorkloadSet> traces_;  ///< null: no input is a set of traces
  std::map<KnobValues, std::shared_ptr<const PointResult>> runs_;
  std::map<KnobValues, std::shared_ptr<const PointSamples>> samples_;
  std::map<KnobValues, Diagnostic> refused_;
  std::set<std::pair<KnobValues, RecordMode>> asked_;
  std::set<KnobValues> asked_samples_;
  const std::unique_ptr<Executor> executor_;
  BackgroundWork work_;  ///< last: its destructor waits
};

}  // namespace sluice::ui
