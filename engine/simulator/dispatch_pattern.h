#pragma once
// DispatchPattern: what a fixed number of requests per cycle does to the channels of the memory node. Both
// the pattern and the channels are numbered from the running channel counter, so that one pattern serves
// wherever the counter stands.
//
// A channel's backlog y is how much later than the next arrival it can begin a service, at least 0. Stepping
// some cycles maps y to max(y + busy, idle), relative to the arrival of the first cycle: busy is the service
// time that the cycles bring, idle the time at which a channel that was free at first becomes free. Backlogs
// are integers in doubles and these two integers below 2^24 in floats: every SIMD unit has a maximum of
// floating-point numbers.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/simulator/backlog.h"

namespace sluice::inline simulator {

/// Where the controller sends the requests of a cycle: request k goes k channels beyond the counter, or,
/// triangular, 0 + 1 + ... + k.
class DispatchOrder {
 public:
  DispatchOrder(std::size_t channels, bool triangular)
      : channels_(channels), triangular_(triangular), seen_(channels) {}

  struct Request {
    std::uint32_t channel;  ///< from the counter on
    std::uint32_t earlier;  ///< requests of the same cycle that went there before
  };
  const Request& operator[](std::uint64_t position) const { return requests_[position]; }
  void extend(std::uint64_t requests);

  std::size_t channels() const { return channels_; }
  /// How far the counter moves in a cycle of that many requests: their number beyond the last one's channel.
  std::size_t moved(std::uint64_t requests) const;

 private:
  std::size_t channels_, channel_ = 0, step_ = 0;
  bool triangular_;
  std::vector<Request> requests_;
  std::vector<std::uint32_t> seen_;
};

class DispatchPattern {
 public:
  /// `order` must know that many requests.
  DispatchPattern(const DispatchOrder& order, std::uint64_t requests, float interval);

  /// Cycles after which the counter is where it was.
  std::size_t period() const { return period_; }
  /// How far the counter moves in one cycle, and in so many.
  std::size_t shift() const { return shift_; }
  std::size_t movedAfter(std::uint64_t cycles) const {
    return moved_[cycles <= period_ ? cycles : cycles % period_];
  }

  /// The same of at most a period.
  std::size_t moved(std::size_t cycles) const { return moved_[cycles]; }

  /// Channel -> busy, and idle() further on channel -> idle, after `cycles`; each twice in a row, so that n
  /// of them from any channel on are a window. The rows of fewer cycles lie before it, stride() apart.
  const float* after(std::size_t cycles) {
    while (built_ < cycles) build();
    return rows_.data() + stride() * cycles;
  }
  std::size_t idle() const { return 2 * channels_; }
  /// What so many cycles do whose first one begins at channel `counter`.
  PeriodicService service(std::size_t counter, std::uint64_t cycles) {
    const std::uint64_t periods = cycles / period_, rest = cycles - periods * period_;
    const std::size_t length = periods > 0 ? period_ : 0;
    after(std::max(rest, length));  // a new row may move the others
    const float* const whole = after(length) + channels_ - counter;
    const float* const row = after(rest) + channels_ - counter;
    return {whole,
            whole + idle(),
            row,
            row + idle(),
            static_cast<double>(periods),
            static_cast<double>(length),
            static_cast<double>(cycles)};
  }
  std::size_t stride() const { return 4 * channels_; }

  /// Of `count` positions from one on: their last service in one period begins at the largest backlog + busy,
  /// or at idle, whichever is later, relative to the arrival of the period's first cycle.
  struct LastService {
    std::uint64_t count;
    std::vector<float>
        busy;  ///< channel -> service time before; far below 0 where no such request comes; twice
    double idle = 0;
  };
  /// Of the request at one position, in one of the first cycles of the pattern: its service begins at the
  /// backlog of the channel + busy, or at idle, the latest until then, whichever is later.
  struct Visit {
    std::uint32_t channel;  ///< from the counter at the first cycle on
    float busy, idle;
  };
  std::span<const Visit> visits(const DispatchOrder& order, std::uint64_t position, std::size_t cycles) {
    if (visits_.size() < requests_) [[unlikely]]
      visits_.resize(requests_);
    std::vector<Visit>& visits = visits_[position];
    if (visits.size() < cycles) [[unlikely]]
      extend(visits, order[position], cycles);
    return {visits.data(), cycles};
  }
  const LastService& lastService(const DispatchOrder& order, std::uint64_t position, std::uint64_t count) {
    if (last_services_.size() < requests_) last_services_.resize(requests_);
    for (const LastService& last : last_services_[position])
      if (last.count == count) return last;
    return buildLast(order, position, count);
  }

 private:
  void build();
  void extend(std::vector<Visit>& visits, const DispatchOrder::Request& request, std::size_t cycles);
  const LastService& buildLast(const DispatchOrder& order, std::uint64_t position, std::uint64_t count);

  std::size_t channels_;
  std::uint64_t requests_;
  float interval_;
  std::size_t shift_ = 0, period_ = 1, built_ = 0;
  std::vector<std::size_t> moved_;          ///< after up to period_ cycles
  std::vector<float> service_;              ///< channel -> service time of a cycle's requests, twice in a row
  std::vector<float> rows_;                 ///< after 0, 1, ... built_ cycles
  std::vector<std::vector<Visit>> visits_;  ///< by position; as far as they were asked for
  std::vector<std::vector<LastService>> last_services_;  ///< by position; those that were asked for
};

/// What a memory node knows of its machine, found out as it is asked for: order, patterns by requests a
/// cycle, and room for backlogs. Small runs took longest to find that out, so the tables of the last run on a
/// thread go to its next one of the same machine.
struct DispatchTables {
  DispatchTables(std::size_t channels, bool is_triangular, float its_interval)
      : order(channels, is_triangular), triangular(is_triangular), interval(its_interval) {}

  /// The pattern of so many requests, which `order` must know; made if it is not there.
  DispatchPattern& pattern(std::uint64_t requests) {
    if (patterns.size() <= requests) patterns.resize(requests + 1);
    std::unique_ptr<DispatchPattern>& made = patterns[requests];
    if (!made) made = std::make_unique<DispatchPattern>(order, requests, interval), ++count;
    return *made;
  }

  DispatchOrder order;
  bool triangular;
  float interval;
  std::vector<std::unique_ptr<DispatchPattern>> patterns;
  std::size_t count = 0;  ///< of patterns
  /// Eight of them are a cache line; their loads wait for the stores before if they straddle two.
  struct alignas(64) Line : std::array<double, 8> {};
  std::vector<Line> backlogs;

  struct Keep {
    void operator()(DispatchTables* tables) const;
  };
};
using BorrowedTables = std::unique_ptr<DispatchTables, DispatchTables::Keep>;
BorrowedTables borrowTables(std::size_t channels, bool triangular, float interval);

}  // namespace sluice::inline simulator
