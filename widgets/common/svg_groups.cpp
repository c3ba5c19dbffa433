#include "widgets/common/svg_groups.h"

#include <QPainter>
#include <QSvgGenerator>

namespace sluice::ui {
namespace {

const QByteArray begin_word = "sluice-group-begin-", end_word = "sluice-group-end";

/// A name as an XML identifier.
QString identifier(const QString& name) {
  QString made;
  for (const QChar c : name.toLower()) {
    const bool plain = c.unicode() < 128 && c.isLetterOrNumber();
    if (plain) made += c;
    if (!plain && !made.endsWith(QLatin1Char('-')) && !made.isEmpty()) made += QLatin1Char('-');
  }
  while (made.endsWith(QLatin1Char('-'))) made.chop(1);
  if (made.isEmpty()) return QStringLiteral("part");
  return made.front().isDigit() ? QLatin1Char('n') + made : made;
}

void paintWord(QPainter& painter, const QString& word) {
  painter.save();
  painter.setClipping(false);
  QFont font(QStringLiteral("DejaVu Sans"));
  font.setPixelSize(8);
  painter.setFont(font);
  painter.setPen(Qt::black);
  painter.drawText(QPointF(0, 0), word);
  painter.restore();
}

}  // namespace

bool paintsSvg(const QPainter& painter) {
  return dynamic_cast<const QSvgGenerator*>(painter.device()) != nullptr;
}

void startGroup(QPainter& painter, const QString& name) {
  if (paintsSvg(painter)) paintWord(painter, QLatin1String(begin_word) + identifier(name));
}

void endGroup(QPainter& painter) {
  if (paintsSvg(painter)) paintWord(painter, QLatin1String(end_word));
}

QByteArray withGroups(const QByteArray& svg) {
  // The generator keeps one <g> open with the state of its painter: it is closed before a group begins or
  // ends, and opened again behind that.
  const QByteArray open = "<text", close = "</text>";
  QByteArray made, state;
  qsizetype done = 0;
  for (qsizetype at = svg.indexOf(open); at >= 0; at = svg.indexOf(open, at + 1)) {
    const qsizetype word = svg.indexOf('>', at) + 1, end = svg.indexOf(close, at);
    if (word <= 0 || end < word) break;
    const QByteArray text = svg.mid(word, end - word).trimmed();
    const bool begins = text.startsWith(begin_word);
    if (!begins && text != end_word) continue;
    const qsizetype group = svg.lastIndexOf("<g", at);
    state = svg.mid(group, svg.indexOf('>', group) + 1 - group);
    made += svg.mid(done, at - done);
    made += begins ? "</g>\n<g id=\"" + text.mid(begin_word.size()) + "\">\n" : QByteArray("</g>\n</g>\n");
    made += state;
    done = end + close.size();
  }
  return made + svg.mid(done);
}

}  // namespace sluice::ui
