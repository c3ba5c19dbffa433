// A compiled tensor program as a Vitis HLS dataflow project that also runs without the vendor's tools.

#include "engine/core/cancelled.h"
#include "engine/emitters/emitter.h"
#include "engine/emitters/fitting_knobs.h"
#include "engine/emitters/hls_form.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/schedule/node_roles.h"
#include "engine/tensor/hls/hls_project.h"
#include "engine/tensor/placement/block_bound.h"
#include "engine/tensor/placement/compiled_placement.h"

namespace sluice::inline emitters {

const Emitter& hls();

namespace {

Result<std::vector<ProjectFile>> project(const EmitRequest& request) {
  Document document = *request.document;
  SLUICE_CHECK(checkOneTensorProgram(document, Location("the program")));
  if (!request.platform.empty()) {
    SLUICE_TRY(const Platform platform, platformNamed(request.platform));
    const bool mock_bf16 = document.machine.mock_bf16;
    document.machine = machineOf(platform);
    document.machine.mock_bf16 = mock_bf16;
  }
  SLUICE_TRY(TensorCompilation compilation,
             tensorCompilation(document, *request.inputs, request.knobs, request.stop));
  return hlsFilesOf(std::move(compilation),
                    {.platform = request.platform,
                     .data = request.data,
                     .vendor_headers = request.folder,
                     .narrow = request.numbers == hls().numbers.back().name},
                    {.document = &document, .inputs = request.inputs, .knobs = request.knobs}, request.stop);
}

}  // namespace

Result<Done> checkOneTensorProgram(const Document& document, const Location& place) {
  const std::vector<Node>& nodes = document.program.nodes;
  for (const Node& node : nodes)
    if (!holdsTensorProgram(node))
      return error("unsupported-operator", place / Location(Where::Node, node.name),
                   "'" + node.kind + "' has no HLS: what is emitted is one compiled tensor program",
                   "emit a file whose program is one operator TensorProgram");
  if (nodes.size() == 1) return Done{};
  return error("unsupported-operator", place,
               "it has " + std::to_string(nodes.size()) + " tensor programs; what is emitted is one",
               "emit a file whose program is one operator TensorProgram");
}

Result<std::vector<ProjectFile>> hlsFilesOf(TensorCompilation compilation, HlsForm form, ProjectOrigin origin,
                                            const std::stop_token& stop) {
  const bool placed = !form.platform.empty();
  SLUICE_TRY(const Platform platform, platformNamed(placed ? form.platform : "generic"));
  if (placed) {
    PlacementOptions placement;
    placement.dies.stop = stop;
    Result<PlacedDesign> design = placeCompiled(compilation.compiled, compilation.options,
                                                BoundOptions{}.products_per_dsp, platform, placement);
    Diagnostics why = design ? Diagnostics()
                             : withFittingKnobs(design.diagnostics(), *origin.document, *origin.inputs,
                                                origin.knobs, platform, stop);
    if (stop.stop_requested()) return cancelledDiagnostic();
    if (!design) return why;
    compilation.compiled = std::move(design->compiled);
  }
  SLUICE_TRY(std::vector<ProjectFile> files,
             hlsProject(compilation.compiled,
                        {platform, form.tensors, form.narrow, form.vendor_headers, form.data,
                         placed ? std::nullopt : std::optional(origin.document->machine.name)}));
  origin.form = "hls";
  origin.tensors = &form.tensors;
  origin.choices.emplace_back("numbers", form.narrow ? "program" : "float32");
  origin.choices.emplace_back("card", placed ? form.platform : "none");
  if (!placed) origin.choices.emplace_back("clock_and_memory_of", platform.name);
  if (!form.vendor_headers.empty()) origin.choices.emplace_back("vendor_headers", form.vendor_headers);
  addOrigin(files, origin);
  return files;
}

const Emitter& hls() {
  static const Emitter emitter{
      .name = "hls",
      .title = "Vitis HLS project",
      .summary = "a compiled tensor program as a Vitis HLS project that also runs with g++",
      .run = "make csim",
      .places = true,
      .has_data = true,
      .numbers = {{"float32", "float32"}, {"program", "those of the program: bf16, f16, i8, i4"}},
      .folder = FolderChoice{"headers", "Headers", "the project's own",
                             "With the vendor's headers 'make csim' compiles, instead of those that the "
                             "project brings"},
      .project = project};
  return emitter;
}

}  // namespace sluice::inline emitters
