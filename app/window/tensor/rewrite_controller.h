#pragma once
// RewriteController: fills the page of dataflow rewrites with what the schedule has compiled, and makes a
// step of the schedule of what is applied there, one edit of the document each.

#include <QObject>
#include <functional>
#include <memory>

#include "app/window/schedule/schedule_trace.h"
#include "app/window/shell/background_work.h"
#include "app/window/shell/when_seen.h"
#include "widgets/rewrites/rewrites_page.h"

namespace sluice::ui {

class ScheduleController;

/// Every rewrite with every place of the designs that the steps compiled, and what it would change there as
/// long as that is wanted.
std::vector<RewritableDesign> rewritableDesigns(const ScheduleTrace& trace,
                                                const std::function<bool()>& gains_wanted);
/// The step that the page asks for.
ScheduleStep stepFor(const RewriteWanted& wanted);

class RewriteController : public QObject {
  Q_OBJECT

 public:
  RewriteController(RewritesPage* page, ScheduleController* schedule, QObject* parent);

  void setTrace(std::shared_ptr<const ScheduleTrace> trace);
  bool idle() const { return finding_.idle(); }

 private:
  void find();
  BackgroundWork::Work work(std::function<bool(const std::stop_token&)> gains_wanted);

  RewritesPage* page_;
  std::shared_ptr<const ScheduleTrace> trace_;
  WhenSeen seen_{page_, [this] { find(); }};
  BackgroundWork finding_;
};

}  // namespace sluice::ui
