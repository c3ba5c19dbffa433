#include "engine/figures/generated_traces.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/cancelled.h"
#include "engine/core/csv.h"
#include "engine/distributions/frontier_shares.h"
#include "engine/distributions/trace_evaluator.h"
#include "engine/figures/built_experiment.h"
#include "engine/program/spelling.h"
#include "engine/traces/generated_routing.h"

namespace sluice::inline figures {
namespace {

/// A design, by the name that the figure gives it.
struct Design {
  std::string series, point;
  Experiment experiment;
};

std::vector<Design> designsOf(const std::string& figure) {
  std::vector<Design> designs;
  for (const PublishedRow& row : publishedTable(figure)) {
    if (figure != "fig14") {
      const std::string &model = row.text("model"), &tile = row.text("tile");
      designs.push_back({model.substr(0, model.find('_')), tile == "dynamic" ? tile : "tile " + tile,
                         tilingExperiment(row)});
      continue;
    }
    for (const char* method : {"interleaved", "dynamic"})
      designs.push_back({row.text("variance") + ", start " + row.text("start"), method,
                         attentionExperiment(64, row.integer("start"), method)});
  }
  return designs;
}

std::string lengthsLike(const IntTensor& lengths, std::size_t traces) {
  const auto count = static_cast<double>(lengths.data.size());
  double mean = 0, square = 0;
  for (const std::int64_t length : lengths.data) mean += static_cast<double>(length) / count;
  for (const std::int64_t length : lengths.data)
    square += std::pow(static_cast<double>(length) - mean, 2) / count;
  const auto [least, most] = std::ranges::minmax(lengths.data);
  return "set:lognormal,count=" + std::to_string(traces) + ",batch=" + std::to_string(lengths.data.size()) +
         ",mean=" + csvNumber(std::round(mean)) + ",deviation=" + csvNumber(std::round(std::sqrt(square))) +
         ",least=" + std::to_string(least) + ",most=" + std::to_string(most);
}

std::string routingLike(const InputData& routing, std::size_t traces) {
  const double skew = skewOf(routing.tensor, routing.experts);
  return "set:dirichlet,count=" + std::to_string(traces) +
         ",skew=" + csvNumber(std::round(1000 * skew) / 1000);
}

/// The same program with generated traces of the statistics of its own; `source` is reported.
Result<WorkloadSet> generated(const Workload& workload, std::size_t traces, std::string& source) {
  Document document = workload.document;
  for (Input& input : document.inputs) {
    const InputData& data = workload.inputs.at(input.name);
    if (input.kind == InputKind::Tensor) continue;
    const bool routing = input.kind == InputKind::Routing;
    source = routing ? routingLike(data, traces) : lengthsLike(data.tensor, traces);
    input.data.reset();
    input.counts.clear();
    input.file = source;
    if (!routing) continue;
    input.tokens = static_cast<std::int64_t>(data.tensor.shape.at(0));
    input.top_k = static_cast<std::int64_t>(data.tensor.shape.at(1));
    input.experts = data.experts;
  }
  return makeWorkloadSet(std::move(document), {});
}

struct Evaluated {
  GeneratedPoint point;
  PointSamples samples;
};

/// A set as good as the published trace where a run of it does not end says so.
Result<Evaluated> evaluateDesign(const Design& design, std::size_t traces, const FigureRequest& request,
                                 std::string& source) {
  SLUICE_TRY(const BuiltExperiment built, build(design.experiment, request));
  SLUICE_TRY(const PointResult published,
             evaluate(*built.workload, built.knobs, RecordMode::Count, request.stop));
  SLUICE_TRY(const WorkloadSet set, generated(*built.workload, traces, source));
  SLUICE_TRY(const auto samples, samplesOf(set, built.knobs, *request.executor, request.stop));
  if (!samples || published.simulation.cancelled) return cancelledDiagnostic();
  const MetricSpec& cycles = *findMetric("cycles");
  Evaluated evaluated{
      {design.series, design.point, static_cast<double>(published.point.metrics.cycles), {}, 0}, *samples};
  evaluated.point.cycles = summaryOf(*samples, cycles, {0.05, 0.5, 0.95});
  const std::vector<double> ordered = orderedValues(*samples, cycles);
  const auto above = std::ranges::upper_bound(ordered, evaluated.point.published_trace);
  evaluated.point.percentile =
      100 * static_cast<double>(above - ordered.begin()) / static_cast<double>(ordered.size());
  return evaluated;
}

/// Designs of one series in the order of the published trace, each against the next.
void addOrders(GeneratedTraces& result, std::vector<const Evaluated*> series) {
  std::ranges::stable_sort(series, {}, [](const Evaluated* each) { return each->point.published_trace; });
  const MetricSpec& cycles = *findMetric("cycles");
  for (std::size_t i = 1; i < series.size(); ++i) {
    const Evaluated &faster = *series[i - 1], &slower = *series[i];
    GeneratedOrder order{faster.point.series, faster.point.point, slower.point.point};
    std::vector<double> ratios;
    for (std::size_t trace = 0; trace < faster.samples.traces(); ++trace) {
      const double more = slower.samples.value(trace, cycles) - faster.samples.value(trace, cycles);
      if (std::isnan(more)) continue;
      ++order.compared;
      order.flipped += more < 0;
      ratios.push_back(slower.samples.value(trace, cycles) / faster.samples.value(trace, cycles));
    }
    std::ranges::sort(ratios);
    order.low = quantileOf(ratios, 0.05);
    order.high = quantileOf(ratios, 0.95);
    result.orders.push_back(std::move(order));
  }
}

/// Cycles of a design, by its value under the paper's trace.
void addCycleBands(FigureChart& chart, const GeneratedTraces& generated) {
  for (FigureChart::Curve& curve : chart.curves) {
    if (curve.published) continue;
    curve.low = curve.high = curve.y;
    for (std::size_t i = 0; i < curve.y.size(); ++i)
      for (const GeneratedPoint& point : generated.points)
        if (chart.name.ends_with(point.series) && point.published_trace == curve.y[i]) {
          curve.low[i] = point.cycles.quantiles.front();
          curve.high[i] = point.cycles.quantiles.back();
        }
  }
}

/// Of two designs the one over the other, in each category.
void addRatioBands(FigureChart& chart, const GeneratedTraces& generated) {
  for (FigureChart::Curve& curve : chart.curves) {
    if (curve.published) continue;
    curve.low = curve.high = curve.y;
    for (std::size_t i = 0; i < curve.y.size(); ++i) {
      const auto category = static_cast<std::size_t>(curve.x[i]);
      for (const GeneratedOrder& order : generated.orders) {
        std::string name = order.series;  // "high, start 1": "high 1"
        if (const auto at = name.find(", start"); at != std::string::npos) name.erase(at, 7);
        if (category >= chart.categories.size() || chart.categories[category] != name) continue;
        const bool dynamic_wins = order.faster == "dynamic";
        curve.low[i] = dynamic_wins ? order.low : 1 / order.high;
        curve.high[i] = dynamic_wins ? order.high : 1 / order.low;
      }
    }
  }
}

}  // namespace

void addBands(FigureResult& figure, const GeneratedTraces& generated) {
  for (FigureChart& chart : figure.charts)
    chart.bars ? addRatioBands(chart, generated) : addCycleBands(chart, generated);
}

std::vector<std::string> figuresWithTraces() {
  return {"fig9", "fig10", "fig14"};
}

Result<GeneratedTraces> underGeneratedTraces(const std::string& figure, std::size_t traces,
                                             const FigureRequest& request) {
  const std::vector<std::string> known = figuresWithTraces();
  if (std::ranges::find(known, figure) == known.end())
    return error("unknown-name", Location(Where::Figure, figure),
                 "it is not one whose designs are run under generated traces",
                 spellingFix(figure, known, ""));
  GeneratedTraces result{figure, traces, {}, {}, {}};
  std::vector<Evaluated> all;
  const std::vector<Design> designs = designsOf(figure);
  for (const Design& design : designs) {
    std::string source;
    SLUICE_TRY(Evaluated evaluated, evaluateDesign(design, traces, request, source));
    const std::string told = design.series + ": " + source;
    if (std::ranges::find(result.sources, told) == result.sources.end()) result.sources.push_back(told);
    result.points.push_back(evaluated.point);
    all.push_back(std::move(evaluated));
    if (request.progress) request.progress(all.size(), designs.size());
  }
  std::vector<const Evaluated*> series;
  for (const Evaluated& each : all) {
    if (!series.empty() && series.front()->point.series != each.point.series)
      addOrders(result, std::exchange(series, {}));
    series.push_back(&each);
  }
  addOrders(result, std::move(series));
  return result;
}

}  // namespace sluice::inline figures
