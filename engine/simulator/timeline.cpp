#include "engine/simulator/timeline.h"

#include <algorithm>

namespace sluice::inline simulator {

namespace {

constexpr std::array<ProcessState, wait_kinds> kinds{ProcessState::Blocked, ProcessState::Memory,
                                                     ProcessState::Unit, ProcessState::Starved};

/// Keeps the smaller of what is known and `cycle`, if that is later than `after`.
void sooner(std::optional<Cycles>& found, Cycles cycle, Cycles after) {
  if (cycle != Wait::never && cycle > after && (!found || cycle < *found)) found = cycle;
}
void later(std::optional<Cycles>& found, Cycles cycle, Cycles before) {
  if (cycle < before && (!found || cycle > *found)) found = cycle;
}

}  // namespace

const char* text(ProcessState state) {
  constexpr std::array<const char*, 6> names{
      "blocked", "waiting for off-chip memory", "waiting for on-chip memory", "starved", "running", "done"};
  return names[static_cast<std::size_t>(state)];
}

WaitTrack::WaitTrack(std::vector<Wait> waits, Cycles grain) : waits_(std::move(waits)), grain_(grain) {
  before_.reserve(waits_.size());
  Cycles lost = 0;
  for (const Wait& wait : waits_) {
    before_.push_back(lost);
    lost += wait.lost;
  }
}

std::size_t WaitTrack::firstAfter(Cycles cycle, std::size_t from) const {
  std::size_t stride = 1, to = from;
  while (to < waits_.size() && waits_[to].end <= cycle) from = to + 1, to += stride *= 2;
  const auto at = [&](std::size_t i) { return waits_.begin() + static_cast<std::ptrdiff_t>(i); };
  return static_cast<std::size_t>(
      std::upper_bound(at(from), at(std::min(to, waits_.size())), cycle,
                       [](Cycles time, const Wait& wait) { return time < wait.end; }) -
      waits_.begin());
}

const Wait* WaitTrack::at(Cycles cycle) const {
  const std::size_t first = firstAfter(cycle);
  return first < waits_.size() && waits_[first].begin <= cycle ? &waits_[first] : nullptr;
}

Cycles WaitTrack::lostBefore(Cycles cycle, std::size_t first) const {
  if (waits_.empty()) return 0;
  if (first == waits_.size()) return before_.back() + waits_.back().lost;
  const Wait& wait = waits_[first];
  if (cycle <= wait.begin) return before_[first];
  const Cycles passed = cycle - wait.begin;
  if (wait.end == Wait::never || wait.lost == wait.end - wait.begin) return before_[first] + passed;
  const double share = static_cast<double>(passed) / static_cast<double>(wait.end - wait.begin);
  return before_[first] + static_cast<Cycles>(share * static_cast<double>(wait.lost));
}

Timeline::Timeline(std::vector<ProcessTimeline> processes, std::vector<OccupancyTrack> streams, Cycles end)
    : processes_(std::move(processes)), streams_(std::move(streams)), end_(end) {
  for (const ProcessTimeline& process : processes_) {
    for (const WaitTrack& track : process.waits) {
      events_ += 2 * track.waits().size();
      exact_ &= track.exact();
    }
  }
  for (const OccupancyTrack& stream : streams_) {
    events_ += stream.series().samples.size();
    exact_ &= stream.exact();
  }
}

StateAt Timeline::stateAt(OperatorId process, Cycles cycle) const {
  const ProcessTimeline& of = processes_.at(process);
  StateAt result{ProcessState::Running, 0, std::max(end_, cycle + 1), {}};
  if (cycle >= of.finished) return {ProcessState::Done, of.finished, result.until, {}};
  if (of.finished != Wait::never) result.until = of.finished;
  // From the kind that is reported last to the one that is reported first: who comes first cuts the others'
  // time.
  for (std::size_t k = wait_kinds; k-- > 0;) {
    const WaitTrack& track = of.waits[k];
    const std::size_t next = track.firstAfter(cycle);
    const auto waits = track.waits();
    if (next < waits.size() && waits[next].begin <= cycle) {
      const Wait& wait = waits[next];
      result = {kinds[k],
                std::max(wait.begin, next > 0 ? waits[next - 1].end : 0),
                wait.end == Wait::never ? std::max(end_, cycle + 1) : wait.end,
                {}};
      if (wait.stream != Wait::any_stream) result.stream = wait.stream;
      continue;
    }
    if (next > 0) result.since = std::max(result.since, waits[next - 1].end);
    if (next < waits.size()) result.until = std::min(result.until, waits[next].begin);
  }
  return result;
}

std::vector<StateAt> Timeline::statesOf(OperatorId process) const {
  std::vector<StateAt> states;
  for (Cycles cycle = 0; cycle < end_; cycle = states.back().until) {
    states.push_back(stateAt(process, cycle));
    states.back().since = cycle;
  }
  return states;
}

std::uint32_t Timeline::occupancyAt(StreamId stream, Cycles cycle) const {
  return streams_.at(stream).at(cycle);
}

StateCycles Timeline::statesWithin(OperatorId process, Cycles from, Cycles to) const {
  return statesBetween(process, std::array{from, std::max(from, to)}).front();
}

std::vector<StateCycles> Timeline::statesBetween(OperatorId process, std::span<const Cycles> bounds) const {
  const ProcessTimeline& of = processes_.at(process);
  std::vector<StateCycles> all(bounds.empty() ? 0 : bounds.size() - 1);
  for (std::size_t k = 0; k < wait_kinds; ++k) {
    const WaitTrack& track = of.waits[k];
    if (track.waits().empty()) continue;
    std::size_t first = track.firstAfter(bounds.front());
    Cycles before = track.lostBefore(bounds.front(), first);
    for (std::size_t i = 0; i < all.size(); ++i) {
      first = track.firstAfter(bounds[i + 1], first);
      const Cycles upto = track.lostBefore(bounds[i + 1], first);
      all[i][static_cast<std::size_t>(kinds[k])] = upto - before;
      before = upto;
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    // Where two kinds hold at once, the first is reported.
    Cycles left = bounds[i + 1] - bounds[i];
    Cycles& done = all[i][static_cast<std::size_t>(ProcessState::Done)];
    if (of.finished < bounds[i + 1]) done = bounds[i + 1] - std::max(bounds[i], of.finished);
    left -= done;
    for (const ProcessState kind : kinds) {
      Cycles& cycles = all[i][static_cast<std::size_t>(kind)];
      left -= cycles = std::min(cycles, left);
    }
    all[i][static_cast<std::size_t>(ProcessState::Running)] = left;
  }
  return all;
}

std::optional<Cycles> Timeline::nextEvent(const TimelineSelection& of, Cycles cycle) const {
  std::optional<Cycles> found;
  for (const OperatorId id : of.processes) {
    for (const WaitTrack& track : processes_.at(id).waits) {
      const std::size_t next = track.firstAfter(cycle);
      if (next == track.waits().size()) continue;
      sooner(found, track.waits()[next].begin, cycle);
      sooner(found, track.waits()[next].end, cycle);
    }
    sooner(found, processes_[id].finished, cycle);
  }
  for (const StreamId id : of.streams) {
    const auto& samples = streams_.at(id).series().samples;
    const std::size_t next = streams_[id].firstAfter(cycle);
    if (next < samples.size()) sooner(found, samples[next].time, cycle);
  }
  return found;
}

std::optional<Cycles> Timeline::previousEvent(const TimelineSelection& of, Cycles cycle) const {
  std::optional<Cycles> found;
  if (cycle == 0) return found;
  for (const OperatorId id : of.processes) {
    for (const WaitTrack& track : processes_.at(id).waits) {
      const std::size_t next = track.firstAfter(cycle - 1);
      if (next < track.waits().size()) later(found, track.waits()[next].begin, cycle);
      if (next > 0) later(found, track.waits()[next - 1].end, cycle);
    }
    later(found, processes_[id].finished, cycle);
  }
  for (const StreamId id : of.streams) {
    const std::size_t next = streams_.at(id).firstAfter(cycle - 1);
    if (next > 0) later(found, streams_[id].series().samples[next - 1].time, cycle);
  }
  return found;
}

}  // namespace sluice::inline simulator
