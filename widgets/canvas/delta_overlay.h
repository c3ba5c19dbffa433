#pragma once
// What the canvas shows of a comparison: how much more or less every operator and stream has in the one run
// than in the other, on a diverging scale and, as notes, in words.

#include <QColor>
#include <QHash>
#include <QString>

#include "widgets/canvas/canvas_layer.h"
#include "widgets/canvas/note.h"

namespace sluice::ui {

struct CanvasTheme;

struct Delta {
  double change = 0;  ///< -1 (less) .. 1 (more)
  QString text;       ///< "+12 %"
  bool operator==(const Delta&) const = default;
};

using DeltaOverlay = QHash<QString, Delta>;  ///< by node path or stream origin

QColor deltaColour(double change, const CanvasTheme& theme);

class DeltaLayer : public CanvasLayer {
 public:
  explicit DeltaLayer(Topic topic) : topic_(topic) {}
  bool exported() const override { return false; }
  bool empty() const override { return overlay.isEmpty(); }
  Topic topic() const override { return topic_; }
  void paint(QPainter& painter, const Picture& picture) const override;
  Notes notes(const CanvasTheme& theme) const;

  DeltaOverlay overlay;

 private:
  Topic topic_;
};

}  // namespace sluice::ui
