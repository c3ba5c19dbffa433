// sluice-cli emit step: a scheduled program as a graph of STeP's simulator.

#include <iostream>
#include <memory>

#include "app/cli/emit.h"
#include "engine/emitters/step_form.h"

namespace sluice::cli {
namespace {

struct EmitStepOptions : EmitOptions {
  std::string schema;
  bool no_run = false;
};

Result<StepProject> project(const EmitStepOptions& options, const std::stop_token& stop) {
  SLUICE_TRY(const OpenedSet opened, openToEmit(options));
  const StepForm form{.expected = !options.no_run,
                      .schema = options.schema,
                      .sources = sourcesOf(options),
                      .trace = opened.set.chosenName()};
  return stepProjectOf(*opened.set.workload, opened.knobs, form, stop);
}

int runEmitStep(const EmitStepOptions& options, const std::stop_token& stop) {
  const Result<StepProject> emitted = project(options, stop);
  if (!emitted) return fail(emitted.diagnostics(), options.json);
  std::cerr << text(emitted->notes);
  return writeProject(options, "step", emitted->files,
                      "'python3 run.py FOLDER' there runs it; FOLDER holds step_perf.so");
}

}  // namespace

Command emitStepCommand() {
  const auto options = std::make_shared<EmitStepOptions>();
  Command command{
      .name = "step",
      .summary = "a scheduled program as a protobuf graph of STeP's simulator",
      .examples = {{"emit step sample_workloads/simple_moe.sluice -o simple_moe_step",
                    "the graph, its settings, and the cycles that are expected"},
                   {"emit step sample_workloads/simple_moe.sluice --set token_tile=8 -o moe_step --json",
                    "at other knob values"}},
      .options = pointOptions(*options),
      .run = [options](Process& process) { return runEmitStep(*options, process.interrupt.token()); }};
  addOutputOptions(command, *options);
  command.add("--schema", options->schema,
              "the simulator's .proto files, by which the graph is written, instead of the program's own",
              {.type = "FOLDER"});
  command.add("--no-run", options->no_run, "leave out the cycles that are expected, which takes a run");
  return command;
}

}  // namespace sluice::cli
