#include "app/window/latest_work.h"

#include <utility>

namespace sluice::ui {

LatestWork::LatestWork(QObject* parent) : QObject(parent) {
  pool_.setMaxThreadCount(1);
}

LatestWork::~LatestWork() {
  pool_.waitForDone();
}

void LatestWork::ask(Work work) {
  wanted_ = true;
  if (running_) {
    next_ = std::move(work);
  } else {
    start(std::move(work));
  }
}

void LatestWork::forget() {
  wanted_ = false;
  next_ = nullptr;
}

void LatestWork::start(Work work) {
  running_ = true;
  pool_.start([this, work = std::move(work)] {
    QMetaObject::invokeMethod(
        this,
        [this, answer = work()] {
          running_ = false;
          if (next_) return start(std::exchange(next_, nullptr));
          if (wanted_) answer();
        },
        Qt::QueuedConnection);
  });
}

}  // namespace sluice::ui
