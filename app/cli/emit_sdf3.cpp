// sluice-cli emit sdf3: the kernels of a compiled tensor program as a dataflow graph of SDF3.

#include <memory>

#include "app/cli/compilation.h"
#include "app/cli/emit.h"
#include "engine/emitters/sdf3_form.h"

namespace sluice::cli {
namespace {

struct EmitSdf3Options : FileOptions {
  std::string output;
};

Result<std::vector<ProjectFile>> project(const EmitSdf3Options& options) {
  SLUICE_CHECK(checkHasKernels(options));
  SLUICE_TRY(const TensorCompilation compilation, compileProgram(options));
  return sdf3FilesOf(compilation);
}

int runEmitSdf3(const EmitSdf3Options& options) {
  const Result<std::vector<ProjectFile>> files = project(options);
  if (!files) return fail(files.diagnostics(), options.json);
  return writeProject(options, options.output, *files,
                      "'sluice-cli throughput graph.xml' there gives its throughput");
}

}  // namespace

Command emitSdf3Command() {
  const auto options = std::make_shared<EmitSdf3Options>();
  Command command{
      .name = "sdf3",
      .summary = "the kernels of a compiled tensor program as a cyclo-static dataflow graph of SDF3",
      .examples = {{"emit sdf3 gpt2 --set tokens=4 -o gpt2_graph", "of a built-in model"},
                   {"emit sdf3 sample_workloads/gpt2_block.sluice --set tokens=32 -o block_graph --json",
                    "with FIFOs of the sized depths, and without limit"}},
      .options = programOptions(*options),
      .run = [options](Process&) { return runEmitSdf3(*options); }};
  command.add(
      "-o,--output", options->output,
      "the folder to write; one that is there must be empty, or of an earlier emit, which it replaces",
      {.type = "FOLDER", .required = true});
  return command;
}

}  // namespace sluice::cli
