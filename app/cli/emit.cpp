// sluice-cli emit: a design as a project for hardware. What it is written as is a subcommand: emit.h.

#include "app/cli/emit.h"

#include <iostream>

#include "app/cli/compilation.h"
#include "app/cli/json.h"
#include "app/cli/table.h"
#include "engine/core/printable.h"
#include "engine/emitters/emitter.h"
#include "engine/emitters/hls_form.h"

namespace sluice::cli {

namespace {

Result<OpenedSet> openFileOrModel(const FileOptions& options) {
  if (!isModel(options.file)) return openSet(options);
  SLUICE_TRY(CompilationSource source, compilationSource(options));
  SLUICE_TRY(WorkloadSet set, makeWorkloadSet(std::move(source.document), {}, inputFiles(options)));
  return OpenedSet{std::move(set), std::move(source.knobs)};
}

}  // namespace

Result<OpenedSet> openToEmit(const FileOptions& options) {
  SLUICE_TRY(OpenedSet opened, openFileOrModel(options));
  if (!opened.set.empty()) tellChosen(opened.set);
  return opened;
}

std::map<std::string, std::string> sourcesOf(const FileOptions& options) {
  std::map<std::string, std::string> sources;
  for (const std::string& input : options.inputs) sources.insert(assignment(input));
  return sources;
}

Result<Done> checkCompilable(const FileOptions& options) {
  if (isModel(options.file)) return Done{};
  SLUICE_TRY(const Opened opened, open(options));
  return checkOneTensorProgram(opened.workload->document, Location(Where::File, options.file));
}

Result<Done> checkHasKernels(const FileOptions& options) {
  if (isModel(options.file)) return Done{};
  SLUICE_TRY(const Opened opened, open(options));
  if (compilesTensors(opened.workload->document)) return checkCompilable(options);
  return error("unsupported-operator", Location(Where::File, options.file),
               "it compiles no tensor program; only kernels have rates that are known without a run",
               "'sluice-cli bounds FILE --run' tells what it can reach and how far it is from that");
}

void addOutputOptions(Command& command, EmitOptions& options) {
  command.add(
      output_option, options.output,
      "the folder to write; one that is there must be empty, or of an earlier emit: then its files are "
      "replaced, and what else lies in it is kept",
      {.type = "FOLDER", .required = true});
  command.add("--replace", options.replace,
              "replace files of an earlier emit also where they were changed since");
}

int writeProject(const EmitOptions& options, const std::string& emitter,
                 const std::vector<ProjectFile>& files, const std::string& next) {
  const Result<WrittenFolder> written =
      writeProjectFolder(options.output, files, projectKind(emitter),
                         options.replace ? ChangedFiles::Replace : ChangedFiles::Refuse);
  if (!written) return fail(written.diagnostics(), options.json);
  if (options.json) {
    Json names = Json::array();
    for (const ProjectFile& file : files) names.push_back(file.path);
    printJson({{"program", options.file},
               {"output", options.output},
               {"files", std::move(names)},
               {"kept", written->kept},
               {"changed_replaced", written->files}});
  } else {
    const std::string kept = keptText(*written);
    std::cout << "wrote " << files.size() << " files into " << printableName(options.output)
              << (kept.empty() ? "" : "; ") << printableName(kept);
    if (!written->files.empty()) std::cout << "; replaced " << counted(written->files.size(), "changed file");
    std::cout << "; " << next << "\n";
  }
  return ExitDone;
}

Command emitCommand() {
  const auto run = [](Process&) -> int {
    throw WrongUse{"missing-argument", "emit needs a form: hls, rtl, sdf3 or step"};
  };
  return {.name = "emit",
          .summary =
              "write a design for other tools: 'emit hls' for Vitis HLS, 'emit rtl' as SystemVerilog, 'emit "
              "sdf3' as a dataflow graph, 'emit step' for STeP's simulator",
          .examples = {{"emit hls gpt2 --set tokens=4 --no-data -o gpt2_sources", "the C++ of a block"},
                       {"emit rtl sample_workloads/swiglu.sluice -o swiglu_rtl",
                        "a scheduled program, its FIFOs and its memory as modules that Verilator runs"},
                       {"emit step sample_workloads/simple_moe.sluice -o simple_moe_step",
                        "a scheduled program for STeP's simulator, with the cycles that are expected"}},
          .run = run,
          .commands = {emitHlsCommand(), emitRtlCommand(), emitSdf3Command(), emitStepCommand()}};
}

}  // namespace sluice::cli
