#pragma once
// The pictures of timeline rows: for each column of pixels the states that a process was in, stacked by their
// shares, or how full a stream was. Wide stretches are answered from the timeline's sums and pyramids, so the
// cost goes with the pixels, not with the events.

#include <QImage>
#include <vector>

#include "engine/simulator/timeline.h"

namespace sluice::ui {

/// The part of a run that is shown, in cycles.
struct TimeRange {
  double from = 0, to = 1;
  double length() const { return to - from; }
  bool operator==(const TimeRange&) const = default;
};

/// Between two marks of a scale: 1, 2 or 5 times a power of ten, at least a cycle, so that there are at
/// `most` so many.
double cycleTickStep(double length, int most);

/// Where columns begin, one more than there are; where they are narrower than a cycle, some hold none.
std::vector<Cycles> columnBounds(const TimeRange& range, int columns);

/// Cycles in each state of all `processes` together, a column each.
std::vector<StateCycles> stateColumns(const Timeline& timeline, const std::vector<OperatorId>& processes,
                                      const TimeRange& range, int columns);
std::vector<OccupancyTrack::Range> fillColumns(const Timeline& timeline, StreamId stream,
                                               const TimeRange& range, int columns);

QImage stateStrip(const std::vector<StateCycles>& columns, int height, bool dark);
/// Colour: how full on average; a dark cap where it was full at some time.
QImage fillStrip(const std::vector<OccupancyTrack::Range>& columns, std::uint64_t capacity, int height,
                 bool dark);

}  // namespace sluice::ui
