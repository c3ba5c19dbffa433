#pragma once
// The help menu's boxes.

class QWidget;

namespace sluice::ui {

class Commands;

/// Every command with its keys; from there one gets to the editor of the keys.
void showShortcuts(QWidget* window, Commands& commands);
void showAbout(QWidget* window);

}  // namespace sluice::ui
