// A compiled tensor program as a dataflow graph of SDF3, for tools that analyse such graphs.

#include "engine/csdf/sdf3.h"
#include "engine/core/csv.h"
#include "engine/emitters/emitter.h"
#include "engine/emitters/hls_form.h"
#include "engine/emitters/sdf3_form.h"
#include "engine/schedule/compile_tensors.h"

namespace sluice::inline emitters {
namespace {

Result<std::vector<ProjectFile>> project(const EmitRequest& request) {
  SLUICE_CHECK(checkOneTensorProgram(*request.document, Location("the program")));
  SLUICE_TRY(const TensorCompilation compilation,
             tensorCompilation(*request.document, *request.inputs, request.knobs, request.stop));
  return sdf3FilesOf(compilation,
                     {.document = request.document, .inputs = request.inputs, .knobs = request.knobs});
}

}  // namespace

Result<DesignDataflow> dataflowOf(const TensorCompilation& compilation) {
  SLUICE_TRY(KernelDataflow kernels, kernelDataflow(compilation.compiled.timed));
  kernels.graph.name = compilation.node.empty() ? "kernels" : compilation.node;
  std::vector<std::int64_t> capacities(kernels.graph.channels.size(), -1);
  for (std::size_t stream = 0; stream < kernels.fifos.size(); ++stream)
    capacities[kernels.fifos[stream]] = compilation.compiled.sizing.fifos[stream].depth;
  return DesignDataflow{std::move(kernels), std::move(capacities)};
}

Result<std::vector<ProjectFile>> sdf3FilesOf(const TensorCompilation& compilation, ProjectOrigin origin) {
  SLUICE_TRY(const DesignDataflow design, dataflowOf(compilation));
  const TimedGraph& timed = compilation.compiled.timed;
  const CsdfGraph& graph = design.kernels.graph;
  CsvTable table({"channel", "from", "to", "depth", "token_bits"});
  for (std::size_t stream = 0; stream < timed.streams.size(); ++stream) {
    const TimedStream& ends = timed.streams[stream];
    const std::size_t channel = design.kernels.fifos[stream];
    table.row({graph.channels[channel].name, timed.kernels[ends.producer].name,
               timed.kernels[ends.consumer].name, std::to_string(design.capacities[channel]),
               std::to_string(ends.token_bits)});
  }
  std::vector<ProjectFile> files{{"graph.xml", writeSdf3(withCapacities(graph, design.capacities))},
                                 {"unlimited.xml", writeSdf3(graph)},
                                 {"fifos.csv", table.text()}};
  origin.form = "sdf3";
  addOrigin(files, origin);
  return files;
}

const Emitter& sdf3() {
  static const Emitter emitter{
      .name = "sdf3",
      .title = "SDF3 dataflow graph",
      .summary = "the kernels of a compiled tensor program as a cyclo-static dataflow graph of SDF3",
      .run = "sluice-cli throughput graph.xml",
      .project = project};
  return emitter;
}

}  // namespace sluice::inline emitters
