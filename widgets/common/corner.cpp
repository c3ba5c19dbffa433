#include "widgets/common/corner.h"

#include <QEvent>
#include <algorithm>

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
  const Qt::Corner corner_;
  const int distance_;
};

}  // namespace

void keepInCorner(QWidget* widget, Qt::Corner corner, int distance) {
  new CornerKeeper(widget, corner, distance);
}

QList<QWidget*> cornerWidgets(const QWidget* parent) {
  QList<QWidget*> kept;
  for (QWidget* child : parent->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
    if (child->isVisible() && std::ranges::any_of(child->children(), [](const QObject* object) {
          return dynamic_cast<const CornerKeeper*>(object) != nullptr;
        }))
      kept << child;
  return kept;
}

}  // namespace sluice::ui
