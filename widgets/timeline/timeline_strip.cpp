#include "widgets/timeline/timeline_strip.h"

#include <algorithm>
#include <cmath>

#include "widgets/timeline/state_look.h"

namespace sluice::ui {

double cycleTickStep(double length, int most) {
  const double wanted = std::max(1.0, length / std::max(1, most));
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (power * factor >= wanted) return power * factor;
  return power * 10;
}

namespace {

/// Columns of one process that are looked up for one row, about; a region of many gets coarser ones.
constexpr std::size_t most_lookups = 16000;

std::size_t number(ProcessState state) {
  return static_cast<std::size_t>(state);
}

/// What is drawn from the bottom to the top.
constexpr std::array stacking{ProcessState::Running, ProcessState::Memory,  ProcessState::Unit,
                              ProcessState::Blocked, ProcessState::Starved, ProcessState::Done};

}  // namespace

std::vector<Cycles> columnBounds(const TimeRange& range, int columns) {
  std::vector<Cycles> bounds(static_cast<std::size_t>(columns) + 1);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const double at = range.from + range.length() * static_cast<double>(i) / columns;
    bounds[i] = static_cast<Cycles>(std::max(0.0, std::floor(at)));
  }
  return bounds;
}

std::vector<StateCycles> stateColumns(const Timeline& timeline, const std::vector<OperatorId>& processes,
                                      const TimeRange& range, int columns) {
  const std::size_t lookups = processes.size() * static_cast<std::size_t>(columns);
  const int step = static_cast<int>((lookups + most_lookups - 1) / most_lookups);
  const int coarse = std::max(1, columns / std::max(1, step));
  std::vector<Cycles> bounds = columnBounds(range, coarse);
  std::vector<StateCycles> sums(static_cast<std::size_t>(coarse));
  for (const OperatorId process : processes) {
    const std::vector<StateCycles> each = timeline.statesBetween(process, bounds);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (bounds[i] == bounds[i + 1]) {  // within a cycle
        ++sums[i][number(timeline.stateAt(process, bounds[i]).state)];
        continue;
      }
      for (std::size_t state = 0; state < sums[i].size(); ++state) sums[i][state] += each[i][state];
    }
  }
  if (coarse == columns) return sums;
  std::vector<StateCycles> all(static_cast<std::size_t>(columns));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = sums[i * sums.size() / all.size()];
  return all;
}

std::vector<OccupancyTrack::Range> fillColumns(const Timeline& timeline, StreamId stream,
                                               const TimeRange& range, int columns) {
  const std::vector<Cycles> bounds = columnBounds(range, columns);
  const OccupancyTrack& track = timeline.streams()[stream];
  std::vector<OccupancyTrack::Range> result;
  result.reserve(static_cast<std::size_t>(columns));
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i)
    result.push_back(track.within(bounds[i], std::max(bounds[i] + 1, bounds[i + 1])));
  return result;
}

QImage stateStrip(const std::vector<StateCycles>& columns, int height, bool dark) {
  QImage image(static_cast<int>(columns.size()), height, QImage::Format_RGB32);
  std::array<StateLook, 6> looks;
  std::array<QRgb, 6> inks{}, grounds{};
  for (const ProcessState state : all_states) {
    looks[number(state)] = stateLook(state, dark);
    inks[number(state)] = looks[number(state)].ink.rgb();
    grounds[number(state)] = looks[number(state)].ground.rgb();
  }
  std::vector<QRgb*> lines;
  for (int y = 0; y < height; ++y) lines.push_back(reinterpret_cast<QRgb*>(image.scanLine(y)));
  for (int x = 0; x < image.width(); ++x) {
    const StateCycles& cycles = columns[static_cast<std::size_t>(x)];
    Cycles whole = 0, sum = 0;
    for (const Cycles each : cycles) whole += each;
    int y = height;  // drawn from here on downwards already
    for (const ProcessState state : stacking) {
      const std::size_t n = number(state);
      if (cycles[n] == 0) continue;
      sum += cycles[n];
      const double share = static_cast<double>(sum) / static_cast<double>(whole);
      const int top = height - static_cast<int>(std::lround(share * height));
      while (y > top) {
        --y;
        lines[static_cast<std::size_t>(y)][x] = looks[n].inked(x, y) ? inks[n] : grounds[n];
      }
    }
    while (y > 0) lines[static_cast<std::size_t>(--y)][x] = grounds[number(ProcessState::Done)];
  }
  return image;
}

QImage fillStrip(const std::vector<OccupancyTrack::Range>& columns, std::uint64_t capacity, int height,
                 bool dark) {
  QImage image(static_cast<int>(columns.size()), height, QImage::Format_RGB32);
  constexpr int shades = 64;
  std::array<QRgb, shades + 1> colours{};
  for (int i = 0; i <= shades; ++i)
    colours[static_cast<std::size_t>(i)] = fillColour(static_cast<double>(i) / shades, dark).rgb();
  const QRgb cap = stateLook(ProcessState::Blocked, dark).ink.rgb();
  const int cap_height = std::max(2, height / 5);
  for (int x = 0; x < image.width(); ++x) {
    const OccupancyTrack::Range& range = columns[static_cast<std::size_t>(x)];
    const double share = range.mean / static_cast<double>(std::max<std::uint64_t>(1, capacity));
    const QRgb colour = colours[static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * shades)];
    const bool full = range.high >= capacity;
    for (int y = 0; y < height; ++y)
      reinterpret_cast<QRgb*>(image.scanLine(y))[x] = full && y < cap_height ? cap : colour;
  }
  return image;
}

}  // namespace sluice::ui
