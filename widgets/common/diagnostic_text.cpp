#include "widgets/common/diagnostic_text.h"

#include <QObject>

namespace sluice::ui {

QString sentence(const std::string& text) {
  QString words = QString::fromStdString(text);
  if (!words.isEmpty()) words[0] = words[0].toUpper();
  return words.endsWith(QLatin1Char('?')) ? words : words + QLatin1Char('.');
}

std::optional<int> columnOf(const Location& place) {
  const LocationPart* const column = place.find(Where::Column);
  return column ? std::optional(static_cast<int>(column->number)) : std::nullopt;
}

QString causeAndFix(const Diagnostic& diagnostic) {
  return sentence(diagnostic.cause) + QLatin1Char(' ') + sentence(diagnostic.fix);
}

QString inlineText(const Diagnostic& diagnostic) {
  const std::optional<int> column = columnOf(diagnostic.place);
  return (column ? QObject::tr("Column %1: ").arg(*column) : QString()) + causeAndFix(diagnostic);
}

QString placedText(const Diagnostic& diagnostic) {
  return QString::fromStdString(text(diagnostic.place) + ": " + diagnostic.cause + "; " + diagnostic.fix);
}

QString richText(const Diagnostic& diagnostic) {
  return QStringLiteral("<b>%1</b>: %2. <i>%3</i>")
      .arg(QString::fromStdString(text(diagnostic.place)).toHtmlEscaped(),
           QString::fromStdString(diagnostic.cause).toHtmlEscaped(),
           sentence(diagnostic.fix).toHtmlEscaped());
}

}  // namespace sluice::ui
