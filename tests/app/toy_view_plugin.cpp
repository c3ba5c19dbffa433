// The toy view as a plug-in: nothing for the engine, a view for the window.

#include "app/window/shell/view_plugin.h"
#include "engine/plugins/plugin.h"
#include "tests/app/toy_view.h"

SLUICE_PLUGIN(sluice::Extension{})
SLUICE_WINDOW_PLUGIN({sluice::ui::toyDock()})
