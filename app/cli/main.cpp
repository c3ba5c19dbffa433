// sluice-cli: the engine without a window.

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "app/cli/answer.h"
#include "app/cli/command_list.h"
#include "app/cli/man_page.h"
#include "app/cli/misuse.h"
#include "app/cli/option_values.h"
#include "engine/core/internal_error.h"

namespace sluice::cli {
namespace {

/// Every command there is; tests find them by `sluice-cli commands`.
constexpr void (*commands[])(CLI::App&, Process&) = {
    addCheck,       addShapes,   addSchedule,   addSimulate,     addUnlock,  addDepthFrontier,
    addCompare,     addExplore,  addStrategies, addExplorations, addPoints,  addMerge,
    addServe,       addWorkload, addReproduce,  addImport,       addDot,     addITensor,
    addParallelize, addCompile,  addSizeFifos,  addExport,       addManPage, addCommandList};

int run(int argc, char** argv) {
  const std::stop_source stop;
  StandardOutput output(stop);
  Answer answer(output, asksForJson(argc, argv));
  Interrupt interrupt(stop, [&] { answer.endUnlessAnswered(exitCancelled, interrupt.diagnostic()); });
  Process process{output, interrupt};
  CLI::App application("Sluice: check, size, simulate and explore streaming tensor programs");
  application.set_version_flag("--version", "sluice-cli " SLUICE_VERSION);
  application.require_subcommand(1);
  application.footer("Exit codes: 0 done, 1 diagnostic, 2 usage, 3 deadlock, 130 cancelled.");
  for (const auto add : commands) add(application, process);
  checkOptionValues(application);
  try {
    application.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version come this way too, with code 0; they print to stdout.
    if (error.get_exit_code() != 0) return answer.end(exitUsage, misuse(application, error));
    application.exit(error, std::cout, std::cerr);
    return answer.end(exitDone, interrupt);
  } catch (...) {
    return answer.end(exitDiagnostic, internalError(std::current_exception()));
  }
  return answer.end(process.exit_code, interrupt);
}

}  // namespace
}  // namespace sluice::cli

int main(int argc, char** argv) {
  return sluice::cli::run(argc, argv);
}
