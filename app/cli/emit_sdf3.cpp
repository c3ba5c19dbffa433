// sluice-cli emit sdf3: the kernels of a compiled tensor program as a dataflow graph of SDF3.

#include <memory>

#include "app/cli/compilation.h"
#include "app/cli/emit.h"
#include "engine/emitters/sdf3_form.h"

namespace sluice::cli {
namespace {

Result<std::vector<ProjectFile>> project(const EmitOptions& options) {
  SLUICE_CHECK(checkHasKernels(options));
  SLUICE_TRY(const CompilationSource source, compilationSource(options));
  SLUICE_TRY(const TensorCompilation compilation,
             tensorCompilation(source.document, source.inputs, source.knobs));
  return sdf3FilesOf(compilation, {.document = &source.document,
                                   .inputs = &source.inputs,
                                   .knobs = source.knobs,
                                   .choices = source.choices});
}

int runEmitSdf3(const EmitOptions& options) {
  const Result<std::vector<ProjectFile>> files = project(options);
  if (!files) return fail(files.diagnostics(), options.json);
  return writeProject(options, "sdf3", *files,
                      "'sluice-cli throughput graph.xml' there gives its throughput");
}

}  // namespace

Command emitSdf3Command() {
  const auto options = std::make_shared<EmitOptions>();
  Command command{
      .name = "sdf3",
      .summary = "the kernels of a compiled tensor program as a cyclo-static dataflow graph of SDF3",
      .examples = {{"emit sdf3 gpt2 --set tokens=4 -o gpt2_graph", "of a built-in model"},
                   {"emit sdf3 sample_workloads/gpt2_block.sluice --set tokens=32 -o block_graph --json",
                    "with FIFOs of the sized depths, and without limit"}},
      .options = programOptions(*options),
      .run = [options](Process&) { return runEmitSdf3(*options); }};
  addOutputOptions(command, *options);
  return command;
}

}  // namespace sluice::cli
