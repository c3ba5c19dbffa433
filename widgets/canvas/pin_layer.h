#pragma once
// PinLayer: a pin at the corner of every node that automatic layout leaves alone. On the screen only.

#include <set>
#include <string>

#include "widgets/canvas/canvas_layer.h"

namespace sluice::ui {

class PinLayer : public CanvasLayer {
 public:
  /// Paths. Returns whether they are others than before.
  bool setPinned(const std::set<std::string>& nodes);
  const std::set<std::string>& pinned() const { return pinned_; }

  bool exported() const override { return false; }
  bool empty() const override { return pinned_.empty(); }
  void paint(QPainter& painter, const Picture& picture) const override;
  /// Where a node's pin stands; empty where the node does not show.
  static QRectF pinRect(const Picture& picture, const std::string& node);

 private:
  std::set<std::string> pinned_;
};

}  // namespace sluice::ui
