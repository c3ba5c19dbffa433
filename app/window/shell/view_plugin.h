#pragma once
// Views of plug-ins. A plug-in (engine/plugins/README.md) that has views says in one of its files, beside
// SLUICE_PLUGIN,
//
//   SLUICE_WINDOW_PLUGIN({myView()})
//
// It is built with the sources of the window and links Qt, but nothing of the window: programs without one
// load it, too. What it needs of the window is in the WindowContext.

#include "app/window/shell/view_spec.h"

/// The second entry of a plug-in. `...`: a std::vector<ViewSpec>.
#define SLUICE_WINDOW_PLUGIN(...)                                                            \
  extern "C" __attribute__((visibility("default"))) const std::vector<sluice::ui::ViewSpec>* \
  sluiceWindowPlugin() {                                                                     \
    static const std::vector<sluice::ui::ViewSpec> views __VA_ARGS__;                        \
    return &views;                                                                           \
  }

namespace sluice::ui {

/// Adds the views of the plug-ins that loadPlugins() has loaded, before the first window is made. Errors: as
/// addViews().
Result<Done> addPluginViews();

}  // namespace sluice::ui
