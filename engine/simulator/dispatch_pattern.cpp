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
  rows_.reserve(stride() * (period_ + 1));
  rows_.resize(stride());
}

void DispatchPattern::build() {
  const std::size_t n = channels_;
  rows_.resize(rows_.size() + stride());
  float* const to = rows_.data() + stride() * (built_ + 1);
  const float* const from = to - stride();
  const float* const service = service_.data() + (n - movedAfter(built_)) % n;
  const float arrival = static_cast<float>(built_);
  for (std::size_t c = 0; c < n; ++c) {
    to[c] = from[c] + service[c];
    const float served = std::max(from[2 * n + c], arrival) + service[c];
    to[2 * n + c] = service[c] > 0 ? served : from[2 * n + c];
  }
  std::copy_n(to, n, to + n);
  std::copy_n(to + 2 * n, n, to + 3 * n);
  ++built_;
}

void DispatchPattern::extend(std::vector<Visit>& visits, const DispatchOrder::Request& request,
                             std::size_t cycles) {
  const float ahead = interval_ * static_cast<float>(request.earlier);
  for (std::size_t cycle = visits.size(); cycle < cycles; ++cycle) {
    const std::size_t channel = (request.channel + movedAfter(cycle)) % channels_;
    const float* const row = after(cycle);
    const float idle = std::max(row[this->idle() + channel], static_cast<float>(cycle)) + ahead;
    visits.push_back({static_cast<std::uint32_t>(channel), row[channel] + ahead,
                      cycle == 0 ? idle : std::max(visits.back().idle, idle)});
  }
}

const DispatchPattern::LastService& DispatchPattern::buildLast(const DispatchOrder& order,
                                                               std::uint64_t position, std::uint64_t count) {
  constexpr float nowhere = -1e30f;
  const std::size_t n = channels_;
  LastService& last = last_services_[position].emplace_back(LastService{count, {}, 0});
  last.busy.assign(2 * n, nowhere);
  for (std::uint64_t k = position; k < position + count; ++k) {
    const auto [first, earlier] = order[k];
    const float ahead = interval_ * static_cast<float>(earlier);
    std::size_t channel = first;
    for (std::size_t cycle = 0; cycle < period_; ++cycle) {
      const float* const row = after(cycle);
      last.busy[channel] = std::max(last.busy[channel], row[channel] + ahead);
      const double free = std::max(static_cast<double>(row[idle() + channel]), static_cast<double>(cycle));
      last.idle = std::max(last.idle, free + static_cast<double>(ahead));
      channel = (channel + shift_) % n;
    }
  }
  std::copy_n(last.busy.data(), n, last.busy.data() + n);
  return last;
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
