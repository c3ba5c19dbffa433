#pragma once
// The dock of the comparison: hidden until a run is pinned.

namespace sluice::ui {

class Commands;
class CompareController;
class MainWindow;
class Panels;

void addCompareDock(MainWindow& window, Panels& panels, CompareController& compare, Commands& commands);

}  // namespace sluice::ui
