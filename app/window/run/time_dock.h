#pragma once
// The dock of the timeline: hidden at first; while it shows, runs are recorded in full.

namespace sluice::ui {

class Commands;
class FileCommands;
class MainWindow;
class Panels;
class TimeController;

void addTimeDock(MainWindow& window, Panels& panels, TimeController& time, Commands& commands,
                 FileCommands& files);

}  // namespace sluice::ui
