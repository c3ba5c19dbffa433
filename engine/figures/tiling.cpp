// Figures 9, 10, 19 and 20: static tiles of every size against dynamic tiling, on Mixtral 8x7B and
// Qwen3-30B-A3B (STeP 5.2, B.4; engine/figures/README.md 3). Dynamic tiling runs with 6400 FLOPs per cycle
// and operator, static with 4096, as in the authors' scripts.

#include "engine/explorer/statistics.h"
#include "engine/figures/experiment.h"

namespace sluice::figures {
namespace {

struct Published {
  std::string tile;  ///< "dynamic" or rows
  std::optional<double> cycles, on_chip, traffic;
};

struct Study {
  std::string model;   ///< of the workload builder and of the trace set
  std::string series;  ///< "mixtral"
  std::vector<Published> points;
};

// Published values: figures 9, 10, 19 and 20 of the paper and the numbers behind them.
std::vector<Study> batch64() {
  return {{"mixtral_b64",
           "mixtral",
           {{"8", 7418869, 15769602, 7048003840},
            {"16", 4644975, 18915330, 4229431552},
            {"32", 2810596, 25206786, 2820145408},
            {"64", 2810632, 37789698, 2820145408},
            {"dynamic", 2817877, 18915330, 2820145408}}},
          {"qwen_b64",
           "qwen",
           {{"8", 981744, 125849602, 897319936},
            {"16", 712133, 151015426, 680264704},
            {"32", 615820, 201347074, 576455680},
            {"64", 576400, 302010370, 567018496},
            {"dynamic", 580803, 59789314, 567018496}}}};
}

std::vector<Study> batch1024() {
  return {{"mixtral_b1024",
           "mixtral",
           {{"16", {}, {}, {}},
            {"32", {}, {}, {}},
            {"64", {}, {}, {}},
            {"128", 14761038, 62955522, {}},
            {"256", 14870881, 113287170, 3900706816},
            {"512", {}, {}, {}},
            {"1024", {}, {}, {}},
            {"dynamic", 7942058, 113287170, 2843742208}}},
          {"qwen_b1024",
           "qwen",
           {{"16", 5617618, 151015426, 5287985152},
            {"32", 2970944, 201347074, 2938126336},
            {"64", 1815418, 302010370, 1758478336},
            {"128", 1243546, 503336962, 1173372928},
            {"256", 1101555, 905990146, 928006144},
            {"512", 1193746, 1711296514, 824197120},
            {"1024", 1083831, 3321909250, 795885568},
            {"dynamic", 971904, 266620930, 795885568}}}};
}

struct Measured {
  double cycles = 0, on_chip = 0, traffic = 0;
  FigureInputs inputs;
};
using Series = std::map<std::string, Measured>;  ///< by tile

Result<std::vector<Series>> measure(const std::vector<Study>& studies, const FigureRequest& request) {
  Traces traces(request);
  std::vector<Experiment> experiments;
  for (const Study& study : studies) {
    for (const bool dynamic : {false, true}) {
      Result<Document> document = buildWorkload("moe", study.model, {{"compute", dynamic ? 6400 : 4096}});
      if (!document) return document.diagnostics();
      const Result<FigureInputs> inputs = traces.bindRouting(*document, study.model);
      if (!inputs) return inputs.diagnostics();
      for (const Published& point : study.points) {
        if ((point.tile == "dynamic") != dynamic) continue;
        const std::map<std::string, std::string> knobs =
            dynamic ? std::map<std::string, std::string>{{"tiling", "dynamic"}}
                    : std::map<std::string, std::string>{{"tiling", "static"}, {"tile", point.tile}};
        experiments.push_back({*document, knobsOf(*document, knobs), *inputs});
      }
    }
  }
  const Result<std::vector<Outcome>> outcomes = runAll(experiments, request);
  if (!outcomes) return outcomes.diagnostics();
  std::vector<Series> all;
  std::size_t next = 0;
  for (const Study& study : studies) {
    Series& series = all.emplace_back();
    for (const Published& point : study.points) {
      const Outcome& outcome = (*outcomes)[next++];
      // The paper counts all experts for static tiles, the active ones for dynamic
      // (engine/figures/README.md 3).
      const bool dynamic = point.tile == "dynamic";
      series[point.tile] = {
          static_cast<double>(outcome.metrics.cycles),
          dynamic ? outcome.active_on_chip_bytes : static_cast<double>(outcome.metrics.on_chip_bytes),
          static_cast<double>(outcome.metrics.off_chip_bytes), outcome.inputs};
    }
  }
  return all;
}

FigureChart chartOf(const std::string& name, const Study& study, const Series& ours, bool traffic) {
  FigureChart chart;
  chart.name = name + "_" + study.series;
  chart.title = std::string(study.series == "mixtral" ? "Mixtral 8×7B" : "Qwen3-30B-A3B") + ", batch " +
                study.model.substr(study.model.find("_b") + 2);
  chart.x_label = "On-chip memory (bytes)";
  chart.y_label = traffic ? "Off-chip traffic (bytes)" : "Cycles";
  chart.log_x = chart.log_y = true;
  FigureChart::Curve curves[] = {{"static", {}, {}, {}, false},
                                 {"dynamic", {}, {}, {}, false},
                                 {"static, published", {}, {}, {}, true},
                                 {"dynamic, published", {}, {}, {}, true}};
  for (const Published& point : study.points) {
    const bool dynamic = point.tile == "dynamic";
    const Measured& measured = ours.at(point.tile);
    FigureChart::Curve& mine = curves[dynamic ? 1 : 0];
    mine.x.push_back(measured.on_chip);
    mine.y.push_back(traffic ? measured.traffic : measured.cycles);
    mine.labels.push_back(dynamic ? "" : mine.labels.empty() ? "tile " + point.tile : point.tile);
    const std::optional<double>& published = traffic ? point.traffic : point.cycles;
    if (!published || !point.on_chip) continue;
    FigureChart::Curve& theirs = curves[dynamic ? 3 : 2];
    theirs.x.push_back(*point.on_chip);
    theirs.y.push_back(*published);
    theirs.labels.emplace_back();  // it stands beside ours
  }
  chart.curves.assign(std::begin(curves), std::end(curves));
  return chart;
}

double pid(const Series& series) {
  std::vector<double> frontier;
  for (const auto& [tile, measured] : series)
    if (tile != "dynamic") frontier.insert(frontier.end(), {measured.cycles, measured.on_chip});
  const Measured& dynamic = series.at("dynamic");
  return paretoImprovementDistance(dynamic.cycles, dynamic.on_chip, frontier);
}

Result<FigureResult> study(const std::string& name, const std::vector<Study>& studies, bool traffic,
                           const FigureRequest& request,
                           void (*claims)(Report&, const Series&, const Series&)) {
  FigureResult figure;
  const Result<std::vector<Series>> series = measure(studies, request);
  if (!series) return series.diagnostics();
  Report report(figure);
  for (std::size_t i = 0; i < studies.size(); ++i) {
    for (const Published& point : studies[i].points) {
      const Measured& ours = (*series)[i].at(point.tile);
      const std::string which = point.tile == "dynamic" ? "dynamic" : "tile " + point.tile;
      if (traffic) {
        report.point(studies[i].series, which, "off_chip_bytes", point.traffic, ours.traffic, ours.inputs);
      } else {
        report.point(studies[i].series, which, "cycles", point.cycles, ours.cycles, ours.inputs);
      }
      report.point(studies[i].series, which, "on_chip_bytes", point.on_chip, ours.on_chip, ours.inputs);
    }
    figure.charts.push_back(chartOf(name, studies[i], (*series)[i], traffic));
  }
  claims(report, (*series)[0], (*series)[1]);
  return figure;
}

}  // namespace

Result<FigureResult> fig9(const FigureRequest& request) {
  return study(
      "fig9", batch64(), false, request, [](Report& report, const Series& mixtral, const Series& qwen) {
        const Measured &m = mixtral.at("dynamic"), &q = qwen.at("dynamic");
        report.claim("Mixtral: dynamic over tile 16, speed-up", 1.65, mixtral.at("16").cycles / m.cycles,
                     m.inputs);
        report.claim("Mixtral: on-chip saving against tile 32", 1.33, mixtral.at("32").on_chip / m.on_chip,
                     m.inputs);
        report.claim("Mixtral: dynamic over tile 32, cycles", 1.0026, m.cycles / mixtral.at("32").cycles,
                     m.inputs);
        report.claim("Qwen: dynamic over tile 8, speed-up", 1.69, qwen.at("8").cycles / q.cycles, q.inputs);
        report.claim("Qwen: on-chip saving against tile 8", 2.1, qwen.at("8").on_chip / q.on_chip, q.inputs);
        report.claim("Qwen: on-chip saving against tile 64", 5.05, qwen.at("64").on_chip / q.on_chip,
                     q.inputs);
        report.claim("Qwen: dynamic over tile 64, cycles", 1.0076, q.cycles / qwen.at("64").cycles, q.inputs);
        report.claim("Mixtral: Pareto improvement distance", 1.33, pid(mixtral), m.inputs);
        report.claim("Qwen: Pareto improvement distance", 2.11, pid(qwen), q.inputs);
      });
}

Result<FigureResult> fig10(const FigureRequest& request) {
  return study(
      "fig10", batch1024(), false, request, [](Report& report, const Series& mixtral, const Series& qwen) {
        const Measured &m = mixtral.at("dynamic"), &q = qwen.at("dynamic");
        report.claim("Mixtral: dynamic over tile 128, speed-up", 1.86, mixtral.at("128").cycles / m.cycles,
                     m.inputs);
        report.claim("Mixtral: on-chip memory against tile 128", 1.79, m.on_chip / mixtral.at("128").on_chip,
                     m.inputs);
        report.claim("Mixtral: dynamic over tile 256, speed-up", 1.87, mixtral.at("256").cycles / m.cycles,
                     m.inputs);
        report.claim("Qwen: dynamic over tile 64, speed-up", 1.87, qwen.at("64").cycles / q.cycles, q.inputs);
        report.claim("Qwen: on-chip saving against tile 64", 1.13, qwen.at("64").on_chip / q.on_chip,
                     q.inputs);
        report.claim("Qwen: dynamic over tile 1024, speed-up", 1.12, qwen.at("1024").cycles / q.cycles,
                     q.inputs);
        report.claim("Qwen: on-chip saving against tile 1024", 12.5, qwen.at("1024").on_chip / q.on_chip,
                     q.inputs);
        report.claim("Mixtral: Pareto improvement distance", 1.86, pid(mixtral), m.inputs);
        report.claim("Qwen: Pareto improvement distance", 1.87, pid(qwen), q.inputs);
      });
}

Result<FigureResult> fig19(const FigureRequest& request) {
  return study("fig19", batch64(), true, request, [](Report& report, const Series&, const Series& qwen) {
    report.claim("Qwen: traffic of tile 8 against dynamic", 1.58,
                 qwen.at("8").traffic / qwen.at("dynamic").traffic, qwen.at("8").inputs);
  });
}

Result<FigureResult> fig20(const FigureRequest& request) {
  return study(
      "fig20", batch1024(), true, request, [](Report& report, const Series& mixtral, const Series& qwen) {
        report.claim("Mixtral: traffic of tile 256 against dynamic", 1.37,
                     mixtral.at("256").traffic / mixtral.at("dynamic").traffic, mixtral.at("256").inputs);
        report.claim("Qwen: traffic of tile 64 against dynamic", 2.21,
                     qwen.at("64").traffic / qwen.at("dynamic").traffic, qwen.at("64").inputs);
      });
}

}  // namespace sluice::figures
