#pragma once
// The dock of deadlocks: a tab of the inspector's, in front while there is one.

namespace sluice::ui {

class DeadlockScreen;
class MainWindow;
class Panels;

void addDeadlockDock(MainWindow& window, Panels& panels, DeadlockScreen& deadlock);

}  // namespace sluice::ui
