#pragma once
// Where text goes: names are broken into the lines of their box, and a label of a stream stands beside its
// line where it covers no box and no other label, or it is left out. Plates of layers take part in this.

#include <QFont>
#include <QFontMetricsF>
#include <QStringList>

namespace sluice::ui {

/// The name in at most so many lines, broken between its words ("ln_1", "softMax", "fc2"), and within one
/// only where that is not enough. Where nothing is, the last line leaves out its middle or its end; empty
/// where not even the first letters have room.
QStringList nameLines(const QString& name, const QFontMetricsF& metrics, double width, int most_lines);
/// The same, and the font that it is set in: narrower letters before a line ends within a word.
struct SetName {
  QFont font;
  QStringList lines;
};
SetName setName(const QString& name, const QFont& font, double width, int most_lines);
/// Whether no line but the last ends within a word.
bool endsWithWords(const QString& name, const QStringList& lines);
/// The least width at which it stands in so many lines, broken between its words.
double wordWidth(const QString& name, const QFontMetricsF& metrics, int most_lines);

}  // namespace sluice::ui
