#include "engine/simulator/recorder.h"

#include <algorithm>

#include "engine/simulator/timeline_recorder.h"

namespace sluice::inline simulator {

void StreamRecorder::enqueued(Cycles time, const SentToken& sent) {
  const Token& token = sent.token;
  if (capture_ && capture_->size() < limit_) {
    CapturedToken captured{sent.arrival, token.stop, token.rows, token.cols, token.valid, {}, 0};
    if (token.kind == TokenKind::Selector) captured.selected = token.selector->indices;
    if (token.kind == TokenKind::Tile && token.isNumber()) captured.scalar = token.scalar;
    capture_->push_back(std::move(captured));
  }
  if (trace_) {
    trace_->sent.push_back(sent);
    keep(token);
  }
  if (timeline_) pushed_.push_back(time);
  if (!occupancy_on_) return;
  enqueued_.push_back(time);
  settle();
}

void StreamRecorder::dequeued(FreedSlot freed) {
  if (trace_) trace_->taken.push_back(freed);
  if (timeline_) {
    timeline_->took(consumer_, stream_, pushed_.front());
    pushed_.pop_front();
  }
  if (!occupancy_on_) return;
  dequeued_.push_back(freed.at);
  settle();
}

/// Applies events in time order as far as the next event is known. With only enqueues waiting, an unknown
/// dequeue could come before them, unless the FIFO is empty; with only dequeues waiting, an unknown enqueue
/// could.
void StreamRecorder::settle() {
  while (!enqueued_.empty()) {
    if (!dequeued_.empty() && dequeued_.front() <= enqueued_.front() && occupancy_ > 0) {
      change(dequeued_.front(), -1);
      dequeued_.pop_front();
    } else if (!dequeued_.empty() || occupancy_ == 0) {
      change(enqueued_.front(), +1);
      enqueued_.pop_front();
    } else {
      return;
    }
  }
}

void StreamRecorder::finish() {
  settle();
  for (; !enqueued_.empty(); enqueued_.pop_front()) change(enqueued_.front(), +1);
  for (; !dequeued_.empty(); dequeued_.pop_front()) change(dequeued_.front(), -1);
}

void StreamRecorder::change(Cycles time, int step) {
  const std::uint32_t before = occupancy_;
  occupancy_ = static_cast<std::uint32_t>(static_cast<int>(occupancy_) + step);
  max_ = std::max<std::uint64_t>(max_, occupancy_);

  auto& samples = series_.samples;
  const auto start = [&] { return time / series_.interval * series_.interval; };
  if (samples.size() == most_samples_ && samples.back().time != start()) makeRoom();
  if (samples.empty() || samples.back().time != start()) {
    // On the exact grid a sample begins with its change; on a coarser one the level before the change was
    // seen in it, too.
    const std::uint32_t first = series_.interval == 1 ? occupancy_ : before;
    samples.push_back({start(), std::min(first, occupancy_), std::max(first, occupancy_), occupancy_});
  } else {
    auto& sample = samples.back();
    sample.low = std::min(sample.low, occupancy_);
    sample.high = std::max(sample.high, occupancy_);
    sample.last = occupancy_;
  }
}

/// Half as many samples, or room for twice as many.
void StreamRecorder::makeRoom() {
  if (timeline_ && timeline_->budget().take(most_samples_)) {
    most_samples_ *= 2;
  } else {
    series_.decimate(most_samples_ / 2);
  }
}

}  // namespace sluice::inline simulator
