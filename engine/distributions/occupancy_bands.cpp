#include "engine/distributions/occupancy_bands.h"

#include <algorithm>
#include <mutex>

#include "engine/core/cancelled.h"
#include "engine/distributions/point_samples.h"

namespace sluice::inline distributions {
namespace {

constexpr std::size_t moments = 200;

Cycles momentOf(std::size_t number, Cycles end) {
  return static_cast<Cycles>(static_cast<double>(end) * static_cast<double>(number) /
                             static_cast<double>(moments - 1));
}

/// Tokens at each moment.
std::vector<double> levels(const OccupancySeries& series, Cycles run, Cycles end) {
  std::vector<double> found(moments);
  auto next = series.samples.begin();
  double level = 0;
  for (std::size_t moment = 0; moment < moments; ++moment) {
    const Cycles at = momentOf(moment, end);
    for (; next != series.samples.end() && next->time <= at; ++next) level = next->last;
    found[moment] = at > run ? 0 : level;
  }
  return found;
}

/// Values of all traces, by stream and moment.
using Levels = std::vector<std::vector<std::vector<double>>>;

void addRun(const PointResult& run, const std::vector<std::string>& streams, Cycles end, Levels& into) {
  const auto& all = run.symbolic.graph.streams;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    const auto at = std::ranges::find(all, streams[s], &FlatStream::name);
    const auto index = static_cast<std::size_t>(at - all.begin());
    const bool known = at != all.end() && index < run.simulation.occupancy.size();
    const std::vector<double> found =
        known ? levels(run.simulation.occupancy[index], run.simulation.cycles, end)
              : std::vector<double>(moments);
    for (std::size_t moment = 0; moment < moments; ++moment) into[s][moment].push_back(found[moment]);
  }
}

}  // namespace

Result<std::vector<OccupancyBand>> occupancyBands(const WorkloadSet& set, const KnobValues& knobs,
                                                  const std::vector<std::string>& streams, Cycles end,
                                                  Executor& executor, const std::stop_token& stop) {
  Levels all(streams.size(), std::vector<std::vector<double>>(moments));
  Diagnostics refused;
  std::mutex mutex;
  executor.parallelFor(
      set.traces.size(),
      [&](std::size_t trace) {
        const Result<PointResult> run = evaluate(set.at(trace), knobs, RecordMode::Record, stop);
        const std::lock_guard lock(mutex);
        if (run)
          addRun(*run, streams, end, all);
        else if (refused.empty())
          refused = run.diagnostics();
      },
      stop);
  if (stop.stop_requested()) return cancelledDiagnostic();
  if (!refused.empty()) return refused;
  std::vector<OccupancyBand> bands;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    OccupancyBand band{streams[s], {}, {}, {}, {}};
    for (std::size_t moment = 0; moment < moments; ++moment) {
      std::vector<double>& values = all[s][moment];
      std::ranges::sort(values);
      band.cycles.push_back(static_cast<double>(momentOf(moment, end)));
      band.low.push_back(quantileOf(values, 0.05));
      band.middle.push_back(quantileOf(values, 0.5));
      band.high.push_back(quantileOf(values, 0.95));
    }
    bands.push_back(std::move(band));
  }
  return bands;
}

}  // namespace sluice::inline distributions
