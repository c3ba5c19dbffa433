#include "engine/tensor/fusion/program_fusion.h"

#include <numeric>

#include "engine/itensor/converter.h"
#include "engine/itensor/converter_sharing.h"
#include "engine/tensor/programs/elementwise_fusion.h"
#include "engine/tensor/programs/program_kernels.h"
#include "engine/tensor/programs/repeated_layers.h"
#include "engine/tensor/programs/unit_dimensions.h"

namespace sluice::inline tensor {
namespace {

std::int64_t tileBytes(const TiledAccess& access) {
  return bytesOf(tokenBits(access.stream));
}

class GraphBuilder {
 public:
  GraphBuilder(const TensorProgram& program, std::int64_t tile, ConverterOrder order)
      : program_(program), kernels_(programKernels(program, tile)), order_(order) {}

  Result<ProgramFusion> build() {
    for (std::size_t kernel = 0; kernel < kernels_.kernels.size(); ++kernel) {
      built_.operators.push_back(kernels_.kernels[kernel].op);
      SLUICE_CHECK(addKernel(kernel));
    }
    const std::vector<ConverterGroup> shared = shareConverters(converters_);
    for (std::size_t stream = 0; stream < shared.size(); ++stream)
      for (const std::size_t edge : shared[stream]) built_.graph.edges[edge].stream = stream;
    return std::move(built_);
  }

 private:
  Result<Done> addKernel(std::size_t number) {
    const ProgramKernel& own = kernels_.kernels[number];
    FusionKernel kernel{program_.operators[own.op].name, 0, 0};
    for (const TiledAccess& access : own.accesses) kernel.local_bytes += tileBytes(access);
    // Where a kernel reads the tensor, its edge carries the transfer to memory.
    if (!kernels_.read[own.result().tensor]) kernel.memory_bytes += 2 * tileBytes(own.result());
    for (const TiledAccess& read : own.reads()) {
      const TensorValue& tensor = program_.tensors[read.tensor];
      const std::optional<std::size_t> producer = kernels_.kernel_of[read.tensor];
      if (!producer) {
        kernel.memory_bytes += 2 * tileBytes(read);
        continue;
      }
      const TiledAccess& source = kernels_.kernels[*producer].result();
      SLUICE_TRY(const Converter converter, inferConverter(source.stream, read.stream, tensor.shape, order_));
      built_.graph.edges.push_back({*producer, number, read.tensor, converter.bytes, storedBytes(tensor),
                                    tileBytes(source), tileBytes(read), kernels_.leaves[read.tensor]});
      converters_.push_back({read.tensor, read.stream});
    }
    built_.graph.kernels.push_back(std::move(kernel));
    return Done{};
  }

  const TensorProgram& program_;
  ProgramKernels kernels_;
  ConverterOrder order_;
  std::vector<ConverterUse> converters_;  ///< one per edge
  ProgramFusion built_;
};

}  // namespace

Result<ProgramFusion> fusionGraph(const TensorProgram& program, std::int64_t tile, ConverterOrder order) {
  if (tile < 1) return error("out-of-range", "tile size", "it is " + std::to_string(tile), "use at least 1");
  return GraphBuilder(program, tile, order).build();
}

ProgramFusion withLayersApart(ProgramFusion fusion, const TensorProgram& program) {
  const RepeatedLayers layers = repeatedLayers(program);
  for (std::size_t kernel = 0; kernel < fusion.operators.size(); ++kernel)
    fusion.graph.kernels[kernel].layer = layers.layerOf(fusion.operators[kernel]);
  return fusion;
}

Result<IntermediateMemory> intermediateMemory(const TensorProgram& program, std::int64_t tile) {
  SLUICE_TRY(const ProgramFusion fusion,
             fusionGraph(withoutUnitDimensions(withElementwiseFused(program)), tile));
  const FusionGraph& graph = fusion.graph;
  IntermediateMemory memory;
  const auto written_by = writers(program);
  for (const std::size_t tensor : intermediates(program))
    if (program.operators[*written_by[tensor]].kind != TensorOperatorKind::Reshape)
      memory.unfused_bytes += storedBytes(program.tensors[tensor]);
  std::vector<std::size_t> all(graph.kernels.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  memory.converter_bytes = groupBytes(graph, all, FusionMemory::Converters);
  memory.local_bytes = groupBytes(graph, all, FusionMemory::LocalMemory) - memory.converter_bytes;
  return memory;
}

}  // namespace sluice::inline tensor
