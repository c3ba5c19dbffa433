#pragma once
// Between the program and where it is seen: what the user does on the canvas and in the inspector becomes
// edits of the document, as far as the shown node is one of its own; and what is shown follows.

namespace sluice::ui {

struct WindowContext;

void connectEdits(const WindowContext& context);
/// A selected stream stays selected if the program that is shown now has it too.
void showProgram(const WindowContext& context);

}  // namespace sluice::ui
