// sluice-cli schedule: what each step of a file's schedule changes, and the program that comes out.

#include <cmath>
#include <iostream>
#include <memory>
#include <utility>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "app/cli/trust_report.h"
#include "app/cli/written_program.h"
#include "engine/core/atomic_file.h"
#include "engine/explorer/preview.h"

namespace sluice::cli {
namespace {

struct ScheduleOptions : FileOptions {
  std::string output;
  bool cycles = false;
};

Json valuesJson(const CostValues& values) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(std::llround(*value)) : Json(nullptr);
  };
  Json json;
  for (const MetricSpec* metric : registeredMetrics())
    if (metric->formula.isTerm()) json[metric->name] = number(metric->formula.value(values));
  json["compute"] = number(values.compute);
  return json;
}

Json toJson(const std::vector<StepPreview>& previews) {
  Json steps = Json::array();
  for (const StepPreview& preview : previews) {
    Json shapes = Json::array();
    for (const StepPreview::Shape& shape : preview.shapes) {
      const auto type = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
      shapes.push_back(
          {{"output", shape.output}, {"before", type(shape.before)}, {"after", type(shape.after)}});
    }
    const PatchSummary nodes = summary(preview.patch);
    steps.push_back({{"step", preview.place},
                     {"added", nodes.added},
                     {"removed", nodes.removed},
                     {"changed", nodes.changed},
                     {"before", valuesJson(preview.before)},
                     {"after", valuesJson(preview.after)},
                     {"shapes", std::move(shapes)}});
  }
  return steps;
}

/// Adds the cycles before and behind each step: null where the program does not run to its end there.
void addCycles(const Opened& opened, Json& steps) {
  const auto cyclesOf = [](const std::optional<DesignPoint>& point) {
    return point && measured(*point) ? Json(std::llround(metric(*point, "cycles"))) : Json(nullptr);
  };
  const std::vector<ScheduleStep>& schedule = opened.workload->document.schedule;
  Json before = cyclesOf(runWithSteps(*opened.workload, 0, opened.knobs));
  std::size_t shown = 0;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    if (!schedule[i].enabled) continue;
    Json after = cyclesOf(runWithSteps(*opened.workload, i + 1, opened.knobs));
    Json& step = steps[shown++];
    step["before"]["cycles"] = std::exchange(before, after);
    step["after"]["cycles"] = std::move(after);
  }
}

void printStep(const Json& step) {
  std::cout << written(step["step"]) << "\n";
  for (const auto& [member, title] :
       {std::pair("added", "new"), {"removed", "gone"}, {"changed", "changed"}}) {
    if (!step[member].empty()) std::cout << "  " << title << ":";
    for (const Json& name : step[member]) std::cout << " " << written(name);
    if (!step[member].empty()) std::cout << "\n";
  }
  const auto total = [](const Json& value) { return value.is_null() ? "?" : written(value); };
  Table totals({"  total", "before", "after"});
  const auto row = [&](const std::string& title, const std::string& member) {
    totals.row({"  " + title, total(step["before"][member]), total(step["after"][member])});
  };
  for (const MetricSpec* metric : registeredMetrics())
    if (metric->formula.isTerm()) row(metric->column, metric->name);
  row("FLOPs/cycle allocated", "compute");
  if (step["before"].contains("cycles")) row("cycles, simulated", "cycles");
  totals.print(std::cout);
  const auto indented = [](const Json& output) { return "  " + written(output); };
  if (!step["shapes"].empty())
    tableOf(step["shapes"], {{"output", "  output", indented}, {"before", "before"}, {"after", "after"}}, 3)
        .print(std::cout);
  std::cout << "\n";
}

void printSchedule(const Json& report) {
  for (const Json& step : report["steps"]) printStep(step);
  if (report["steps"].empty())
    std::cout << "The file has no schedule.\n";
  else if (report.contains("trust"))
    std::cout << trustLine({});
}

/// The program after its schedule, as a document of its own.
Result<Done> writeScheduled(const Opened& opened, const std::string& input, const std::string& file) {
  SLUICE_TRY(const ScheduledProgram scheduled,
             applySchedule(opened.workload->document, opened.workload->inputs, opened.knobs));
  return writeProgram(scheduled.document, input, file);
}

int run(const ScheduleOptions& options) {
  const Result<Opened> opened = open(options);
  if (!opened) return fail(opened.diagnostics(), options.json);
  const Result<std::vector<StepPreview>> previews = previewSchedule(*opened->workload, opened->knobs);
  if (!previews) return fail(previews.diagnostics(), options.json);
  if (!options.output.empty()) {
    if (const Result<Done> done = writeScheduled(*opened, options.file, options.output); !done)
      return fail(done.diagnostics(), options.json);
  }
  Json steps = toJson(*previews);
  if (options.cycles) addCycles(*opened, steps);
  Json report = {{"file", options.file}, {"steps", std::move(steps)}};
  if (options.cycles) report["trust"] = trustJson({});
  return show(report, options.json, printSchedule);
}

}  // namespace

Command scheduleCommand() {
  const auto options = std::make_shared<ScheduleOptions>();
  Command command{
      .name = "schedule",
      .summary = "what each step of the schedule changes: operators, shapes, memory, traffic",
      .examples = {{"schedule sample_workloads/moe_three_ways.sluice --cycles", "what every step brings"},
                   {"schedule sample_workloads/moe_three_ways.sluice -o scheduled.sluice",
                    "the program that the steps make"}},
      .options = pointOptions(*options),
      .run = [options](Process&) { return run(*options); }};
  command.add(output_option, options->output, "write the program after the schedule to this file");
  command.add("--cycles", options->cycles, "simulate before and behind each step, and show the cycles");
  return command;
}

}  // namespace sluice::cli
