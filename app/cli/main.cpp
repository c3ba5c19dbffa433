// sluice-cli: the engine without a window.

#include <exception>

#include "app/cli/answer.h"
#include "app/cli/command_line.h"
#include "app/cli/command_list.h"
#include "app/process/delay_load.h"
#include "app/process/plugin_arguments.h"
#include "engine/core/internal_error.h"

namespace sluice::cli {
namespace {

int run(int argc, char** argv) {
  const std::stop_source stop;
  StandardOutput output(stop);
  Answer answer(output, asksForJson(argc, argv));
  Interrupt interrupt(stop, [&] { answer.endUnlessAnswered(ExitCancelled, interrupt.diagnostic()); });
  Process process{output, interrupt};
  try {
    // Commands list what the registries have.
    if (const Result<Done> loaded = loadPlugins(argc, argv); !loaded) {
      const Diagnostic& why = loaded.diagnostics().front();
      return answer.end(why.code == "missing-option" ? ExitUsage : ExitDiagnostic, why);
    }
    const Result<int> exit_code = runCommandLine(commandsFor(argc, argv), argc, argv, process);
    return exit_code ? answer.end(*exit_code, interrupt)
                     : answer.end(ExitUsage, exit_code.diagnostics().front());
  } catch (const MissingModule& missing) {
    return answer.end(ExitDiagnostic, error("missing-module", "sluice-cli", missing.what(),
                                            "install Sluice whole: its folder lib/sluice stands beside bin"));
  } catch (...) {
    return answer.end(ExitDiagnostic, internalError(std::current_exception()));
  }
}

}  // namespace
}  // namespace sluice::cli

int main(int argc, char** argv) {
  return sluice::cli::run(argc, argv);
}
