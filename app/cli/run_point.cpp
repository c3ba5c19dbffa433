#include "app/cli/run_point.h"

#include <utility>

#include "engine/explorer/constraint_report.h"
#include "engine/operators/fault_diagnostic.h"

namespace sluice::cli {

std::optional<RunPoint> runPoint(const FileOptions& options, const std::stop_token& stop, int& exit_code) {
  const auto failed = [&](const Diagnostics& why) {
    exit_code = fail(why, options.json);
    return std::nullopt;
  };
  Result<Opened> opened = open(options);
  if (!opened) return failed(opened.diagnostics());
  Result<PricedPoint> priced = evaluatePriced(*opened->workload, opened->knobs, RecordMode::Count, stop);
  if (!priced) return failed(priced.diagnostics());
  PointResult* const point = &priced->result;
  if (const auto& fault = point->simulation.fault)
    return failed({faultDiagnostic(point->symbolic.graph, *fault)});
  if (const auto without = withoutNumbers(*point)) return failed({*without});
  if (point->simulation.cancelled) {
    exit_code = ExitCancelled;
    return std::nullopt;
  }
  return RunPoint{*std::move(opened), std::move(*point), std::move(priced->energy)};
}

SearchBudget budgetOf(double seconds, std::stop_token stop) {
  SearchBudget budget;
  budget.time = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
  budget.stop = std::move(stop);
  return budget;
}

}  // namespace sluice::cli
