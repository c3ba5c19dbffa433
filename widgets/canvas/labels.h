#pragma once
// Where text goes: names are broken into the lines of their box, and a label of a stream stands beside its
// line where it covers no box and no other label, or it is left out. Plates of layers take part in this.

#include <QFontMetricsF>
#include <QStringList>

namespace sluice::ui {

/// The name in at most so many lines, broken between its words ("ln_1", "softMax", "fc2"), and within one
/// only where that is not enough. Where nothing is, the last line leaves out its middle or its end; empty
/// where not even the first letters have room.
QStringList nameLines(const QString& name, const QFontMetricsF& metrics, double width, int most_lines);

}  // namespace sluice::ui
