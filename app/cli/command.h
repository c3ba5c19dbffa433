#pragma once
// What every subcommand shares: its options, opening the file, exit codes and how diagnostics are printed.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

/// Prints diagnostics to stderr and, with --json, to stdout as {"ok": ..., "diagnostics": [...]}; without
/// `ok` only the latter.
void report(const Diagnostics& diagnostics, bool json, std::optional<bool> ok = {});
/// report() and the exit code that goes with it.
int fail(const Diagnostics& diagnostics, bool json);

/// Writes `text` to `folder`/`name` (the folder is made if need be) and says so on stderr.
Result<Done> writeInto(const std::string& folder, const std::string& name, const std::string& text);

/// The subcommands: each adds itself to the application and leaves its exit code in `exit_code` when it ran.
void addCheck(CLI::App& application, int& exit_code);
void addShapes(CLI::App& application, int& exit_code);
void addSchedule(CLI::App& application, int& exit_code);
void addSimulate(CLI::App& application, int& exit_code);
void addUnlock(CLI::App& application, int& exit_code);
void addDepthFrontier(CLI::App& application, int& exit_code);
void addCompare(CLI::App& application, int& exit_code);
void addExplore(CLI::App& application, int& exit_code);
void addStrategies(CLI::App& application, int& exit_code);
void addExplorations(CLI::App& application, int& exit_code);
void addPoints(CLI::App& application, int& exit_code);
void addExport(CLI::App& application, int& exit_code);
void addMerge(CLI::App& application, int& exit_code);
void addServe(CLI::App& application, int& exit_code);
void addWorkload(CLI::App& application, int& exit_code);
void addReproduce(CLI::App& application, int& exit_code);
void addImport(CLI::App& application, int& exit_code);
void addDot(CLI::App& application, int& exit_code);
void addITensor(CLI::App& application, int& exit_code);
void addParallelize(CLI::App& application, int& exit_code);
void addCompile(CLI::App& application, int& exit_code);
void addSizeFifos(CLI::App& application, int& exit_code);
void addExport(CLI::App& application, int& exit_code);

}  // namespace sluice::cli
