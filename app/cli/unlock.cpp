// sluice-cli unlock: why a design point deadlocks, and the smallest depths that free it, written into the
// file where asked.

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/deadlock_report.h"
#include "app/cli/run_point.h"
#include "engine/program/file_format.h"

namespace sluice::cli {
namespace {

struct UnlockOptions : FileOptions {
  bool apply = false, all = false;
  double seconds = 4;
};

void print(const UnlockOptions& options, const PointResult& point, const Unlock* unlocked, bool applied) {
  const FlatGraph& graph = point.symbolic.graph;
  if (options.json) {
    const Json deadlock =
        unlocked ? deadlockJson(graph, *point.simulation.deadlock, *unlocked) : Json(nullptr);
    const Json object = {{"file", options.file},
                         {"cycles", point.simulation.cycles},
                         {"deadlock", deadlock},
                         {"applied", applied}};
    printJson(object);
  } else if (!unlocked) {
    std::cout << options.file << ": no deadlock; it ends at cycle " << point.simulation.cycles << "\n";
  } else {
    std::cout << deadlockText(graph, *point.simulation.deadlock, *unlocked, options.all);
    if (applied) std::cout << "Written into " << options.file << "\n";
  }
}

int runUnlock(const UnlockOptions& options, const std::stop_token& stop) {
  int exit_code = exitDone;
  const std::optional<RunPoint> run = runPoint(options, stop, exit_code);
  if (!run) return exit_code;
  const auto& [opened, point] = *run;
  if (!point.simulation.deadlock) {
    print(options, point, nullptr, false);
    return exitDone;
  }
  const Unlock unlocked = unlock(*opened.workload, point, budgetOf(options.seconds, stop));
  const bool apply = options.apply && unlocked.repair && unlocked.repair->verified;
  if (apply) {
    const Result<Done> saved = saveDocument(
        repaired(opened.workload->document, point.symbolic.scheduled.get(), *unlocked.repair), options.file);
    if (!saved) return fail(saved.diagnostics(), options.json);
  }
  print(options, point, &unlocked, apply);
  return apply ? exitDone : exitDeadlock;
}

}  // namespace

Command unlockCommand() {
  const auto options = std::make_shared<UnlockOptions>();
  Command command{
      .name = "unlock",
      .summary = "say why a design point deadlocks, and find the smallest FIFO depths that free it",
      .examples = {{"unlock sample_workloads/deadlock_fork_join.sluice",
                    "why it locks up, and the fewest slots that end it"},
                   {"unlock mine.sluice --apply", "write these depths into the file"}},
      .options = pointOptions(*options),
      .run = [options](Process& process) { return runUnlock(*options, process.interrupt.token()); }};
  command.add("--apply", options->apply, "write these depths into the file");
  command.add("--all", options->all, "print every wait cycle and every operator that waits");
  command.add("--seconds", options->seconds, "how long to search for a repair",
              {.range = Range{0, 3600}, .shows_default = true});
  return command;
}

}  // namespace sluice::cli
