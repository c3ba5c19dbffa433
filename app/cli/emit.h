#pragma once
// The forms of sluice-cli emit, each a subcommand in a file of its own.

#include <map>
#include <string>

#include "app/cli/command.h"
#include "engine/core/project_folder.h"

namespace sluice::cli {

Command emitHlsCommand();
Command emitRtlCommand();
Command emitSdf3Command();
Command emitStepCommand();

/// A file, or a model by its name as the other forms take it: what it compiles to is refused by the operator.
/// Of inputs that are sets of traces the chosen one, which is told.
Result<OpenedSet> openToEmit(const FileOptions& options);

/// Input -> what was given in the document's place.
std::map<std::string, std::string> sourcesOf(const FileOptions& options);

/// That a file which is no built-in model opens and has one tensor program.
Result<Done> checkCompilable(const FileOptions& options);

/// The same, for a dataflow graph of its kernels: only these have rates that are known without a run.
Result<Done> checkHasKernels(const FileOptions& options);

/// Where a project is written: -o and --replace.
struct EmitOptions : FileOptions {
  std::string output;
  bool replace = false;
};
void addOutputOptions(Command& command, EmitOptions& options);

/// Writes the files into the folder, tells of them and of what was kept there, and gives the exit code.
/// `emitter`: its name; `next`: what to do there.
int writeProject(const EmitOptions& options, const std::string& emitter,
                 const std::vector<ProjectFile>& files, const std::string& next);

}  // namespace sluice::cli
