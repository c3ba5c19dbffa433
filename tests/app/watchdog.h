#pragma once
// Watchdog: the longest turn of the event loop, in processor time of its own thread - a busy machine makes it
// no longer, only work that the window does itself. Code that calls the engine from the event loop pays for
// it here.

#include <QAbstractEventDispatcher>
#include <QObject>
#include <algorithm>
#include <ctime>

namespace sluice::ui {

class Watchdog : public QObject {
 public:
  /// Of the thread that makes it.
  Watchdog() {
    const QAbstractEventDispatcher* loop = QAbstractEventDispatcher::instance();
    // A loop that never waits, as that of a test, only ever says that it is awake.
    connect(loop, &QAbstractEventDispatcher::awake, this, [this] {
      note();
      start_ = now();
    });
    connect(loop, &QAbstractEventDispatcher::aboutToBlock, this, [this] { note(); });
  }

  double longestTurn() const { return longest_; }  ///< in seconds of processor time
  int turns() const { return turns_; }

  /// Processor time of this thread so far, in seconds.
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

 private:
  void note() {
    if (start_ >= 0) {
      longest_ = std::max(longest_, now() - start_);
      ++turns_;
    }
    start_ = -1;
  }

  double start_ = -1, longest_ = 0;
  int turns_ = 0;
};

}  // namespace sluice::ui
