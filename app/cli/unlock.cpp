// sluice-cli unlock: why a design point deadlocks, and the smallest depths that free it, written into the
// file where asked.

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/deadlock_report.h"
#include "app/cli/run_point.h"
#include "app/cli/table.h"
#include "app/cli/trust_report.h"
#include "engine/core/names_and_more.h"
#include "engine/core/printable.h"
#include "engine/fifo/runnable_traces.h"
#include "engine/fifo/set_unlock.h"
#include "engine/program/file_format.h"

namespace sluice::cli {
namespace {

struct UnlockOptions : FileOptions {
  bool apply = false, all = false;
  double seconds = 4;
};

void print(const UnlockOptions& options, const Workload& workload, const PointResult& point,
           const Unlock* unlocked, bool applied) {
  const FlatGraph& graph = point.symbolic.graph;
  const TrustLabel trust = unlocked ? TrustLabel() : trustAt(workload, point.point.knobs);
  if (options.json) {
    const Json deadlock =
        unlocked ? deadlockJson(graph, *point.simulation.deadlock, *unlocked) : Json(nullptr);
    const Json object = {{"file", options.file},
                         {"cycles", point.simulation.cycles},
                         {"deadlock", deadlock},
                         {"applied", applied},
                         {"trust", trustJson(trust)}};
    printJson(object);
  } else if (!unlocked) {
    std::cout << options.file << ": no deadlock; it ends at cycle " << point.simulation.cycles << "\n"
              << trustLine(trust);
  } else {
    std::cout << deadlockText(graph, *point.simulation.deadlock, *unlocked, options.all);
    if (unlocked->repair) std::cout << trustLine(trust);
    if (applied) std::cout << "Written into " << options.file << "\n";
  }
}

/// Traces under which the program deadlocks as it is, and ends with the repair.
std::vector<std::size_t> freedBy(const SetUnlock& found) {
  std::vector<std::size_t> freed;
  if (!found.repair) return freed;
  for (const std::size_t trace : found.locked)
    if (std::ranges::find(found.real, trace) == found.real.end()) freed.push_back(trace);
  return freed;
}

Json setUnlockJson(const UnlockOptions& options, const WorkloadSet& set, const SetUnlock& found,
                   bool applied) {
  const auto names = [&](const std::vector<std::size_t>& traces) {
    Json list = Json::array();
    for (const std::size_t trace : traces) list.push_back(set.traces[trace].name);
    return list;
  };
  Json repair = nullptr;
  if (found.repair) {
    Json changes = Json::array();
    for (std::size_t i = 0; i < found.repair->changes.size(); ++i) {
      Json change = changeJson(found.repair->changes[i]);
      change["needed_by"] = set.traces[found.needed_by[i]].name;
      changes.push_back(std::move(change));
    }
    repair = {{"changes", std::move(changes)},
              {"bytes", found.repair->bytes},
              {"most_cycles", found.repair->cycles},
              {"minimal", found.repair->minimal}};
  }
  return {{"file", options.file},
          {"traces", set.traces.size()},
          {"trace_sources", set.sources},  // by input
          {"locked", names(found.locked)},
          {"freed", names(freedBy(found))},
          {"real", names(found.real)},
          {"repair", std::move(repair)},
          {"runs", found.runs},
          {"gave_up", found.gave_up},
          {"applied", applied},
          {"trust", trustJson({})}};
}

/// "3 traces: 'a', 'b', 'c'", of 10 traces "10 traces: 'a', ... and 5 more".
std::string tracesText(const WorkloadSet& set, const std::vector<std::size_t>& traces) {
  constexpr std::size_t most_named = 5;
  std::vector<std::string> names;
  for (const std::size_t trace : traces) names.push_back(set.traces[trace].name);
  return counted(traces.size(), "trace") + (names.empty() ? "" : ": ") + namesAndMore(names, most_named, "'");
}

void printSetUnlock(const WorkloadSet& set, const SetUnlock& found) {
  if (found.locked.empty())
    std::cout << "It deadlocks under none of " << printableName(set.description()) << ".\n";
  else
    std::cout << "Of " << printableName(set.description()) << " it deadlocks under "
              << tracesText(set, found.locked) << ".\n";
  if (!found.real.empty()) std::cout << "No depths free it under " << tracesText(set, found.real) << ".\n";
  if (!found.repair) {
    if (found.gave_up) std::cout << "No repair was found in time; --seconds gives more.\n";
    return;
  }
  std::cout << "\nThe fewest bytes that free every " << (found.real.empty() ? "trace" : "other trace")
            << (found.repair->minimal ? "" : ", as far as was searched") << ":\n";
  Table table({"FIFO", "instances", "depth", "new depth", "bytes", "needed by"});
  for (std::size_t i = 0; i < found.repair->changes.size(); ++i) {
    const Repair::Change& change = found.repair->changes[i];
    table.row({change.stream, grouped(change.instances), grouped(change.from), grouped(change.to),
               decimal(change.bytes, 0), set.traces[found.needed_by[i]].name});
  }
  table.print(std::cout);
  std::cout << "\nThey free it under " << tracesText(set, freedBy(found))
            << (found.real.empty() ? ".\nWith them every run ends" : ".\nWith them every other run ends")
            << ", the longest at cycle " << grouped(found.repair->cycles) << ".\n"
            << trustLine({});
}

/// Under every trace of a set.
int runUnlockSet(const UnlockOptions& options, const OpenedSet& opened, const std::stop_token& stop) {
  const auto executor = makeExecutor();
  const Result<RunnableTraces> traces = runnableTraces(opened.set, opened.knobs, *executor, stop);
  if (!traces) return fail(traces.diagnostics(), options.json);
  const WorkloadSet& set = traces->set;
  const Result<SetUnlock> found =
      unlockSet(*traces, opened.knobs, *executor, budgetOf(options.seconds, stop));
  if (!found) return fail(found.diagnostics(), options.json);
  const bool apply = options.apply && found->repair;
  if (apply) {
    const Workload& workload = *set.workload;
    const Result<PointResult> point = evaluate(workload, opened.knobs, RecordMode::Count, stop);
    if (!point) return fail(point.diagnostics(), options.json);
    const Document document = repaired(workload.document, point->symbolic.scheduled.get(), *found->repair);
    if (const Result<Done> saved = saveDocument(document, options.file); !saved)
      return fail(saved.diagnostics(), options.json);
  }
  if (options.json) {
    printJson(setUnlockJson(options, set, *found, apply));
  } else {
    printSetUnlock(set, *found);
    if (apply) std::cout << "Written into " << options.file << "\n";
  }
  tellLeftOut(set.left_out);
  return found->locked.empty() || apply ? ExitDone : ExitDeadlock;
}

int runUnlock(const UnlockOptions& options, const std::stop_token& stop) {
  const Result<OpenedSet> all = openSet(options);
  if (!all) return fail(all.diagnostics(), options.json);
  if (!all->set.empty()) return runUnlockSet(options, *all, stop);
  int exit_code = ExitDone;
  const std::optional<RunPoint> run = runPoint(options, stop, exit_code);
  if (!run) return exit_code;
  const auto& [opened, point, energy] = *run;
  if (!point.simulation.deadlock) {
    print(options, *opened.workload, point, nullptr, false);
    return ExitDone;
  }
  const Unlock unlocked = unlock(*opened.workload, point, budgetOf(options.seconds, stop));
  const bool apply = options.apply && unlocked.repair && unlocked.repair->verified;
  if (apply) {
    const Result<Done> saved = saveDocument(
        repaired(opened.workload->document, point.symbolic.scheduled.get(), *unlocked.repair), options.file);
    if (!saved) return fail(saved.diagnostics(), options.json);
  }
  print(options, *opened.workload, point, &unlocked, apply);
  return apply ? ExitDone : ExitDeadlock;
}

}  // namespace

Command unlockCommand() {
  const auto options = std::make_shared<UnlockOptions>();
  Command command{
      .name = "unlock",
      .summary = "say why a design point deadlocks, and find the smallest FIFO depths that free it",
      .examples = {{"unlock sample_workloads/deadlock_fork_join.sluice",
                    "why it deadlocks, and the fewest slots that end it"},
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
