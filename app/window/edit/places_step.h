#pragma once
// An edit that also changes which places the canvas holds. That is no part of the document, so the step for
// undo keeps it beside.

#include "app/window/shell/window_context.h"
#include "engine/program/document.h"
#include "widgets/canvas/held_places.h"

class QString;

namespace sluice::ui {

/// One step for undo, also where the document stays as it is. `before` is held again after undo.
void editWithPlaces(const WindowContext& context, const QString& label, const Document& document,
                    const HeldPrograms& before, const HeldPrograms& after);

}  // namespace sluice::ui
