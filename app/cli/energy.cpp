// sluice-cli energy: what a run costs in joules, by kind of action, region and operator.

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/energy_report.h"
#include "app/cli/point_json.h"
#include "app/cli/run_point.h"
#include "app/cli/trust_report.h"

namespace sluice::cli {
namespace {

struct EnergyOptions : FileOptions {
  std::string out;
  bool all = false;
};

int runEnergy(EnergyOptions options, const std::stop_token& stop) {
  options.usual_technology = "7nm";
  int exit_code = ExitDone;
  const std::optional<RunPoint> run = runPoint(options, stop, exit_code);
  if (!run) return exit_code;
  const PointResult& point = run->point;
  if (point.simulation.deadlock) {
    report({error("deadlock", Location(Where::File, options.file), point.point.cause,
                  "'sluice-cli unlock' finds the depths that free it, where depths do")},
           options.json);
    return ExitDeadlock;
  }
  const std::optional<EnergyReport>& energy = run->energy;
  if (!energy)
    return fail({error("overflow", Location(Where::File, options.file),
                       "its actions, or what they cost, are more than can be counted",
                       "make tiles, streams or prices smaller")},
                options.json);
  if (!options.out.empty()) {
    const Result<Done> written =
        writeInto(options.out, "energy.csv", energyCsv(point.symbolic.graph, *energy));
    if (!written) return fail(written.diagnostics(), options.json);
  }
  const TrustLabel trust = trustAt(*run->opened.workload, run->opened.knobs);
  if (options.json) {
    Json object = {{"file", options.file},
                   {"knobs", knobsJson(run->opened.workload->document, run->opened.knobs)},
                   {"cycles", point.simulation.cycles}};
    object["trust"] = trustJson(trust);
    object["energy_breakdown"] = energyJson(point, *energy);
    printJson(object);
  } else {
    std::cout << energyText(point, *energy, options.all) << "\n" << trustLine(trust);
  }
  return ExitDone;
}

}  // namespace

Command energyCommand() {
  const auto options = std::make_shared<EnergyOptions>();
  Command command{
      .name = "energy",
      .summary = "what a run costs: joules by kind of action, region and operator; power and area",
      .examples = {{"energy sample_workloads/simple_moe.sluice", "in the technology 7nm"},
                   {"energy sample_workloads/simple_moe.sluice --technology 45nm --clock 500 --json",
                    "every action's count and every price's source, for a script"}},
      .options = with(pointOptions(*options), technologyOptions(*options)),
      .run = [options](Process& process) { return runEnergy(*options, process.interrupt.token()); }};
  command.add("--all", options->all, "print every region and operator");
  command.add(output_option, options->out, "write energy.csv into this folder", {.type = "FOLDER"});
  return command;
}

}  // namespace sluice::cli
