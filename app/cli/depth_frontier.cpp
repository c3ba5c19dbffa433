// sluice-cli depth-frontier: which depths of two FIFOs separate the runs that end from those that deadlock.

#include <iostream>
#include <memory>

#include "app/cli/report.h"
#include "app/cli/run_point.h"
#include "app/cli/trust_report.h"
#include "engine/fifo/depth_frontier.h"
#include "engine/fifo/unlock.h"

namespace sluice::cli {
namespace {

struct FrontierOptions : FileOptions {
  std::string first, second;
  std::uint64_t up_to = 16;
  double seconds = 30;
};

Json axisJson(const DepthFrontier::Axis& axis) {
  return {{"stream", axis.stream}, {"origin", axis.origin}, {"depth", axis.depth}};
}

Json toJson(const FrontierOptions& options, const DepthFrontier& frontier) {
  Json corners = Json::array();
  for (const DepthFrontier::Corner& corner : frontier.corners)
    corners.push_back({{"first", corner.first},
                       {"second", corner.second},
                       {"more_bytes", corner.bytes},
                       {"cycles", corner.cycles}});
  Json ends = Json::array();
  for (std::uint64_t a = 1; a <= frontier.up_to; ++a) {
    Json row = Json::array();
    for (std::uint64_t b = 1; b <= frontier.up_to; ++b) row.push_back(frontier.endsAt(a, b));
    ends.push_back(std::move(row));
  }
  return {{"file", options.file},
          {"first", axisJson(frontier.first)},
          {"second", axisJson(frontier.second)},
          {"up_to", frontier.up_to},
          {"corners", std::move(corners)},
          {"trust", trustJson({})},
          {"ends", std::move(ends)},
          {"monotone", frontier.monotone},
          {"runs", frontier.runs},
          {"gave_up", frontier.gave_up}};
}

void printFrontier(const Json& report) {
  const std::uint64_t up_to = report["up_to"], a_now = report["first"]["depth"],
                      b_now = report["second"]["depth"];
  std::cout << "Depths of " << written(report["first"]["stream"]) << " (now " << a_now << ") downwards, of "
            << written(report["second"]["stream"]) << " (now " << b_now
            << ") to the right; + ends, # deadlocks, O as it is\n";
  for (std::uint64_t a = up_to; a > 0; --a) {
    std::cout << (a < 10 ? "  " : " ") << a << " ";
    for (std::uint64_t b = 1; b <= up_to; ++b) {
      const bool now = a == a_now && b == b_now, ends = report["ends"][a - 1][b - 1];
      std::cout << " " << (now ? 'O' : ends ? '+' : '#');
    }
    std::cout << "\n";
  }
  const auto whole = [](const Json& bytes) { return decimal(bytes.get<double>(), 0); };
  if (report["corners"].empty())
    std::cout << "No depth up to " << up_to << " of these two lets the run end.\n";
  else
    tableOf(report["corners"],
            {{"first", "first"},
             {"second", "second"},
             {"more_bytes", "bytes more in FIFOs", whole},
             {"cycles", "cycles"}},
            0)
        .print(std::cout);
  std::cout << trustLine({});
  if (report["gave_up"])
    std::cout << "The search ended with its budget; cells not run count as deadlocked.\n";
}

/// The origin of the stream that goes into "expert.join.in1", or is called by its origin or name.
Result<std::string> originOf(const std::string& name, const std::vector<DepthFrontier::Axis>& axes) {
  std::string list;
  for (const DepthFrontier::Axis& axis : axes) {
    const std::string to = axis.stream.substr(axis.stream.find(" -> ") + 4);
    if (name == axis.origin || name == axis.stream || name == to) return axis.origin;
    if (list.size() < 200) list += (list.empty() ? "" : ", ") + to;
  }
  return error("unknown-name", Location(Where::Stream, name), "there is no FIFO of that name",
               "name the input that it ends at, one of " + list);
}

/// The FIFOs that the user names, or those that the deadlock is about.
Result<std::pair<std::string, std::string>> pairOf(const FrontierOptions& options, const Opened& opened,
                                                   const PointResult& point, const SearchBudget& budget) {
  const std::vector<DepthFrontier::Axis> axes = depthAxes(*opened.workload, point);
  std::vector<std::string> pair;
  for (const std::string& name : {options.first, options.second}) {
    if (name.empty()) continue;
    SLUICE_TRY(pair.emplace_back(), originOf(name, axes));
  }
  if (pair.size() < 2 && point.simulation.deadlock) {
    std::vector<std::string> repaired;
    const Unlock unlocked = unlock(*opened.workload, point, budget);
    if (unlocked.repair)
      for (const Repair::Change& change : unlocked.repair->changes) repaired.push_back(change.origin);
    for (const std::string& origin : suggestedPair(point, repaired))
      if (std::find(pair.begin(), pair.end(), origin) == pair.end()) pair.push_back(origin);
  }
  if (pair.size() < 2)
    return error("missing-option", Location(Where::Option, options.first.empty() ? "--first" : "--second"),
                 "the run does not deadlock: nothing suggests two FIFOs",
                 "name the inputs that they end at with --first and --second, as join.in1");
  return std::pair{pair[0], pair[1]};
}

int runFrontier(const FrontierOptions& options, const std::stop_token& stop) {
  int exit_code = ExitDone;
  const std::optional<RunPoint> run = runPoint(options, stop, exit_code);
  if (!run) return exit_code;
  const SearchBudget budget = budgetOf(options.seconds, stop);
  const auto pair = pairOf(options, run->opened, run->point, budget);
  if (!pair) return fail(pair.diagnostics(), options.json);
  const Result<DepthFrontier> frontier =
      depthFrontier(*run->opened.workload, run->point, pair->first, pair->second, options.up_to, budget);
  if (!frontier) return fail(frontier.diagnostics(), options.json);
  return show(toJson(options, *frontier), options.json, printFrontier);
}

}  // namespace

Command depthFrontierCommand() {
  const auto options = std::make_shared<FrontierOptions>();
  Command command{
      .name = "depth-frontier",
      .summary = "which depths of two FIFOs separate the runs that end from those that deadlock",
      .examples =
          {{"depth-frontier sample_workloads/deadlock_fork_join.sluice",
            "the depths of the two FIFOs of the deadlock"},
           {"depth-frontier sample_workloads/softmax_depths.sluice --first normalize.in1 --second total.in",
            "of two FIFOs by name"}},
      .options = pointOptions(*options),
      .run = [options](Process& process) { return runFrontier(*options, process.interrupt.token()); }};
  command.add("--first", options->first, "the input that one FIFO ends at, as join.in1", {.type = "INPUT"});
  command.add("--second", options->second, "the other one; without them, those of the deadlock",
              {.type = "INPUT"});
  command.add("--up-to", options->up_to, "depths to look at",
              {.range = Range{1, 512}, .shows_default = true});
  command.add("--seconds", options->seconds, "how long to search",
              {.range = Range{0, 3600}, .shows_default = true});
  return command;
}

}  // namespace sluice::cli
