#pragma once
// Groups with names in an SVG: `<g id="pareto">`, so that a drawing program finds a view and its series. Qt's
// generator knows no groups: begin and end are painted as words, which withGroups() makes elements of.

#include <QByteArray>
#include <QString>

class QPainter;

namespace sluice::ui {

bool paintsSvg(const QPainter& painter);
/// Nothing on a painter of something else.
void startGroup(QPainter& painter, const QString& name);
void endGroup(QPainter& painter);
QByteArray withGroups(const QByteArray& svg);

}  // namespace sluice::ui
