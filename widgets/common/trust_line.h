#pragma once
// Why the cycles that a view shows may be believed: one line for its tooltips and for what is exported of it.
// What gives the view its run sets it; the view keeps it as a property.

#include <QString>

class QWidget;

namespace sluice::ui {

/// "confirmed by RTL"; empty: the view shows no cycles.
void setTrust(QWidget& view, const QString& trust);
/// "Trust: model only", of numbers that are held against nothing by themselves: resources, token curves,
/// joules.
QString modelOnly();
/// "Trust in cycles: confirmed by RTL", or nothing.
QString trustLine(const QWidget& view);
QString trustLine(const QString& trust);
/// The tip, which is rich text, with the line below; nothing where there is no tip.
QString withTrust(const QString& tip, const QString& line);

}  // namespace sluice::ui
