// sluice-cli dot: a program as Graphviz text, for drawing and for other tools; `import` reads it back.

#include <iostream>
#include <memory>

#include "app/cli/command.h"
#include "engine/core/atomic_file.h"
#include "engine/explorer/evaluate.h"
#include "engine/interchange/dot.h"

namespace sluice::cli {
namespace {

struct DotOptions : FileOptions {
  std::string output;
  bool scheduled = false;
};

Result<std::string> dotOf(const DotOptions& options) {
  const Result<Opened> opened = open(options);
  if (!opened) return opened.diagnostics();
  const Workload& workload = *opened->workload;
  if (!options.scheduled) return writeDot(workload.document);
  const Result<ScheduledProgram> scheduled = applySchedule(workload.document, workload.inputs, opened->knobs);
  if (!scheduled) return scheduled.diagnostics();
  return writeDot(scheduled->document);
}

int run(const DotOptions& options) {
  const Result<std::string> dot = dotOf(options);
  if (!dot) return fail(dot.diagnostics(), false);
  if (options.output.empty()) {
    std::cout << *dot;
    return ExitDone;
  }
  const Result<Done> written = writeOutput(options.output, *dot, {options.file});
  return written ? ExitDone : fail(written.diagnostics(), false);
}

}  // namespace

Command dotCommand() {
  const auto options = std::make_shared<DotOptions>();
  std::vector<Option> taken = pointOptions(*options);
  std::erase_if(taken, [](const Option& option) { return option.names == "--json"; });
  Command command{.name = "dot",
                  .summary = "write the program as a Graphviz graph; 'import' reads it back",
                  .examples = {{"dot sample_workloads/simple_moe.sluice -o moe.dot", "a graph for Graphviz"},
                               {"dot sample_workloads/moe_three_ways.sluice --scheduled -o scheduled.dot",
                                "that of the program after its schedule"}},
                  .options = std::move(taken),
                  .run = [options](Process&) { return run(*options); }};
  command.add("--scheduled", options->scheduled, "the program behind its schedule");
  command.add(output_option, options->output, "write to this file instead of stdout", {.type = "FILE"});
  return command;
}

}  // namespace sluice::cli
