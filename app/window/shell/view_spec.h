#pragma once
// ViewSpec: a view of the window - what it is called, where it stands, what it is made of. From the registry
// of views come docks, tabs, the commands that show them, what can be exported, and what a session restores.

#include <functional>
#include <vector>

#include "app/window/shell/views.h"
#include "app/window/shell/window_context.h"
#include "engine/core/registry.h"
#include "engine/core/result.h"

class QDockWidget;

namespace sluice::ui {

/// Where a view belongs. Middle: a tab of the canvas. All others are docks, which the perspectives arrange
/// (perspectives.h): at a side; at the whole width of the bottom; beside the explored points; and beside what
/// else a run has to say.
enum class Area { Left, Right, Bottom, Middle, Points, Run };

struct MadeView {
  QWidget* widget;
  std::vector<View> exported = {};                ///< what of it can be exported
  std::function<void(QDockWidget&)> placed = {};  ///< called once it stands in its dock
};

struct ViewSpec {
  const char* id;     ///< "timeline": of its command "panel.timelineDock"
  const char* title;  ///< "Timeline"
  Area area;
  /// Makes it, once for each window, before menus are filled: its commands are added here.
  std::function<MadeView(const WindowContext&)> make;
  const char* tab_of = "";  ///< the dock that this one is a tab of where no perspective places it
  bool hidden = false;      ///< where no perspective opens it
  const char* menu = "";    ///< a menu that shows its command beside View
  const char* keys = "";    ///< of its command
};

/// The views of Sluice, and behind them those of plug-ins; closed by the first window.
Registry<ViewSpec>& viewRegistry();
/// Adds views, before the first window is made. Errors, at `place`: an id is taken.
Result<Done> addViews(const std::vector<ViewSpec>& views, const Location& place);
QString titleOf(const ViewSpec& spec);

}  // namespace sluice::ui
