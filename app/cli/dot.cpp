// sluice-cli dot: a program as Graphviz text, for drawing and for other tools; `import` reads it back.

#include <CLI/CLI.hpp>
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
  const Result<Scheme> scheme = applySchedule(workload.document, workload.inputs, opened->knobs);
  if (!scheme) return scheme.diagnostics();
  return writeDot(scheme->document);
}

int run(const DotOptions& options) {
  const Result<std::string> dot = dotOf(options);
  if (!dot) return fail(dot.diagnostics(), false);
  if (options.output.empty()) {
    std::cout << *dot;
    return exitDone;
  }
  const Result<Done> written = writeFileAtomically(options.output, *dot);
  return written ? exitDone : fail(written.diagnostics(), false);
}

}  // namespace

void addDot(CLI::App& application, Process& process) {
  CLI::App* command =
      application.add_subcommand("dot", "write the program as a Graphviz graph; 'import' reads it back");
  auto options = std::make_shared<DotOptions>();
  addFileOptions(*command, *options, true);
  command->remove_option(command->get_option("--json"));
  command->add_flag("--scheduled", options->scheduled, "the program behind its schedule");
  command->add_option("-o,--output", options->output, "write to this file instead of stdout")
      ->type_name("FILE");
  command->callback([options, &process] { process.exit_code = run(*options); });
}

}  // namespace sluice::cli
