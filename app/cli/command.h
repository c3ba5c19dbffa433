#pragma once
// What every subcommand shares: its options, opening the file, exit codes, how objects and diagnostics are
// printed, and what main() gives it.
//
// A command prints to std::cout, which main() has put a checked StandardOutput behind: it need not look
// whether that worked. It prints its object with --json by printJson(), once, when it is complete; where it
// prints none - it was cancelled, failed or threw - main() does.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/diagnostics.h"
#include "app/cli/interrupt.h"
#include "app/cli/json.h"
#include "app/cli/options.h"
#include "app/process/standard_output.h"
#include "engine/explorer/workload_set.h"

namespace sluice::cli {

enum ExitCode : int {
  ExitDone = 0,
  ExitDiagnostic = 1,
  ExitUsage = 2,
  ExitDeadlock = 3,
  ExitCancelled = 130
};

/// One run of the program.
struct Process {
  StandardOutput& output;
  Interrupt& interrupt;
};

struct FileOptions {
  std::string file;
  bool json = false;
  std::vector<std::string> sets;           ///< "knob=value"
  std::vector<std::string> own_sets = {};  ///< of one of several runs, by an option of another name
  std::string own_option = {};             ///< "--set-b"
  std::vector<std::string> inputs;         ///< "input=FILE"
  bool knobs_vary = false;                 ///< those that are not set stand for others
  std::string technology = {};        ///< what actions cost, a name or a file; empty: as the machine says
  std::string usual_technology = {};  ///< where neither says one
  std::int64_t clock_mhz = 0;         ///< of the design; 0: as the machine says
};

/// FILE; --json; an option of several NAME=VALUE, one a time.
Option fileArgument(FileOptions& options);
Option jsonFlag(bool& json, std::string help = "print one JSON object to stdout and nothing else");
Option assignments(std::string name, std::vector<std::string>& into, std::string help, std::string type);
/// FILE, --json and --input.
std::vector<Option> fileOptions(FileOptions& options);
/// And --set.
std::vector<Option> pointOptions(FileOptions& options);
/// --technology and --clock.
std::vector<Option> technologyOptions(FileOptions& options);

/// A workload and the design point that the command line asks for.
struct Opened {
  std::shared_ptr<const Workload> workload;
  KnobValues knobs;
  Diagnostics told = {};  ///< of values of inputs: warnings, which have been printed
};
Result<Opened> open(const FileOptions& options);
/// The two halves of open(), for who has read the document already.
Result<KnobValues> knobsOf(const Document& document, const FileOptions& options);
Result<std::shared_ptr<const Workload>> workloadOf(Document document, const FileOptions& options);

/// The inputs that options name, with files and sets of traces of the user's folder, not of the document's.
std::map<std::string, std::filesystem::path> inputFiles(const FileOptions& options);

/// The same with every trace of the sets that inputs are; none where no input is one.
struct OpenedSet {
  WorkloadSet set;
  KnobValues knobs;
  Diagnostics told = {};
};
Result<OpenedSet> openSet(const FileOptions& options);
/// That the trace that is chosen stands for the set.
void tellChosen(const WorkloadSet& set);
/// Tells of the traces that were left out: a line for each file, with a count, at most ten.
void tellLeftOut(const Diagnostics& left_out);

/// An object and a newline; a text that is no UTF-8 does not stop it.
std::string jsonText(const Json& object);
void printJson(const Json& object);
/// A report: with --json as it is, else as `print` shows it.
int show(const Json& report, bool json, void (*print)(const Json&));

/// Prints diagnostics to stderr and, with --json, to stdout as {"ok": ..., "diagnostics": [...]}; without
/// `ok` only the latter.
void report(const Diagnostics& diagnostics, bool json, std::optional<bool> ok = {});
/// report() and the exit code that goes with it: 2 where the command line is wrong whatever the files hold, 3
/// where a run that was needed deadlocks, 1 where a file, an input or a run is, or a name that the file does
/// not have.
int fail(const Diagnostics& diagnostics, bool json);

/// Writes an output file whole or not at all, and says so on stderr. Errors: "overwrites-input" where it is
/// one of the `inputs`, "file-unwritable" ...
Result<Done> writeOutput(const std::string& file, std::string_view bytes,
                         const std::vector<std::string>& inputs);
struct OutputFile {
  std::string name;
  std::function<std::string()> make;  ///< its bytes
};
/// The same of several: where one cannot be written, none is.
Result<Done> writeOutputs(const std::vector<OutputFile>& files, const std::vector<std::string>& inputs);
/// The refusal alone, for what is written in another way; then wrote() says so.
Result<Done> refuseInput(const std::string& file, const std::vector<std::string>& inputs);
void wrote(const std::string& file);

/// Writes `text` to `folder`/`name` (the folder is made if need be) and says so on stderr.
Result<Done> writeInto(const std::string& folder, const std::string& name, const std::string& text);

/// The commands, each in a file of its own; what they take and run.
Command checkCommand();
Command shapesCommand();
Command boundsCommand();
Command scheduleCommand();
Command proposalsCommand();
Command simulateCommand();
Command energyCommand();
Command unlockCommand();
Command depthFrontierCommand();
Command compareCommand();
Command calibrateCommand();
Command exploreCommand();
Command designCommand();
Command strategiesCommand();
Command explorationsCommand();
Command pointsCommand();
Command mergeCommand();
Command serveCommand();
Command schemaCommand();
Command workloadCommand();
Command reproduceCommand();
Command importCommand();
Command dotCommand();
Command itensorCommand();
Command parallelizeCommand();
Command compileCommand();
Command sizeFifosCommand();
Command throughputCommand();
Command exportCommand();
Command emitCommand();
Command helpCommand();
Command manPageCommand();

}  // namespace sluice::cli
