#pragma once
// Minimap: the whole program small, in a corner of the canvas, with the part that is in view. Drawn from the
// boxes' rectangles; a press or drag brings the point under the mouse into the middle of the view.

#include <QPixmap>
#include <QTransform>
#include <QWidget>

namespace sluice::ui {

class GraphCanvas;

class Minimap : public QWidget {
  Q_OBJECT

 public:
  explicit Minimap(GraphCanvas* canvas);

  /// Hidden all the same while everything is in view.
  void setWanted(bool wanted);
  QRectF viewRect() const;  ///< the part in view, in the map's pixels

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow();
  void redraw();
  QTransform toMap() const;
  void lookAt(const QPointF& position);

  GraphCanvas* canvas_;
  QPixmap boxes_;
  QRectF content_;
  bool wanted_ = true;
};

}  // namespace sluice::ui
