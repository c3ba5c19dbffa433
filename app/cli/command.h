#pragma once
// What every subcommand shares: its options, opening the file, exit codes, how objects and diagnostics are
// printed, and what main() gives it.
//
// A command prints to std::cout, which main() has put a checked StandardOutput behind: it need not look
// whether that worked. It prints its object with --json by printJson(), once, when it is complete; where it
// prints none - it was cancelled, failed or threw - main() does.

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/interrupt.h"
#include "app/process/standard_output.h"
#include "engine/explorer/evaluate.h"

namespace CLI {
class App;
}

namespace sluice::cli {

enum ExitCode : int {
  exitDone = 0,
  exitDiagnostic = 1,
  exitUsage = 2,
  exitDeadlock = 3,
  exitCancelled = 130
};

/// One run of the program.
struct Process {
  StandardOutput& output;
  Interrupt& interrupt;
  int exit_code = exitDone;
};

struct FileOptions {
  std::string file;
  bool json = false;
  std::vector<std::string> sets;    ///< "knob=value"
  std::vector<std::string> inputs;  ///< "input=FILE"
};

/// The file, --json and --input; --set where `with_knobs`.
void addFileOptions(CLI::App& command, FileOptions& options, bool with_knobs);

/// A workload and the design point that the command line asks for.
struct Opened {
  std::shared_ptr<const Workload> workload;
  KnobValues knobs;
};
Result<Opened> open(const FileOptions& options);
/// The two halves of open(), for who has read the document already.
Result<KnobValues> knobsOf(const Document& document, const FileOptions& options);
Result<std::shared_ptr<const Workload>> workloadOf(Document document, const FileOptions& options);

/// An object and a newline; a text that is no UTF-8 does not stop it.
std::string jsonText(const nlohmann::ordered_json& object);
void printJson(const nlohmann::ordered_json& object);
/// The parts of a location: kind, name, number, detail.
nlohmann::ordered_json locationJson(const Location& location);
nlohmann::ordered_json diagnosticsJson(const Diagnostics& diagnostics);

/// Prints diagnostics to stderr and, with --json, to stdout as {"ok": ..., "diagnostics": [...]}; without
/// `ok` only the latter.
void report(const Diagnostics& diagnostics, bool json, std::optional<bool> ok = {});
/// report() and the exit code that goes with it.
int fail(const Diagnostics& diagnostics, bool json);

/// Writes `text` to `folder`/`name` (the folder is made if need be) and says so on stderr.
Result<Done> writeInto(const std::string& folder, const std::string& name, const std::string& text);

/// The subcommands: each adds itself to the application and leaves its exit code in the process when it ran.
void addCheck(CLI::App& application, Process& process);
void addShapes(CLI::App& application, Process& process);
void addSchedule(CLI::App& application, Process& process);
void addSimulate(CLI::App& application, Process& process);
void addUnlock(CLI::App& application, Process& process);
void addDepthFrontier(CLI::App& application, Process& process);
void addCompare(CLI::App& application, Process& process);
void addExplore(CLI::App& application, Process& process);
void addStrategies(CLI::App& application, Process& process);
void addExplorations(CLI::App& application, Process& process);
void addPoints(CLI::App& application, Process& process);
void addExport(CLI::App& application, Process& process);
void addMerge(CLI::App& application, Process& process);
void addServe(CLI::App& application, Process& process);
void addWorkload(CLI::App& application, Process& process);
void addReproduce(CLI::App& application, Process& process);
void addImport(CLI::App& application, Process& process);
void addDot(CLI::App& application, Process& process);
void addITensor(CLI::App& application, Process& process);
void addParallelize(CLI::App& application, Process& process);
void addCompile(CLI::App& application, Process& process);
void addSizeFifos(CLI::App& application, Process& process);

}  // namespace sluice::cli
