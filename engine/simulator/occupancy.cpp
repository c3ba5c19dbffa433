#include "engine/simulator/occupancy.h"

#include <algorithm>
#include <limits>

namespace sluice::inline simulator {

namespace {
constexpr std::size_t fan = 8;
constexpr std::pair<std::uint32_t, std::uint32_t> nothing{std::numeric_limits<std::uint32_t>::max(), 0};

template <class Pair>
void join(Pair& into, const Pair& other) {
  into.first = std::min(into.first, other.first);
  into.second = std::max(into.second, other.second);
}
}  // namespace

void OccupancySeries::decimate(std::size_t most) {
  while (samples.size() > most) {
    interval *= 2;
    std::size_t kept = 0;
    std::uint32_t carried = 0;  // the level that reaches into the sample from the left
    for (std::size_t i = 0; i < samples.size(); ++i) {
      Sample sample = samples[i];
      const bool moved = sample.time % interval != 0;
      sample.time = sample.time / interval * interval;
      const std::uint32_t last = sample.last;
      if (kept > 0 && samples[kept - 1].time == sample.time) {
        Sample& into = samples[kept - 1];
        into.low = std::min(into.low, sample.low);
        into.high = std::max(into.high, sample.high);
        into.last = sample.last;
      } else {
        if (moved) sample.low = std::min(sample.low, carried), sample.high = std::max(sample.high, carried);
        samples[kept++] = sample;
      }
      carried = last;
    }
    samples.resize(kept);
  }
}

OccupancyTrack::OccupancyTrack(OccupancySeries series) : series_(std::move(series)) {
  const auto& samples = series_.samples;
  std::vector<Extremes> level;
  level.reserve(samples.size());
  area_.reserve(samples.size());
  double area = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i > 0) {
      const auto length = static_cast<double>(samples[i].time - samples[i - 1].time);
      area += length * (exact() ? samples[i - 1].last : (samples[i - 1].low + samples[i - 1].high) / 2.0);
    }
    area_.push_back(area);
    level.emplace_back(samples[i].low, samples[i].high);
  }
  while (level.size() > fan) {
    std::vector<Extremes> above((level.size() + fan - 1) / fan, nothing);
    for (std::size_t i = 0; i < level.size(); ++i) join(above[i / fan], level[i]);
    level = above;
    pyramid_.push_back(std::move(above));
  }
}

std::size_t OccupancyTrack::firstAfter(Cycles cycle) const {
  const auto& samples = series_.samples;
  return static_cast<std::size_t>(std::upper_bound(samples.begin(), samples.end(), cycle,
                                                   [](Cycles time, const OccupancySeries::Sample& sample) {
                                                     return time < sample.time;
                                                   }) -
                                  samples.begin());
}

std::uint32_t OccupancyTrack::at(Cycles cycle) const {
  const std::size_t after = firstAfter(cycle);
  return after == 0 ? 0 : series_.samples[after - 1].last;
}

OccupancyTrack::Extremes OccupancyTrack::extremes(std::size_t from, std::size_t to) const {
  Extremes result = nothing;
  const auto take = [&](std::size_t level, std::size_t i) {
    join(result,
         level == 0 ? Extremes(series_.samples[i].low, series_.samples[i].high) : pyramid_[level - 1][i]);
  };
  for (std::size_t level = 0; from < to; ++level, from /= fan, to /= fan) {
    for (; from < to && from % fan != 0; ++from) take(level, from);
    for (; from < to && to % fan != 0; --to) take(level, to - 1);
    if (level == pyramid_.size())
      for (; from < to; ++from) take(level, from);
  }
  return result;
}

double OccupancyTrack::areaBefore(Cycles cycle) const {
  const std::size_t after = firstAfter(cycle);
  if (after == 0) return 0;
  const OccupancySeries::Sample& sample = series_.samples[after - 1];
  const double level = exact() ? sample.last : (sample.low + sample.high) / 2.0;
  return area_[after - 1] + level * static_cast<double>(cycle - sample.time);
}

OccupancyTrack::Range OccupancyTrack::within(Cycles from, Cycles to) const {
  // What was there before; where samples are coarse, all of the one that `from` lies in.
  const std::size_t first = firstAfter(from), last = firstAfter(to - 1);
  Extremes result = first == 0 ? Extremes(0, 0)
                    : exact()  ? Extremes(series_.samples[first - 1].last, series_.samples[first - 1].last)
                               : Extremes(series_.samples[first - 1].low, series_.samples[first - 1].high);
  join(result, extremes(first, last));
  const double mean = (areaBefore(to) - areaBefore(from)) / static_cast<double>(to - from);
  return {result.first, result.second, mean};
}

}  // namespace sluice::inline simulator
