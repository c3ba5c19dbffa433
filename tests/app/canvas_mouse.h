#pragma once
// What the mouse of a user does on the canvas of a window, for tests to inherit.

#include <QApplication>
#include <QDropEvent>
#include <QMimeData>
#include <QTest>

#include "widgets/canvas/graph_canvas.h"

namespace sluice::ui {

class CanvasMouse {
 protected:
  ~CanvasMouse() = default;
  virtual GraphCanvas* canvas() const = 0;

  /// Of a point of the scene, in the canvas's widget.
  QPoint onScreen(const QPointF& scene) const { return canvas()->viewportTransform().map(scene).toPoint(); }
  /// Where no node is, with all of the graph in view.
  QPoint emptySpot() const {
    canvas()->fitAll();
    return onScreen(canvas()->contentRect().bottomLeft()) + QPoint(40, 16);
  }
  /// With the left button held.
  void move(const QPoint& to) {
    QMouseEvent event(QEvent::MouseMove, to, canvas()->viewport()->mapToGlobal(to), Qt::NoButton,
                      Qt::LeftButton, {});
    QApplication::sendEvent(canvas()->viewport(), &event);
  }
  void drag(const QPoint& from, const QPoint& to) {
    QTest::mousePress(canvas()->viewport(), Qt::LeftButton, {}, from);
    move((from + to) / 2);
    move(to);
    QTest::mouseRelease(canvas()->viewport(), Qt::LeftButton, {}, to);
  }
  /// An operator from the palette.
  void drop(const char* kind, const QPoint& at) {
    QMimeData data;
    data.setData(QString::fromLatin1(GraphCanvas::operator_mime), kind);
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(canvas()->viewport(), &enter);
    QDragMoveEvent over(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(canvas()->viewport(), &over);
    QDropEvent event(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(canvas()->viewport(), &event);
  }
};

}  // namespace sluice::ui
