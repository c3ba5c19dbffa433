#include "widgets/timeline/time_cursor.h"

#include <algorithm>

namespace sluice::ui {

namespace {
constexpr int frame = 16;  // ms
}

TimeCursor::TimeCursor(QObject* parent) : QObject(parent) {
  timer_.setInterval(frame);
  connect(&timer_, &QTimer::timeout, this, &TimeCursor::tick);
}

void TimeCursor::setCycle(qint64 cycle) {
  setPlaying(false);
  move(cycle < 0 ? std::nullopt : std::optional(cycle));
}

void TimeCursor::clear() {
  setPlaying(false);
  move(std::nullopt);
}

void TimeCursor::setEnd(qint64 end) {
  end_ = std::max<qint64>(0, end);
  if (cycle_ && *cycle_ > end_) setCycle(end_);
}

void TimeCursor::setSpeed(double cycles_per_second) {
  speed_ = std::max(1.0, cycles_per_second);
}

void TimeCursor::setPlaying(bool playing) {
  if (playing == isPlaying() || (playing && end_ == 0)) return;
  if (playing) {
    if (!cycle_ || *cycle_ >= end_) move(0);
    position_ = static_cast<double>(*cycle_);
    since_.start();
    timer_.start();
  } else {
    timer_.stop();
  }
  emit playingChanged(playing);
}

void TimeCursor::move(std::optional<qint64> cycle) {
  if (cycle) cycle = std::clamp<qint64>(*cycle, 0, end_);
  if (cycle == cycle_) return;
  cycle_ = cycle;
  emit cycleChanged(cycle.value_or(-1));
}

/// By the time that has passed, so that a slow machine shows fewer moments, not a slower run.
void TimeCursor::tick() {
  position_ += speed_ * static_cast<double>(since_.restart()) / 1000;
  const auto cycle = static_cast<qint64>(position_);
  move(cycle);
  if (cycle >= end_) setPlaying(false);
}

}  // namespace sluice::ui
