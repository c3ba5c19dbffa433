#include "widgets/plots/occupancy_traces.h"

#include <algorithm>
#include <utility>

#include "widgets/common/document_paths.h"

namespace sluice::ui {

double meanFill(const OccupancySeries& series, std::uint64_t depth, Cycles end) {
  if (end == 0 || depth == 0) return 0;
  double area = 0;
  for (std::size_t index = 0; index < series.samples.size(); ++index) {
    const OccupancySeries::Sample& sample = series.samples[index];
    const Cycles next = index + 1 < series.samples.size() ? series.samples[index + 1].time : end;
    const double level = series.interval > 1 ? (sample.low + sample.high) / 2.0 : sample.last;
    if (next > sample.time) area += level * static_cast<double>(next - sample.time);
  }
  return std::min(1.0, area / (static_cast<double>(depth) * static_cast<double>(end)));
}

std::vector<OccupancyTrace> fullestTraces(const PointResult& point, const std::string& stream) {
  const FlatGraph& graph = point.symbolic.graph;
  const SimulationResult& run = point.simulation;
  const std::string wanted = shortStreamName(stream);
  std::vector<std::pair<double, std::size_t>> chosen;
  for (std::size_t i = 0; i < std::min(graph.streams.size(), run.occupancy.size()); ++i) {
    const FlatStream& each = graph.streams[i];
    if (feedsInferredBroadcast(graph, each)) continue;
    if (!stream.empty() && each.origin != stream && shortStreamName(each.name) != wanted) continue;
    chosen.emplace_back(meanFill(run.occupancy[i], each.depth, run.cycles), i);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  chosen.resize(std::min(chosen.size(), most_traces));
  std::vector<OccupancyTrace> traces;
  for (const auto& [fill, i] : chosen)
    traces.push_back(
        {QString::fromStdString(graph.streams[i].name), graph.streams[i].depth, run.occupancy[i]});
  return traces;
}

std::vector<ChosenStreams::Chosen> ChosenStreams::choose(const std::vector<std::string>& candidates) {
  const auto find = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(candidates, name) - candidates.begin());
  };
  const auto lacks = [&](const std::string& name) { return find(name) == candidates.size(); };
  if (std::ranges::all_of(places_, lacks)) clear();
  if (std::exchange(other_program_, false)) std::ranges::replace_if(places_, lacks, std::string());
  std::size_t next = 0;
  std::vector<Chosen> chosen;
  for (std::size_t place = 0; place < places_.size(); ++place) {
    if (places_[place].empty()) {
      const auto is_placed = [&] { return std::ranges::find(places_, candidates[next]) != places_.end(); };
      while (next < candidates.size() && is_placed()) ++next;
      if (next < candidates.size()) places_[place] = candidates[next];
    }
    if (const std::size_t candidate = find(places_[place]); candidate < candidates.size())
      chosen.push_back({candidate, static_cast<int>(place)});
  }
  return chosen;
}

}  // namespace sluice::ui
