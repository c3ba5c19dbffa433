#pragma once
// Between the program and where it is seen: what the user does on the canvas and in the inspector becomes
// edits of the document, as far as the shown node is one of its own; and what is shown follows.

namespace sluice::ui {

class DocumentController;
class GraphCanvas;
class Inspector;
class ResultsView;
class ShownProgram;

void connectEdits(DocumentController& documents, ShownProgram& shown, GraphCanvas& canvas,
                  Inspector& inspector);
/// A selected stream stays selected if the program that is shown now has it too.
void showProgram(const ShownProgram& shown, GraphCanvas& canvas, Inspector& inspector, ResultsView& results);

}  // namespace sluice::ui
