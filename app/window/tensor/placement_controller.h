#pragma once
// PlacementController: puts what the schedule has compiled on the card that the page of resources asks for,
// beside the event loop and only while the page is seen.

#include <QObject>
#include <memory>

#include "app/window/schedule/schedule_trace.h"
#include "app/window/shell/background_work.h"
#include "app/window/shell/when_seen.h"
#include "widgets/placement/placement_page.h"

namespace sluice::ui {

class PlacementController : public QObject {
  Q_OBJECT

 public:
  PlacementController(PlacementPage* page, QObject* parent);

  void setTrace(std::shared_ptr<const ScheduleTrace> trace);
  /// A machine file as another card.
  void openPlatform(const QString& file);
  bool idle() const { return placing_.idle(); }

 signals:
  /// The user looks at a part: its node on the canvas.
  void nodeChosen(const QString& node);

 private:
  void place();
  /// Of the program that the page shows; null if it is not compiled.
  std::shared_ptr<const CompiledProgram> program() const;
  void choose(const std::string& part);

  PlacementPage* page_;
  std::shared_ptr<const ScheduleTrace> trace_;
  WhenSeen seen_{page_, [this] { place(); }};
  BackgroundWork placing_;
};

}  // namespace sluice::ui
