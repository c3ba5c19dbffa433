#pragma once
// Where long names may go on in the next line.

#include <QString>

namespace sluice::ui {

/// With places, of no width, behind each part of a name.
inline QString breakable(QString text) {
  for (const QChar end : {u'_', u'.'}) text.replace(end, QString(end) + QChar(u'\u200b'));
  return text;
}

}  // namespace sluice::ui
