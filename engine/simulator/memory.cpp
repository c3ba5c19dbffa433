#include "engine/simulator/memory.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace sluice::sim {

namespace {
constexpr Cycles never = std::numeric_limits<Cycles>::max();
}

Hbm::Hbm(const HbmConfig& config)
    : config_(config), free_(config.channels), scratch_(config.channels), counts_(config.channels) {}

std::uint32_t Hbm::addPort(std::uint64_t groups_of) {
  ports_.push_back({.group = groups_of});
  return static_cast<std::uint32_t>(ports_.size() - 1);
}

void Hbm::issue(std::uint32_t port, std::uint64_t requests, Cycles clock) {
  Port& p = ports_[port];
  p.first = clock + 1;  // sent at the clock, visible one cycle later
  p.left = requests;
  p.last_start = 0;
  active_.insert(std::upper_bound(active_.begin(), active_.end(), port), port);
  ++outstanding_;
  requests_ += requests;
}

Cycles Hbm::advance(std::vector<std::uint32_t>& completed, Cycles until) {
  for (;;) {
    // Whoever sees its answer at time c can issue something that the controller takes at c + 1, no earlier.
    const Cycles limit = std::min(until, completions_.empty() ? never : completions_.top().time);
    if (active_.empty() || cycle_ > limit) break;
    const Cycles end = stretchEnd(limit);
    if (!dispatching_.empty()) stretch(end - cycle_);
    cycle_ = end;
    retire();
  }
  if (completions_.empty() || completions_.top().time > until) return until;
  const Cycles time = completions_.top().time;
  cycle_ = std::max(cycle_, time + 1);
  while (!completions_.empty() && completions_.top().time == time) {
    completed.push_back(completions_.top().port);
    completions_.pop();
    --outstanding_;
  }
  return time;
}

/// Finds who dispatches at cycle_ and how long that stays so: until a port starts, ends, or has only a part
/// of a group left, or the limit is passed.
Cycles Hbm::stretchEnd(Cycles limit) {
  dispatching_.clear();
  per_cycle_ = 0;
  Cycles end = limit == never ? never : limit + 1;
  for (const std::uint32_t port : active_) {
    Port& p = ports_[port];
    if (p.first > cycle_) {
      end = std::min(end, p.first);
      continue;
    }
    const std::uint64_t full = p.left / p.group;
    p.now = full > 0 ? p.group : p.left;
    end = std::min(end, cycle_ + std::max<std::uint64_t>(full, 1));
    per_cycle_ += p.now;
    dispatching_.push_back(port);
  }
  return end;
}

void Hbm::stretch(Cycles cycles) {
  // The counter moves by m(m+1)/2 each cycle, so the pattern of channels repeats after `period` cycles.
  const std::uint64_t n = config_.channels, m = per_cycle_ % (2 * n);
  const std::uint64_t shift = m * (m + 1) / 2 % n;
  const std::uint64_t period = n / std::gcd(n, shift);
  for (const std::uint32_t port : dispatching_) ports_[port].left -= ports_[port].now * cycles;
  if (closed_form && cycles >= 4 * period) {
    // All periods but the last: of one position in the pattern, the last service starts last, so only the
    // last period decides when a run completes.
    const std::uint64_t skipped = cycles / period - 1;
    skipPeriods(skipped, period);
    cycles -= skipped * period;
  }
  for (; cycles > 0; --cycles) stepCycle();
}

void Hbm::stepCycle() {
  const std::uint64_t n = config_.channels;
  const Cycles arrival = cycle_ + 1, interval = config_.initiation_interval;
  std::uint64_t channel = offset_, step = 0;
  for (const std::uint32_t port : dispatching_) {
    Port& p = ports_[port];
    for (std::uint64_t k = p.now; k > 0; --k) {
      channel += step;
      if (channel >= n) channel -= n;
      if (++step == n) step = 0;
      const Cycles start = std::max(free_[channel], arrival);
      free_[channel] = start + interval;
      p.last_start = std::max(p.last_start, start);
    }
  }
  offset_ = (channel + per_cycle_) % n;
  ++cycle_;
}

/// One period maps a channel's free time x to max(x + a, T + b), T the cycle it begins in: a = interval x
/// services in the period, b found by stepping a period from idle channels. After q periods: max(x + q a, T +
/// b + (q-1) max(a, length)).
void Hbm::skipPeriods(std::uint64_t periods, std::uint64_t length) {
  const std::uint64_t n = config_.channels;
  const Cycles interval = config_.initiation_interval;
  std::fill(scratch_.begin(), scratch_.end(), 0);
  std::fill(counts_.begin(), counts_.end(), 0);
  std::uint64_t channel = offset_;
  for (Cycles cycle = 0; cycle < length; ++cycle) {
    std::uint64_t step = 0;
    for (std::uint64_t k = 0; k < per_cycle_; ++k) {
      channel += step;
      if (channel >= n) channel -= n;
      if (++step == n) step = 0;
      scratch_[channel] = std::max(scratch_[channel], cycle + 1) + interval;
      ++counts_[channel];
    }
    channel = (channel + per_cycle_) % n;
  }
  for (std::size_t c = 0; c < n; ++c) {
    if (counts_[c] == 0) continue;
    const Cycles a = interval * counts_[c];
    free_[c] = std::max(free_[c] + periods * a, cycle_ + scratch_[c] + (periods - 1) * std::max(a, length));
  }
  cycle_ += periods * length;
}

/// Runs whose last request has been dispatched: their last response is visible to the port a cycle after it
/// reaches the controller.
void Hbm::retire() {
  const Cycles service = std::max<Cycles>(config_.start_up + config_.latency, 1);
  std::erase_if(active_, [&](std::uint32_t port) {
    if (ports_[port].left > 0) return false;
    completions_.push({ports_[port].last_start + service + 1, port});
    return true;
  });
}

}  // namespace sluice::sim
