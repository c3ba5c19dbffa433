#include "app/window/export/field_texts.h"

#include <QStringList>

namespace sluice::ui {
namespace {

const QString list_separator = QStringLiteral(", ");

QStringList listParts(const QString& text) {
  QStringList made;
  for (const QString& part : text.split(QLatin1Char(',')))
    if (!part.trimmed().isEmpty()) made << part.trimmed();
  return made;
}

}  // namespace

QString fieldText(const std::vector<std::string>& texts) {
  QStringList made;
  for (const std::string& each : texts) made << QString::fromStdString(each);
  return made.join(list_separator);
}

QString fieldText(const std::optional<Bounds>& bounds) {
  return bounds
             ? QString::number(bounds->from, 'g', 15) + list_separator + QString::number(bounds->to, 'g', 15)
             : QString();
}

QString fieldText(const KnobValues& knobs) {
  QStringList made;
  for (const auto& [name, value] : knobs)
    made << QStringLiteral("%1=%2").arg(QString::fromStdString(name)).arg(value);
  return made.join(list_separator);
}

bool readField(const QString& text, std::vector<std::string>& texts) {
  texts.clear();
  for (const QString& part : listParts(text)) texts.push_back(part.toStdString());
  return true;
}

bool readField(const QString& text, std::optional<Bounds>& bounds) {
  const QStringList ends = listParts(text);
  bounds.reset();
  if (ends.isEmpty()) return true;
  bool first = false, second = false;
  const Bounds read{ends[0].toDouble(&first), ends.size() == 2 ? ends[1].toDouble(&second) : 0};
  if (!first || !second || !(read.from < read.to)) return false;
  bounds = read;
  return true;
}

bool readField(const QString& text, KnobValues& knobs) {
  knobs.clear();
  for (const QString& part : listParts(text)) {
    const QStringList sides = part.split(QLatin1Char('='));
    bool whole = false;
    const qint64 value = sides.size() == 2 ? sides[1].trimmed().toLongLong(&whole) : 0;
    if (!whole || sides[0].trimmed().isEmpty()) return false;
    knobs[sides[0].trimmed().toStdString()] = value;
  }
  return true;
}

}  // namespace sluice::ui
