#pragma once
// StreamRecorder: the occupancy of one FIFO over simulated time, although its two ends run at different
// clocks and in any order on the host. A token occupies a slot from the sender's clock at its push until it
// is taken; at equal times the taking comes first.

#include <cstdint>
#include <deque>
#include <vector>

#include "engine/simulator/result.h"
#include "engine/simulator/token.h"
#include "engine/simulator/trace.h"

namespace sluice::inline simulator {

class TimelineRecorder;

class StreamRecorder {
 public:
  static constexpr std::size_t max_samples = 8192;

  /// At most `limit` tokens go to `capture`.
  StreamRecorder(bool occupancy, std::vector<CapturedToken>* capture, std::size_t limit)
      : occupancy_on_(occupancy), capture_(capture), limit_(limit) {}
  /// Also tells the timeline who takes what, and keeps as many samples as its budget allows.
  void joinTimeline(TimelineRecorder& timeline, StreamId stream, OperatorId consumer) {
    timeline_ = &timeline, stream_ = stream, consumer_ = consumer;
  }

  void joinTrace(StreamTrace& trace) { trace_ = &trace; }

  // Cold, as recording is: what an operator does without it lies closer together in its code, so that the
  // instructions of those that take turns fit the cache.
  /// Before the sender waits for the slot of token `number`, the receiver for the token itself.
  [[gnu::cold]] void asked(Look look, std::uint64_t number) {
    if (trace_ && trace_->asked.size() == number) trace_->asked.push_back(look);
  }
  [[gnu::cold]] void looked(Look look, std::uint64_t number) {
    if (trace_ && trace_->looked.size() == number) trace_->looked.push_back(look);
  }
  void closed(Cycles follow) {
    if (trace_) trace_->close_follow = follow;
  }
  [[gnu::cold]] void enqueued(Cycles time, const SentToken& sent);
  [[gnu::cold]] void dequeued(FreedSlot freed);
  /// No event will follow: settles what was waiting for the other side.
  void finish();

  StreamId stream() const { return stream_; }
  /// When the token at the head was pushed, by its sender's clock; in a timeline only.
  Cycles headPushed() const { return pushed_.front(); }
  std::uint64_t maxOccupancy() const { return max_; }
  OccupancySeries takeSeries() { return std::move(series_); }

 private:
  void settle();
  void change(Cycles time, int step);
  void makeRoom();

  bool occupancy_on_;
  std::vector<CapturedToken>* capture_;
  std::size_t limit_;
  // Each holds at most `depth` times: neither end can run further ahead of the other.
  std::deque<Cycles> enqueued_, dequeued_;
  std::uint32_t occupancy_ = 0;
  std::uint64_t max_ = 0;
  OccupancySeries series_;
  std::size_t most_samples_ = max_samples;
  TimelineRecorder* timeline_ = nullptr;
  StreamTrace* trace_ = nullptr;
  StreamId stream_ = 0;
  OperatorId consumer_ = 0;
  std::deque<Cycles> pushed_;
};

}  // namespace sluice::inline simulator
