#pragma once
// What the canvas shows of one moment of a run: how full every stream is, and what every operator does - of a
// region, its instances together. The words are notes; what is drawn above the picture are bars.

#include <QHash>
#include <QString>
#include <array>

#include "engine/simulator/timeline.h"
#include "widgets/canvas/canvas_layer.h"
#include "widgets/canvas/note.h"

namespace sluice::ui {

struct CanvasTheme;

struct StreamFill {
  std::uint64_t tokens = 0, depth = 0;  ///< summed over instances
  bool operator==(const StreamFill&) const = default;
};

/// How many instances are in each state, by ProcessState.
using StateCounts = std::array<std::uint32_t, 6>;

struct TimeOverlay {
  QHash<QString, StateCounts> nodes;   ///< by path
  QHash<QString, StreamFill> streams;  ///< by origin
  bool operator==(const TimeOverlay&) const = default;
  bool empty() const { return nodes.isEmpty() && streams.isEmpty(); }
};

class TimeLayer : public CanvasLayer {
 public:
  bool exported() const override { return false; }
  bool empty() const override { return overlay.empty(); }
  Topic topic() const override { return Topic::Moment; }
  void paint(QPainter& painter, const Picture& picture) const override;
  Notes notes(const CanvasTheme& theme) const;

  TimeOverlay overlay;
};

}  // namespace sluice::ui
