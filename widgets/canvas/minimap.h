#pragma once
// Minimap: the whole program small, in a corner of the canvas, with the part that is in view. It covers
// nothing of the graph: it goes to a corner where nothing is, and hides where there is none. Drawn from the
// boxes' rectangles; a press or drag brings the point under the mouse into the middle of the view.

#include <QPixmap>
#include <QTimer>
#include <QTransform>
#include <QWidget>

namespace sluice::ui {

class GraphCanvas;

class Minimap : public QWidget {
  Q_OBJECT

 public:
  explicit Minimap(GraphCanvas* canvas);

  /// Hidden all the same while everything is in view, or no corner is free.
  void setWanted(bool wanted);
  QRectF viewRect() const;  ///< the part in view, in the map's pixels

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow();
  void redraw();
  void drawBoxes();
  bool goToFreeCorner();
  QTransform toMap() const;
  void lookAt(const QPointF& position);

  GraphCanvas* canvas_;
  QPixmap boxes_;
  QRectF content_;
  bool wanted_ = true, held_ = false;  ///< held: the mouse looks around with it
  bool outdated_ = true;               ///< the boxes are drawn when they are next seen
  int corner_ = 0;
  QTimer later_;  ///< draws once for many changes
};

}  // namespace sluice::ui
