#include "app/window/shell/background_work.h"

#include <exception>
#include <utility>

#include "engine/core/internal_error.h"

namespace sluice::ui {

BackgroundWork::BackgroundWork(QObject* parent) : QObject(parent) {
  pool_.setMaxThreadCount(1);
}

BackgroundWork::~BackgroundWork() {
  stop();
  pool_.waitForDone();
}

void BackgroundWork::ask(Work work) {
  forget();
  add(std::move(work));
}

void BackgroundWork::add(Work work) {
  waiting_.push_back(std::move(work));
  startNext();
}

void BackgroundWork::stop() {
  stop_.request_stop();
}

void BackgroundWork::forget() {
  stop();
  wanted_ = false;
  waiting_.clear();
}

void BackgroundWork::startNext() {
  if (running_ || waiting_.empty()) return;
  running_ = wanted_ = true;
  stop_ = {};
  pool_.start([this, work = std::move(waiting_.front()), stop = stop_.get_token()] {
    QMetaObject::invokeMethod(
        this,
        [this, answer = answerOf(work, stop)] {
          running_ = false;
          if (std::exchange(wanted_, false)) answer();  // which may ask for more
          startNext();
        },
        Qt::QueuedConnection);
  });
  waiting_.pop_front();
}

BackgroundWork::Answer BackgroundWork::answerOf(const Work& work, const std::stop_token& stop) {
  try {
    return work(stop);
  } catch (...) {
    return [this, why = internalError(std::current_exception())] { emit failed(why); };
  }
}

}  // namespace sluice::ui
