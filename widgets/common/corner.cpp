#include "widgets/common/corner.h"

#include <QEvent>

namespace sluice::ui {
namespace {

class CornerKeeper : public QObject {
 public:
  CornerKeeper(QWidget* widget, Qt::Corner corner, int distance)
      : QObject(widget), widget_(widget), corner_(corner), distance_(distance) {
    widget->installEventFilter(this);
    widget->parentWidget()->installEventFilter(this);
    place();
  }

  void moveTo(Qt::Corner corner, int distance) {
    corner_ = corner;
    distance_ = distance;
    place();
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Resize) place();
    return QObject::eventFilter(watched, event);
  }

 private:
  void place() {
    const QSize room = widget_->parentWidget()->size() - widget_->size();
    const bool right = corner_ == Qt::TopRightCorner || corner_ == Qt::BottomRightCorner;
    const bool bottom = corner_ == Qt::BottomLeftCorner || corner_ == Qt::BottomRightCorner;
    widget_->move(right ? room.width() - distance_ : distance_,
                  bottom ? room.height() - distance_ : distance_);
  }

  QWidget* widget_;
  Qt::Corner corner_;
  int distance_;
};

CornerKeeper* keeperOf(const QWidget* widget) {
  for (QObject* object : widget->children())
    if (auto* keeper = dynamic_cast<CornerKeeper*>(object)) return keeper;
  return nullptr;
}

}  // namespace

void keepInCorner(QWidget* widget, Qt::Corner corner, int distance) {
  if (CornerKeeper* keeper = keeperOf(widget))
    keeper->moveTo(corner, distance);
  else
    new CornerKeeper(widget, corner, distance);
}

QList<QWidget*> cornerWidgets(const QWidget* parent) {
  QList<QWidget*> kept;
  for (QWidget* child : parent->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
    if (child->isVisible() && keeperOf(child)) kept << child;
  return kept;
}

}  // namespace sluice::ui
