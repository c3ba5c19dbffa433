#pragma once
// A widget that stays in a corner of its parent, over what the parent shows.

#include <QWidget>

namespace sluice::ui {

/// Whenever one of the two changes its size. Called again it moves the widget to another corner.
void keepInCorner(QWidget* widget, Qt::Corner corner, int distance = 12);
/// Those that are kept in a corner of `parent` and can be seen.
QList<QWidget*> cornerWidgets(const QWidget* parent);

}  // namespace sluice::ui
