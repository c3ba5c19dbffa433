// sluice-cli emit rtl: a scheduled program as a SystemVerilog project.

#include <memory>

#include "app/cli/emit.h"
#include "app/cli/simulation_report.h"
#include "engine/emitters/rtl_form.h"

namespace sluice::cli {
namespace {

struct EmitRtlOptions : EmitOptions {
  ComputeArguments compute{"none", {}, {}};
  bool no_run = false;
};

/// All files of the project.
Result<std::vector<ProjectFile>> project(const EmitRtlOptions& options, const std::stop_token& stop) {
  SLUICE_TRY(const OpenedSet opened, openToEmit(options));
  RtlForm form{.expected = !options.no_run, .trace = opened.set.chosenName()};
  if (options.compute.precision != "none") {
    SLUICE_TRY(form.compute, computeOptions(options.compute, stop));
  }
  form.sources = sourcesOf(options);
  return rtlFilesOf(*opened.set.workload, opened.knobs, form, stop);
}

int runEmitRtl(const EmitRtlOptions& options, const std::stop_token& stop) {
  const Result<std::vector<ProjectFile>> files = project(options, stop);
  if (!files) return fail(files.diagnostics(), options.json);
  return writeProject(options, "rtl", *files,
                      options.no_run ? "'make sim' there runs them" : "'make check' there runs them");
}

}  // namespace

Command emitRtlCommand() {
  const auto options = std::make_shared<EmitRtlOptions>();
  Command command{
      .name = "rtl",
      .summary = "a scheduled program as a SystemVerilog project that runs with Verilator",
      .examples = {{"emit rtl sample_workloads/swiglu.sluice -o swiglu_rtl",
                    "operators, FIFOs and memory as modules; 'make check' there compares with the simulator"},
                   {"emit rtl sample_workloads/simple_moe.sluice --compute float32 -o moe_rtl",
                    "the same with elements in the tiles"},
                   {"emit rtl sample_workloads/deadlock_fork_join.sluice --no-run -o fork_join_rtl --json",
                    "without what the simulator expects"}},
      .options = pointOptions(*options),
      .run = [options](Process& process) { return runEmitRtl(*options, process.interrupt.token()); }};
  addOutputOptions(command, *options);
  command.add("--compute", options->compute.precision,
              "the functional level: tiles carry elements, stores compare with what the simulator computes "
              "(none, float32, "
              "bfloat16)",
              {.choices = {"none", "float32", "bfloat16"}});
  command.add("--tensors", options->compute.tensors,
              "with --compute: the arrays of off-chip memory, by name; others are filled by formula; may be "
              "given several "
              "times",
              {.type = "FILE.npz"});
  command.add("--no-run", options->no_run, "do not simulate it; expected.txt is left out");
  return command;
}

}  // namespace sluice::cli
