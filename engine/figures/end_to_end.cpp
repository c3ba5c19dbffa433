// Figure 17: decoder layers of Mixtral 8x7B and Qwen3-30B-A3B in one graph (STeP 5.5;
// engine/figures/README.md 7).
//
// Published: that projections and attention are parallel over the batch by four, the static baselines
// (interleaved attention with the memory-matched and the performance-matched tile of the experts), the
// dynamic schedule (dynamic tiles, dynamic parallelization, for Qwen 32 regions), lengths of median
// deviation, and the bars. From the bars follow the experts' part (f = 64 and 48, 1024 FLOPs per cycle and
// operator) and what is left for projections and attention: 6 123 826 and 3 847 440 bytes, 131 072 FLOPs per
// cycle.
//
// Ours: everything else about the projections, which are in no artifact, and the choices that README.md
// names. Each is an assumption below: it is run too, alone or with others, and where a bar is not met the
// figure names the assumption under which it comes nearest, with what it gives.

#include <array>
#include <cmath>

#include "engine/figures/experiment.h"

namespace sluice::inline figures {
namespace {

/// Of the traces of 64 requests whose deviation the paper calls median, the one in the middle.
constexpr std::size_t median_trace = 3123;

struct Metric {
  const char* name;  ///< and column of the published table
  const char* title;
};
constexpr Metric metrics[] = {{"speed_up", "Speed-up over memory-matched"},
                              {"on_chip_mebibytes", "On-chip memory (MiB)"},
                              {"allocated_kiloflops_per_cycle", "Allocated compute (1000 FLOPs per cycle)"}};
constexpr std::size_t speed_up = 0, on_chip = 1, compute = 2;  // of metrics

struct Model {
  std::string series, name;  ///< name: of the workload builder and of the trace set
  bool forgets_sum;          ///< the dynamic value leaves out the last Accum (README.md 4)
  /// Beside those of the workload. Qwen3 has four key-value heads of 128: as D = H q d is 2048 here, eight of
  /// 64, which take as long.
  Sizes sizes;
  Sizes experts;  ///< of the experts alone

  /// The published bars, a schedule each: memory-matched, performance-matched, dynamic.
  PublishedTable schedules() const {
    PublishedTable own;
    for (const PublishedRow& row : publishedTable("fig17"))
      if (row.text("model") == series) own.push_back(row);
    return own;
  }
};

std::vector<Model> models() {
  return {{"mixtral", "mixtral_b64", true, {{"H", 8}, {"q", 4}}, {{"f", 64}, {"compute", 1024}}},
          {"qwen", "qwen_b64", false, {{"H", 8}, {"q", 4}}, {{"f", 48}, {"compute", 1024}}}};
}

Sizes onePass() {
  return {{"rows", 16}, {"q_cols", 16}, {"kv_cols", 16}};
}
Sizes withOneHead(Sizes sizes) {
  sizes.insert({{"H", 1}, {"q", 32}});
  return sizes;
}

/// What the paper leaves open, and one way to take it.
struct Assumption {
  const char* name;  ///< "" for the figure's own
  Sizes sizes = {};
  std::map<std::string, std::string> knobs = {};
  std::size_t start = median_trace;
  std::vector<std::int64_t> routing = {};  ///< tokens of each expert instead of the trace's
  enum class Form { OneGraph, TwoLayers, Parts } form = Form::OneGraph;
};

const std::vector<Assumption>& assumptionsOf(const std::string& series) {
  using Form = Assumption::Form;
  const auto both = [](std::vector<Assumption> own) {
    std::vector<Assumption> all{
        {""},
        {"lengths of requests 4007 and after", {}, {}, 4007},
        {"lengths of requests 733 and after", {}, {}, 733},
        {"projections of one request at a time", {{"rows", 1}}},
        {"attention of one key-value head, as in Figures 14 and 15", {{"H", 1}, {"q", 32}}},
        {"experts with 4096 FLOPs per cycle, as in Figure 9", {{"compute", 4096}}},
        {"batch parallel by eight", {}, {{"copies", "8"}, {"ways", "8"}}},
        {"FIFOs of one token, as in Figures 14 and 15", {{"depth", 1}}},
        {"FIFOs of 1024 tokens", {{"depth", 1024}}},
        {"two layers in one graph", {}, {}, median_trace, {}, Form::TwoLayers},
        {"projections, attention and experts one after the other", {}, {}, median_trace, {}, Form::Parts}};
    all.insert(all.end(), own.begin(), own.end());
    return all;
  };
  // The routing trace's busiest expert has 24 of 128 tokens; these leave the tiles of 16 as they are.
  static const std::map<std::string, std::vector<Assumption>> all{
      {"mixtral", both({{"projections in one pass over their weights", onePass()},
                        {"projections of two requests at a time, experts as in Figure 9",
                         {{"rows", 2}, {"q_cols", 32}, {"kv_cols", 64}, {"compute", 4096}}},
                        {"a routing whose busiest expert has 27 tokens",
                         {},
                         {},
                         median_trace,
                         {12, 9, 17, 13, 17, 10, 27, 23}},
                        {"one pass, one key-value head, busiest expert with 29 tokens",
                         withOneHead(onePass()),
                         {},
                         median_trace,
                         {12, 9, 17, 12, 17, 9, 29, 23}}})},
      {"qwen", both({{"four key-value heads of 64, as in Figures 14 and 15", {{"H", 4}, {"q", 8}}},
                     {"lengths of requests 733 and after, projection tiles of 32 columns",
                      {{"q_cols", 32}, {"kv_cols", 32}},
                      {},
                      733},
                     {"projection tiles of 32 columns", {{"q_cols", 32}, {"kv_cols", 32}}}})}};
  return all.at(series);
}

/// One schedule under an assumption.
struct Measured {
  std::array<double, std::size(metrics)> values = {};
  FigureInputs inputs = {};
};
using ScheduleBars = std::array<Measured, 3>;  ///< of the schedules

/// A schedule under an assumption: parts, and how often each runs; their cycles add up.
using Run = std::vector<std::pair<Experiment, double>>;

Run runOf(const Model& model, const PublishedRow& schedule, const Assumption& assumption) {
  const auto part = [&](const char* workload, const Sizes& sizes,
                        std::initializer_list<const char*> own_knobs) {
    std::map<std::string, std::string> knobs = assumption.knobs;
    for (const char* knob : own_knobs)
      if (!schedule.text(knob).empty()) knobs[knob] = schedule.text(knob);
    return Experiment{workload, model.name, sizes, knobs, 64, assumption.start, assumption.routing};
  };
  if (assumption.form == Assumption::Form::Parts) {
    return {{part("qkv", model.sizes, {}), 1},
            {part("attention", {{"q", model.sizes.at("q")}}, {"method"}),
             static_cast<double>(model.sizes.at("H"))},
            {part("moe", model.experts, {"tiling", "tile", "regions"}), 1}};
  }
  Sizes sizes = assumption.sizes;
  sizes.insert(model.sizes.begin(), model.sizes.end());
  const bool two = assumption.form == Assumption::Form::TwoLayers;
  return {{part(two ? "whole_model" : "decoder_layer", sizes, {"method", "tiling", "tile", "regions"}), 1}};
}

/// All assumptions of all models: by model, assumption.
Result<std::vector<std::vector<ScheduleBars>>> measure(const FigureRequest& request) {
  std::vector<Experiment> experiments;
  std::vector<std::vector<double>> times;  // of the parts of each run
  for (const Model& model : models()) {
    for (const Assumption& assumption : assumptionsOf(model.series)) {
      for (const PublishedRow& schedule : model.schedules()) {
        times.emplace_back();
        for (auto& [experiment, count] : runOf(model, schedule, assumption)) {
          experiments.push_back(std::move(experiment));
          times.back().push_back(count);
        }
      }
    }
  }
  SLUICE_TRY(const std::vector<Outcome> outcomes, runAll(experiments, request));
  std::vector<std::vector<ScheduleBars>> all;
  auto outcome = outcomes.begin();
  auto run = times.begin();
  for (const Model& model : models()) {
    std::vector<ScheduleBars>& of_model = all.emplace_back();
    for (std::size_t a = 0; a < assumptionsOf(model.series).size(); ++a) {
      ScheduleBars& bars = of_model.emplace_back();
      double base = 0;
      for (std::size_t s = 0; s < bars.size(); ++s, ++run) {
        double cycles = 0;
        for (const double count : *run) {
          cycles += count * static_cast<double>(outcome->metrics.cycles);
          bars[s].values[on_chip] += static_cast<double>(outcome->metrics.on_chip_bytes) / (1024 * 1024);
          bars[s].values[compute] += outcome->compute / 1000;
          bars[s].inputs.add((outcome++)->inputs);
        }
        if (s == 0) base = cycles;
        bars[s].values[speed_up] = base / cycles;
        if (s == 2 && model.forgets_sum) bars[s].values[compute] -= 1.024;
      }
    }
  }
  return all;
}

/// Memory and compute are those of one layer's graph only.
bool comparable(const Assumption& assumption, std::size_t metric) {
  return assumption.form == Assumption::Form::OneGraph || metric == speed_up;
}

/// Every bar under every assumption: the figure's own, then the others as series of their own.
void reportBars(Report& report, const Model& model, const std::vector<ScheduleBars>& bars) {
  const std::vector<Assumption>& assumptions = assumptionsOf(model.series);
  const PublishedTable schedules = model.schedules();
  for (std::size_t a = 0; a < bars.size(); ++a) {
    const std::string series = model.series + (a == 0 ? "" : ", ") + assumptions[a].name;
    for (std::size_t s = 0; s < schedules.size(); ++s) {
      for (std::size_t m = 0; m < std::size(metrics); ++m) {
        if (!comparable(assumptions[a], m)) continue;
        report.point(series, schedules[s].text("schedule"), metrics[m].name,
                     schedules[s].number(metrics[m].name), bars[a][s].values[m], bars[a][s].inputs);
      }
    }
  }
}

/// Of each bar that is not met, the assumption that brings it nearest, if one does.
void reportDeciding(Report& report, const Model& model, const std::vector<ScheduleBars>& bars) {
  const std::vector<Assumption>& assumptions = assumptionsOf(model.series);
  const PublishedTable schedules = model.schedules();
  for (std::size_t s = 0; s < schedules.size(); ++s) {
    for (std::size_t m = 0; m < std::size(metrics); ++m) {
      const double published = schedules[s].number(metrics[m].name);
      const auto distance = [&](std::size_t a) { return std::abs(bars[a][s].values[m] / published - 1); };
      std::size_t nearest = 0;
      for (std::size_t a = 1; a < bars.size(); ++a)
        if (comparable(assumptions[a], m) && distance(a) < distance(nearest)) nearest = a;
      if (distance(0) <= schedules[s].number("reading_error") || nearest == 0) continue;
      report.claim(model.series + ", " + schedules[s].text("schedule") + ", " + metrics[m].name +
                       ": decided by " + assumptions[nearest].name,
                   published, bars[nearest][s].values[m], bars[nearest][s].inputs);
    }
  }
}

void addChart(FigureResult& figure, const Metric& metric) {
  FigureChart chart{.name = std::string("fig17_") + metric.name,
                    .title = "Decoder layer",
                    .x_label = "",
                    .y_label = metric.title,
                    .bars = true};
  FigureResult own;  // without the assumptions
  for (const Model& model : models()) {
    for (const FigurePoint& point : figure.points) {
      if (point.series != model.series || point.metric != metric.name) continue;
      chart.categories.push_back(model.series + " " + point.point);
      own.points.push_back(point);
    }
  }
  addBars(chart, own, {{"", "", metric.name}});
  figure.charts.push_back(std::move(chart));
}

}  // namespace

Result<FigureResult> fig17(const FigureRequest& request) {
  FigureResult figure;
  SLUICE_TRY(const std::vector<std::vector<ScheduleBars>> measured, measure(request));
  Report report(figure);
  for (std::size_t m = 0; m < models().size(); ++m) reportBars(report, models()[m], measured[m]);
  report.claimsOfPoints("fig17");
  for (std::size_t m = 0; m < models().size(); ++m) reportDeciding(report, models()[m], measured[m]);
  for (const Metric& metric : metrics) addChart(figure, metric);
  figure.notes.push_back(
      "the projections of the published graph are in no artifact: ours are chosen by the published on-chip "
      "memory; the series behind a comma are the same bars under another assumption, and the claims "
      "\"decided "
      "by\" name the one that brings a bar nearest (engine/figures/README.md)");
  return figure;
}

}  // namespace sluice::inline figures
