#include "app/window/shell/when_seen.h"

#include <QEvent>
#include <QWidget>

namespace sluice::ui {

WhenSeen::WhenSeen(QWidget* page, std::function<void()> work) : page_(page), work_(std::move(work)) {
  page_->installEventFilter(this);
}

void WhenSeen::want() {
  wanted_ = true;
  doIfSeen(page_->isVisible());
}

bool WhenSeen::eventFilter(QObject* watched, QEvent* event) {
  if (watched == page_) doIfSeen(event->type() == QEvent::Show);
  return QObject::eventFilter(watched, event);
}

void WhenSeen::doIfSeen(bool seen) {
  if (!seen || !wanted_) return;
  wanted_ = false;
  work_();
}

}  // namespace sluice::ui
