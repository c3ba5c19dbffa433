#pragma once
// What the subcommands about tensor programs share: a program from a file or by the name of a model,
// compiled.

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/lowering/fifo_simulation.h"
#include "engine/tensor/placement/platform.h"

namespace sluice::cli {

/// FILE or the name of a model, --json, --set; `file` is the help of the first.
std::vector<Option> programOptions(FileOptions& options,
                                   std::string file = "a .sluice file, or gpt2, qwen, llama or gemma");

/// Whether this is the name of a model, and of no file.
bool isModel(const std::string& file);
/// What is compiled.
struct CompilationSource {
  Document document;
  InputSet inputs;
  KnobValues knobs;
  std::vector<std::pair<std::string, std::string>> choices;  ///< of a model: what --set names; rewrites
};
Result<CompilationSource> compilationSource(const FileOptions& options, const Platform* platform = nullptr,
                                            const std::vector<std::string>& rewrites = {});

/// A .sluice file at its knobs, or a model: then --set names parameters of TensorProgram and arguments of
/// compile_tensors. Where a platform is given, its machine stands for the document's. `rewrites`, in words,
/// come behind those that the schedule names.
Result<TensorCompilation> compileProgram(const FileOptions& options, const Platform* platform = nullptr,
                                         const std::vector<std::string>& rewrites = {});

/// The cycles of {"state", "cycles"}, or "deadlock".
std::string writtenRun(const Json& run);

}  // namespace sluice::cli
