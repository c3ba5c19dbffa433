#pragma once
// Links of the manual that do something in the window. Pages have them, and pictures are taken behind them:
// "sample:moe_mixtral", "command:run.explore", "show:timeline", "select:expert", "knob:tile=32",
// "figure:fig9", "designs:20" (a budget), "technology:7nm".

#include <QString>

#include "app/window/shell/window_context.h"
#include "engine/core/result.h"

namespace sluice::ui {

/// What is wrong with a link: there is no such thing in the window as it stands.
Result<Done> followLink(const WindowContext& context, const QString& link);
/// Whether a link of this kind may lead somewhere: the kind is known, and the command, view or sample there.
/// What is selected and turned depends on the program.
bool mayFollow(const WindowContext& context, const QString& link);

}  // namespace sluice::ui
