#include "engine/simulator/dispatch_pattern.h"

#include <algorithm>
#include <numeric>

namespace sluice::inline simulator {

void DispatchOrder::extend(std::uint64_t requests) {
  while (requests_.size() < requests) {
    channel_ = (channel_ + step_) % channels_;
    step_ = triangular_ ? (step_ + 1) % channels_ : 1;
    requests_.push_back({static_cast<std::uint32_t>(channel_), seen_[channel_]++});
  }
}

std::size_t DispatchOrder::moved(std::uint64_t requests) const {
  if (!triangular_) return requests % channels_;
  const std::uint64_t m = requests % (2 * channels_);
  return m * (m + 1) / 2 % channels_;
}

DispatchPattern::DispatchPattern(const DispatchOrder& order, std::uint64_t requests, float interval)
    : channels_(order.channels()),
      requests_(requests),
      interval_(interval),
      shift_(order.moved(requests)),
      period_(channels_ / std::gcd(channels_, shift_)),
      service_(2 * channels_) {
  for (std::uint64_t k = 0; k < requests; ++k) service_[order[k].channel] += interval;
  std::copy_n(service_.data(), channels_, service_.data() + channels_);
  for (std::size_t cycle = 0; cycle <= period_; ++cycle) moved_.push_back(cycle * shift_ % channels_);
  rows_.reserve(2 * channels_ * (period_ + 1));
  rows_.resize(2 * channels_);
}

void DispatchPattern::build() {
  const std::size_t n = channels_;
  rows_.resize(rows_.size() + 2 * n);
  float* const to = rows_.data() + 2 * n * (built_ + 1);
  const float* const from = to - 2 * n;
  const float* const service = service_.data() + (n - movedAfter(built_)) % n;
  const float arrival = static_cast<float>(built_);
  for (std::size_t c = 0; c < n; ++c) {
    to[c] = from[c] + service[c];
    const float served = std::max(from[n + c], arrival) + service[c];
    to[n + c] = service[c] > 0 ? served : from[n + c];
  }
  ++built_;
}

void DispatchPattern::buildLast(const DispatchOrder& order, std::uint64_t position, LastService& last) {
  constexpr float nowhere = -1e30f;
  const std::size_t n = channels_;
  const auto [first, earlier] = order[position];
  const float ahead = interval_ * static_cast<float>(earlier);
  last.busy.assign(2 * n, nowhere);
  std::size_t channel = first;
  for (std::size_t cycle = 0; cycle < period_; ++cycle) {
    const float* const row = after(cycle);
    last.busy[channel] = last.busy[n + channel] = row[channel] + ahead;
    const double free = std::max(static_cast<double>(row[n + channel]), static_cast<double>(cycle));
    last.idle = std::max(last.idle, free + static_cast<double>(ahead));
    channel = (channel + shift_) % n;
  }
}

namespace {

/// Of the last run on this thread, as long as no other one has them.
std::unique_ptr<DispatchTables>& keptTables() {
  thread_local std::unique_ptr<DispatchTables> kept;
  return kept;
}

}  // namespace

void DispatchTables::Keep::operator()(DispatchTables* tables) const {
  keptTables().reset(tables);
}

BorrowedTables borrowTables(std::size_t channels, bool triangular, float interval) {
  std::unique_ptr<DispatchTables>& kept = keptTables();
  const bool fits = kept && kept->order.channels() == channels && kept->triangular == triangular &&
                    kept->interval == interval;
  return BorrowedTables(fits ? kept.release() : new DispatchTables(channels, triangular, interval));
}

}  // namespace sluice::inline simulator
