#include "app/window/shell/background_work.h"

#include <utility>

namespace sluice::ui {

BackgroundWork::BackgroundWork(QObject* parent) : QObject(parent) {}

void BackgroundWork::ask(Work work) {
  forget();
  add(std::move(work));
}

void BackgroundWork::add(Work work) {
  const std::uint64_t number = ++newest_;
  lane_.add(
      [this, number, work = std::move(work)](const std::stop_token& stop) { deliver(number, work(stop)); },
      [this, number](const Diagnostic& why) { deliver(number, [this, why] { emit failed(why); }); });
}

void BackgroundWork::forget() {
  lane_.forget();
  settled_ = newest_;
}

/// Called by the lane's thread.
void BackgroundWork::deliver(std::uint64_t number, Answer answer) {
  const auto settle = [this, number, answer = std::move(answer)] {
    if (number <= settled_) return;  // it is no longer wanted
    settled_ = number;
    answer();  // which may ask for more
  };
  QMetaObject::invokeMethod(this, settle, Qt::QueuedConnection);
}

}  // namespace sluice::ui
