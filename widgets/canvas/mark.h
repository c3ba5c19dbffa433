#pragma once
// Mark: a finding shown on a node or a stream of the canvas.

#include <QString>

namespace sluice::ui {

/// Each kind has a shape of its own, not only a colour.
struct Mark {
  enum class Kind {
    Warning,
    Error,
    Deadlock
  };  ///< from mild to severe: a collapsed region shows the severest inside
  Kind kind = Kind::Warning;
  QString tooltip;
  QString word = {};  ///< a short word drawn at a stream: "FULL", "EMPTY"
  bool operator==(const Mark&) const = default;
};

}  // namespace sluice::ui
