#include "app/window/latest_work.h"

#include <exception>
#include <utility>

#include "engine/core/internal_error.h"

namespace sluice::ui {

LatestWork::LatestWork(QObject* parent) : QObject(parent) {
  pool_.setMaxThreadCount(1);
}

LatestWork::~LatestWork() {
  stop();
  pool_.waitForDone();
}

void LatestWork::ask(Work work) {
  wanted_ = true;
  if (running_) {
    stop();
    next_ = std::move(work);
  } else {
    start(std::move(work));
  }
}

void LatestWork::stop() {
  stop_.request_stop();
}

void LatestWork::forget() {
  stop();
  wanted_ = false;
  next_ = nullptr;
}

void LatestWork::start(Work work) {
  running_ = true;
  stop_ = {};
  pool_.start([this, work = std::move(work), stop = stop_.get_token()] {
    QMetaObject::invokeMethod(
        this,
        [this, answer = answerOf(work, stop)] {
          running_ = false;
          if (next_) return start(std::exchange(next_, nullptr));
          if (wanted_) answer();
        },
        Qt::QueuedConnection);
  });
}

LatestWork::Answer LatestWork::answerOf(const Work& work, const std::stop_token& stop) {
  try {
    return work(stop);
  } catch (...) {
    return [this, why = internalError(std::current_exception())] { emit failed(why); };
  }
}

}  // namespace sluice::ui
