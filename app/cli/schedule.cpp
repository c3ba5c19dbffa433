// sluice-cli schedule: what each step of a file's schedule changes, and the program that comes out.

#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/table.h"
#include "engine/core/atomic_file.h"
#include "engine/explorer/preview.h"
#include "engine/program/file_format.h"

namespace sluice::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ScheduleOptions : FileOptions {
  std::string output;
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

std::string names(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& name : list) text += " " + name;
  return text;
}

void print(const StepPreview& preview) {
  const auto value = [](const std::optional<double>& number) {
    return number ? grouped(static_cast<std::uint64_t>(std::llround(*number))) : "?";
  };
  std::cout << preview.place << "\n";
  const PatchSummary nodes = summary(preview.patch);
  if (!nodes.added.empty()) std::cout << "  new:" << names(nodes.added) << "\n";
  if (!nodes.removed.empty()) std::cout << "  gone:" << names(nodes.removed) << "\n";
  if (!nodes.changed.empty()) std::cout << "  changed:" << names(nodes.changed) << "\n";
  const auto &before = preview.before, &after = preview.after;
  Table totals({"  total", "before", "after"});
  for (const MetricSpec* metric : registeredMetrics()) {
    const CostFormula& formula = metric->formula;
    if (formula.isTerm())
      totals.row({"  " + metric->column, value(formula.value(before)), value(formula.value(after))});
  }
  totals.row({"  FLOPs/cycle allocated", value(before.compute), value(after.compute)});
  totals.print(std::cout);
  Table shapes({"  output", "before", "after"}, 3);
  for (const StepPreview::Shape& shape : preview.shapes)
    shapes.row({"  " + shape.output, shape.before.empty() ? "-" : shape.before,
                shape.after.empty() ? "-" : shape.after});
  if (!preview.shapes.empty()) shapes.print(std::cout);
  std::cout << "\n";
}

/// The program after its schedule, as a document of its own.
Result<Done> writeScheduled(const Opened& opened, const std::string& file) {
  Result<Scheme> scheme = applySchedule(opened.workload->document, opened.workload->inputs, opened.knobs);
  if (!scheme) return scheme.diagnostics();
  return writeFileAtomically(file, writeDocument(scheme->document));
}

int run(const ScheduleOptions& options) {
  const Result<Opened> opened = open(options);
  if (!opened) return fail(opened.diagnostics(), options.json);
  const Result<std::vector<StepPreview>> previews = previewSchedule(*opened->workload, opened->knobs);
  if (!previews) return fail(previews.diagnostics(), options.json);
  if (!options.output.empty()) {
    if (const Result<Done> done = writeScheduled(*opened, options.output); !done)
      return fail(done.diagnostics(), options.json);
  }
  if (options.json) {
    printJson(Json{{"file", options.file}, {"steps", toJson(*previews)}});
    return exitDone;
  }
  for (const StepPreview& preview : *previews) print(preview);
  if (previews->empty()) std::cout << "The file has no schedule.\n";
  return exitDone;
}

}  // namespace

Command scheduleCommand() {
  const auto options = std::make_shared<ScheduleOptions>();
  Command command{.name = "schedule",
                  .summary = "what each step of the schedule changes: operators, shapes, memory, traffic",
                  .options = pointOptions(*options),
                  .run = [options](Process&) { return run(*options); }};
  command.add("-o,--output", options->output, "write the program after the schedule to this file");
  return command;
}

}  // namespace sluice::cli
