#pragma once
// Between the program and where it is seen: what the user does on the canvas and in the inspector becomes
// edits of the document, as far as the shown node is one of its own; and what is shown follows.

#include "engine/program/document.h"

namespace sluice::ui {

struct WindowContext;

void connectEdits(const WindowContext& context);
/// Before an edit, its undo or its redo is shown: it moves nothing else. Only a step of the schedule may lay
/// out anew what the schedule makes of the program.
void holdPlaces(const WindowContext& context, const Document& before, const Document& after);
/// A selected stream stays selected if the program that is shown now has it too.
void showProgram(const WindowContext& context);

}  // namespace sluice::ui
