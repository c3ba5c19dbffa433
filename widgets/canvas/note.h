#pragma once
// Note: what the active view has to say about a node or a stream, in a word or a number: a state, a fill
// level, a difference. It stands where else the kind of a node and the label of a stream stand, so that there
// is one of them at a time and none lies on another.

#include <QColor>
#include <QHash>
#include <QString>

namespace sluice::ui {

/// What badges tell of: one at a time, so that none stands beside another. Any: belongs to none of them.
enum class Topic { Any, Moment, Deadlock, Differences, Costs };

struct Note {
  QString text;
  QColor plate;         ///< behind the text
  double share = 1;     ///< of the plate that is coloured, from the left
  bool strong = false;  ///< a thick frame
  QString widest = {};  ///< a text that the plate has room for, so that it does not jump while time goes by
  QString brief = {};   ///< where the text has no room; empty: as much of the text as there is room for
  bool operator==(const Note&) const = default;
};

using Notes = QHash<QString, Note>;  ///< by node path or stream origin

}  // namespace sluice::ui
