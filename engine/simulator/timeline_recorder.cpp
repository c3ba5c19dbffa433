#include "engine/simulator/timeline_recorder.h"

namespace sluice::inline simulator {

void TimelineRecorder::waited(OperatorId process, ProcessState kind, Wait wait) {
  Process& of = processes_[process];
  Track& track = of.tracks[static_cast<std::size_t>(kind)];
  if (!track.waits.empty()) wait.begin = std::max(wait.begin, track.waits.back().end);
  if (wait.begin >= wait.end) return;
  wait.lost = wait.end == Wait::never ? 0 : wait.end - wait.begin;
  if (!track.waits.empty()) {
    Wait& last = track.waits.back();
    const bool goes_on = last.end == wait.begin && last.stream == wait.stream &&
                         (kind != ProcessState::Starved || wait.stream == Wait::any_stream);
    const bool joins = track.grain > 1 && wait.end != Wait::never && wait.end - last.begin <= track.grain;
    if (goes_on || joins) {
      if (wait.lost > last.lost) last.stream = wait.stream, last.handed = wait.handed;
      last.handed = std::max(last.handed, wait.handed);
      last.end = wait.end;
      last.lost += wait.lost;
      return;
    }
  }
  if (track.waits.size() == track.limit) {
    if (budget_.take(track.limit)) {
      track.limit *= 2;
    } else {
      track.decimate();
      of.unnamed = 0;
    }
  }
  track.waits.push_back(wait);
}

void TimelineRecorder::took(OperatorId process, StreamId stream, Cycles pushed) {
  Process& of = processes_[process];
  std::vector<Wait>& waits = of.tracks[static_cast<std::size_t>(ProcessState::Starved)].waits;
  for (; of.unnamed < waits.size(); ++of.unnamed) {
    Wait& wait = waits[of.unnamed];
    if (wait.stream != Wait::any_stream) continue;
    wait.stream = stream;
    wait.handed = std::min(wait.end, pushed);
  }
}

/// Joins waits until half as many are left: those that lie within `grain` cycles, which doubles as need be.
/// The stream is that of the longer one.
void TimelineRecorder::Track::decimate() {
  while (waits.size() > limit / 2) {
    grain *= 2;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      const Wait wait = waits[i];
      if (kept > 0 && wait.end != Wait::never && wait.end - waits[kept - 1].begin <= grain) {
        Wait& into = waits[kept - 1];
        if (wait.lost > into.lost) into.stream = wait.stream;
        into.handed = std::max(into.handed, wait.handed);
        into.end = wait.end;
        into.lost += wait.lost;
      } else {
        waits[kept++] = wait;
      }
    }
    waits.resize(kept);
  }
}

Timeline TimelineRecorder::take(std::vector<OccupancySeries> streams, Cycles end) {
  std::vector<ProcessTimeline> processes;
  processes.reserve(processes_.size());
  for (Process& process : processes_) {
    ProcessTimeline& made = processes.emplace_back();
    made.finished = process.finished;
    for (std::size_t kind = 0; kind < wait_kinds; ++kind) {
      Track& track = process.tracks[kind];
      for (Wait& wait : track.waits)
        if (wait.end == Wait::never && wait.begin < end) wait.lost = end - wait.begin;
      made.waits[kind] = WaitTrack(std::move(track.waits), track.grain);
    }
  }
  std::vector<OccupancyTrack> tracks;
  tracks.reserve(streams.size());
  for (OccupancySeries& series : streams) tracks.emplace_back(std::move(series));
  return Timeline(std::move(processes), std::move(tracks), end);
}

}  // namespace sluice::inline simulator
