#pragma once
// The pages of the Help menu.

class QWidget;

namespace sluice::ui {

class Commands;
class GraphCanvas;

void showShortcuts(QWidget* window, const Commands& commands, const GraphCanvas& canvas);
void showAbout(QWidget* window);

}  // namespace sluice::ui
