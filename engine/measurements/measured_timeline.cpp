#include "engine/measurements/measured_timeline.h"

#include <algorithm>
#include <cmath>

namespace sluice::inline measurements {
namespace {

struct Stretch {
  Cycles begin = 0, end = 0;
};

Cycles wholeCycles(double cycles) {
  constexpr double most = 1e18;
  return cycles > 0 ? static_cast<Cycles>(std::llround(std::min(cycles, most))) : 0;
}

/// In the order of time, none touches another.
std::vector<Stretch> joined(std::vector<Stretch> stretches) {
  std::ranges::sort(stretches, {}, &Stretch::begin);
  std::vector<Stretch> whole;
  for (const Stretch& each : stretches) {
    if (each.end <= each.begin) continue;
    if (!whole.empty() && each.begin <= whole.back().end)
      whole.back().end = std::max(whole.back().end, each.end);
    else
      whole.push_back(each);
  }
  return whole;
}

std::vector<Stretch> gapsBetween(const std::vector<Stretch>& busy, Cycles end) {
  std::vector<Stretch> gaps;
  Cycles from = 0;
  for (const Stretch& each : busy) {
    if (each.begin > from) gaps.push_back({from, each.begin});
    from = each.end;
  }
  if (end > from) gaps.push_back({from, end});
  return gaps;
}

WaitTrack trackOf(const std::vector<Stretch>& stretches) {
  std::vector<Wait> waits;
  for (const Stretch& each : joined(stretches)) {
    Wait& wait = waits.emplace_back();
    wait.begin = each.begin, wait.end = each.end, wait.lost = each.end - each.begin;
  }
  return WaitTrack(std::move(waits), 1);
}

ProcessTimeline processOf(const MeasuredOperator& op) {
  std::array<std::vector<Stretch>, activities> by;
  std::vector<Stretch> all;
  for (const MeasuredSpan& span : op.spans) {
    const Stretch stretch{wholeCycles(span.begin), wholeCycles(span.end)};
    by[static_cast<std::size_t>(span.activity)].push_back(stretch);
    all.push_back(stretch);
  }
  const auto of = [&](Activity activity) -> std::vector<Stretch>& {
    return by[static_cast<std::size_t>(activity)];
  };
  ProcessTimeline process;
  all = joined(std::move(all));
  process.finished = all.empty() ? 0 : all.back().end;
  std::vector<Stretch> token = of(Activity::Token);
  const auto append = [&token](const std::vector<Stretch>& more) {
    token.insert(token.end(), more.begin(), more.end());
  };
  append(of(Activity::Stream));
  if (op.cycles[Activity::Compute]) append(gapsBetween(all, process.finished));
  const auto set = [&process](ProcessState kind, const std::vector<Stretch>& stretches) {
    process.waits[static_cast<std::size_t>(kind)] = trackOf(stretches);
  };
  set(ProcessState::Starved, token);
  set(ProcessState::Blocked, of(Activity::Slot));
  set(ProcessState::Memory, of(Activity::Memory));
  return process;
}

OccupancyTrack levelsOf(const MeasuredStream& stream) {
  OccupancySeries series;
  series.samples.push_back({});  // empty at first
  for (const MeasuredLevel& level : stream.levels) {
    const Cycles time = wholeCycles(level.at);
    const auto tokens = static_cast<std::uint32_t>(std::clamp(level.tokens, 0.0, 4e9));
    if (time <= series.samples.back().time) {  // the last of a cycle counts
      OccupancySeries::Sample& same = series.samples.back();
      same.low = same.high = same.last = tokens;
    } else {
      series.samples.push_back({time, tokens, tokens, tokens});
    }
  }
  return OccupancyTrack(std::move(series));
}

}  // namespace

std::shared_ptr<const Timeline> measuredTimeline(const FlatGraph& graph, const MeasuredRun& run,
                                                 const Matching& matching) {
  ProcessTimeline absent;
  absent.finished = 0;
  std::vector<ProcessTimeline> processes(graph.operators.size(), absent);
  std::vector<OccupancyTrack> streams(graph.streams.size(), levelsOf({}));
  bool any = false;
  Cycles end = wholeCycles(run.cycles.value_or(0));
  for (const Matched<OperatorId>& matched : matching.operators) {
    const MeasuredOperator& op = run.operators[matched.measured];
    if (op.spans.empty()) continue;
    any = true;
    const ProcessTimeline process = processOf(op);
    end = std::max(end, process.finished);
    for (const OperatorId id : matched.ids) processes[id] = process;
  }
  for (const Matched<StreamId>& matched : matching.streams) {
    const MeasuredStream& stream = run.streams[matched.measured];
    if (stream.levels.empty()) continue;
    any = true;
    for (const StreamId id : matched.ids) streams[id] = levelsOf(stream);
  }
  if (!any) return nullptr;
  return std::make_shared<const Timeline>(std::move(processes), std::move(streams), end);
}

}  // namespace sluice::inline measurements
