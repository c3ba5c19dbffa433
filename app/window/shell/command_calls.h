#pragma once
// Calling commands by name: the command palette over the whole table.

class QWidget;

namespace sluice::ui {

class Commands;

void openCommandPalette(Commands& commands, QWidget* window);

}  // namespace sluice::ui
