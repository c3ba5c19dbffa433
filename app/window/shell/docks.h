#pragma once
// Docks: where in the window a view stands, whether it is seen there, and how it comes to the front.

class QDockWidget;
class QWidget;

namespace sluice::ui {

/// The dock that a view is in; null: it is in none.
QDockWidget* dockOf(const QWidget& view);
/// It is open, and no other tab is over it.
bool isInFront(const QDockWidget& dock);
/// Opens it, and brings it in front of those that it shares its place with.
void bringToFront(QDockWidget& dock);

}  // namespace sluice::ui
