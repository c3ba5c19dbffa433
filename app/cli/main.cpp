// sluice-cli: the engine without a window.

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "app/cli/command.h"
#include "app/cli/man_page.h"

int main(int argc, char** argv) {
  using namespace sluice::cli;
  CLI::App application("Sluice: check, size, simulate and explore streaming tensor programs");
  application.set_version_flag("--version", "sluice-cli " SLUICE_VERSION);
  application.require_subcommand(1);
  application.footer("Exit codes: 0 done, 1 diagnostic, 2 usage, 3 deadlock, 130 cancelled.");
  int exit_code = exitDone;
  addCheck(application, exit_code);
  addShapes(application, exit_code);
  addSchedule(application, exit_code);
  addSimulate(application, exit_code);
  addUnlock(application, exit_code);
  addDepthFrontier(application, exit_code);
  addCompare(application, exit_code);
  addExplore(application, exit_code);
  addStrategies(application, exit_code);
  addExplorations(application, exit_code);
  addPoints(application, exit_code);
  addMerge(application, exit_code);
  addServe(application, exit_code);
  addWorkload(application, exit_code);
  addReproduce(application, exit_code);
  addImport(application, exit_code);
  addDot(application, exit_code);
  addITensor(application, exit_code);
  addParallelize(application, exit_code);
  addCompile(application, exit_code);
  addSizeFifos(application, exit_code);
  addExport(application, exit_code);
  addManPage(application, exit_code);
  try {
    application.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version come this way too, with code 0; they print to stdout.
    return application.exit(error, std::cout, std::cerr) == 0 ? exitDone : exitUsage;
  } catch (const std::exception& error) {
    std::cerr << "internal error: " << error.what() << "\n";
    return exitDiagnostic;
  }
  return exit_code;
}
