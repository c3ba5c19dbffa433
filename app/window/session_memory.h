#pragma once
// SessionMemory: what was open, where one looked and what was selected, from one start to the next.

#include <QString>

namespace sluice::ui {

class DocumentController;
class GraphCanvas;

void rememberSession(const DocumentController& documents, const GraphCanvas& canvas);
/// The file of the last session; empty if there is none any more.
QString rememberedFile();
/// After that file has been opened.
void restoreView(GraphCanvas& canvas);

}  // namespace sluice::ui
