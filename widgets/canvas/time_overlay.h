#pragma once
// What the canvas shows of one moment of a run, above the picture: how full every stream is, and what every
// operator does - of a region, its instances together.

#include <QHash>
#include <QString>
#include <array>

#include "engine/simulator/timeline.h"
#include "widgets/canvas/canvas_layer.h"

namespace sluice::ui {

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

/// From afar, where nothing could be read, only colours are painted.
class TimeLayer : public CanvasLayer {
 public:
  bool exported() const override { return false; }
  bool empty() const override { return overlay.empty(); }
  void paint(QPainter& painter, const Picture& picture) const override;

  TimeOverlay overlay;
};

}  // namespace sluice::ui
