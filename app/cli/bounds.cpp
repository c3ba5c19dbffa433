// sluice-cli bounds: what no schedule of a program can beat on its machine, which bound binds, and how far
// the design at hand is from it.

#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/design_json.h"
#include "app/cli/metric_text.h"
#include "app/cli/point_json.h"
#include "app/cli/table.h"
#include "app/cli/trust_report.h"
#include "engine/explorer/program_bounds.h"

namespace sluice::cli {
namespace {

struct BoundsOptions : FileOptions {
  std::uint64_t on_chip_bytes = 0, compute = 0;  ///< 0: no budget
  bool scheduled = false, run = false;
};

Json toJson(const BoundsOptions& options, const Opened& opened, const ProgramBounds& bounds) {
  return {{"file", options.file},
          {"knobs", knobsJson(opened.workload->document, opened.knobs)},
          {"bounds", boundsJson(bounds)},
          {"binding", text(bounds.binding)},
          {"critical_operator",
           bounds.critical_operator.empty() ? Json(nullptr) : Json(bounds.critical_operator)},
          {"infeasible", bounds.infeasible.empty() ? Json(nullptr) : Json(bounds.infeasible)}};
}

void printText(const ProgramBounds& bounds) {
  Table table({"no schedule needs less", "", "unit"});
  for (const ReportedBound& bound : reportedBounds(bounds)) {
    const auto* const whole = std::get_if<std::uint64_t>(&bound.value);
    if (!whole && !bound.isProved()) continue;  // there is no technology
    const std::string value = whole ? grouped(*whole) : metricText(*bound.metric, bound.value);
    table.row({bound.title, bound.isProved() ? value : "nothing proved", bound.unit});
  }
  table.print(std::cout);
  if (bounds.binding != BindingBound::None) {
    std::cout << "\nbinding: " << text(bounds.binding);
    if (bounds.binding == BindingBound::CriticalPath)
      std::cout << ", at '" << bounds.critical_operator << "'";
    std::cout << "\n";
  }
  if (!bounds.infeasible.empty()) std::cout << "infeasible: " << bounds.infeasible << "\n";
}

void printGaps(const DesignPoint& point, const std::vector<BoundGap>& gaps) {
  if (gaps.empty()) {
    std::cout << "\nthe design at hand has no numbers to compare: "
              << (point.cause.empty() ? "nothing is proved" : point.cause) << "\n";
    return;
  }
  std::cout << "\nthe design at hand\n";
  Table table({"metric", "value", "within"});
  for (const BoundGap& gap : gaps)
    table.row({gap.metric->title, metricText(*gap.metric, gap.value), decimal(gap.ratio, 2)});
  table.print(std::cout);
}

int runBounds(const BoundsOptions& options, const std::stop_token& stop) {
  const Result<Opened> opened = open(options);
  if (!opened) return fail(opened.diagnostics(), options.json);
  BoundBudget budget;
  if (options.on_chip_bytes > 0) budget.on_chip_bytes = options.on_chip_bytes;
  if (options.compute > 0) budget.compute = options.compute;
  const Workload& workload = *opened->workload;
  const Result<ProgramBounds> bounds = options.scheduled
                                           ? partialBounds(workload, opened->knobs, provedSteps(), budget)
                                           : programBounds(workload, opened->knobs, budget);
  if (!bounds) return fail(bounds.diagnostics(), options.json);
  Json object = options.json ? toJson(options, *opened, *bounds) : Json();
  if (!options.json) printText(*bounds);
  PointState state = PointState::Done;
  if (options.run) {
    const Result<PointResult> result = evaluate(workload, opened->knobs, RecordMode::Count, stop);
    if (!result) return fail(result.diagnostics(), options.json);
    const std::vector<BoundGap> gaps = withinBound(result->point, *bounds);
    if (options.json) {
      object["point"] = pointJson(workload.document, result->point);
      object["within"] = gapsJson(gaps);
      object["trust"] = trustJson(trustAt(workload, opened->knobs));
    } else {
      printGaps(result->point, gaps);
      std::cout << trustLine(trustAt(workload, opened->knobs));
    }
    state = result->point.state;
    if (state == PointState::Cancelled) return ExitCancelled;
  }
  if (options.json) printJson(object);
  return state == PointState::Deadlocked ? ExitDeadlock : ExitDone;
}

}  // namespace

Command boundsCommand() {
  const auto options = std::make_shared<BoundsOptions>();
  Command command{
      .name = "bounds",
      .summary = "print what no schedule of the program can beat",
      .examples = {{"bounds sample_workloads/simple_moe.sluice", "what no schedule can beat"},
                   {"bounds sample_workloads/simple_moe.sluice --run", "and how far the program is from it"}},
      .options = with(pointOptions(*options), technologyOptions(*options)),
      .run = [options](Process& process) { return runBounds(*options, process.interrupt.token()); }};
  command.add("--compute", options->compute, "FLOPs per cycle that may be allocated, all operators together");
  command.add("--on-chip-bytes", options->on_chip_bytes, "bytes that may be held on chip");
  command.add("--scheduled", options->scheduled, "begin with the file's schedule; more steps may follow");
  command.add("--run", options->run, "simulate the design at hand and tell how far it is from the bounds");
  return command;
}

}  // namespace sluice::cli
