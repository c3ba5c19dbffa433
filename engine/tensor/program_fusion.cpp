#include "engine/tensor/program_fusion.h"

#include <algorithm>
#include <numeric>

#include "engine/tensor/converter.h"
#include "engine/tensor/converter_sharing.h"
#include "engine/tensor/elementwise_fusion.h"
#include "engine/tensor/operator_nest.h"
#include "engine/tensor/unit_dimensions.h"

namespace sluice {
namespace {

struct TiledAccess {
  std::size_t tensor = 0;
  ITensor stream;
};

/// An operator's streams: those it reads, then the one it writes.
std::vector<TiledAccess> tiledAccesses(const TensorProgram& program, const TensorOperator& op,
                                       std::int64_t tile) {
  const OperatorNest nest = withoutUnitLoops(nestOf(program, op));
  const std::vector<std::int64_t> tiles = tileSizes(nest, tile);
  std::vector<TiledAccess> accesses;
  for (const OperatorAccess& access : nest.accesses)
    accesses.push_back(
        {access.tensor, tiledStream(nest, access, program.tensors[access.tensor].scalar, tiles)});
  return accesses;
}

std::int64_t tileBytes(const TiledAccess& access) {
  return bytesOf(tokenBits(access.stream));
}

}  // namespace

Result<FusionGraph> fusionGraph(const TensorProgram& program, std::int64_t tile) {
  if (tile < 1)
    return Diagnostic{Severity::Error, "tile size", "it is " + std::to_string(tile), "use at least 1"};
  FusionGraph graph;
  const auto written_by = writers(program);
  std::vector<std::vector<TiledAccess>> accesses;
  std::vector<ConverterUse> uses;  // one per edge
  const auto leaves = [&](std::size_t tensor) {
    return std::find(program.results.begin(), program.results.end(), tensor) != program.results.end();
  };
  for (const TensorOperator& op : program.operators) {
    accesses.push_back(tiledAccesses(program, op, tile));
    const std::vector<TiledAccess>& own = accesses.back();
    FusionKernel kernel{op.name, 0, 0};
    for (const TiledAccess& access : own) kernel.local_bytes += tileBytes(access);
    bool on_chip = false;  // whether the output has a reader, whose edge then carries its transfer
    for (const TensorOperator& reader : program.operators) {
      const std::vector<std::size_t> read = readTensors(reader);
      on_chip = on_chip || std::find(read.begin(), read.end(), op.output) != read.end();
    }
    if (!on_chip) kernel.memory_bytes += 2 * tileBytes(own.back());
    for (std::size_t i = 0; i + 1 < own.size(); ++i) {
      const TiledAccess& read = own[i];
      const TensorValue& tensor = program.tensors[read.tensor];
      if (!written_by[read.tensor]) {
        kernel.memory_bytes += 2 * tileBytes(read);
        continue;
      }
      const TiledAccess& source = accesses[*written_by[read.tensor]].back();
      const auto converter = inferConverter(source.stream, read.stream, tensor.shape);
      if (!converter) return converter.diagnostics();
      graph.edges.push_back({*written_by[read.tensor], accesses.size() - 1, read.tensor, converter->bytes,
                             storedBytes(tensor), tileBytes(source), tileBytes(read), leaves(read.tensor)});
      uses.push_back({read.tensor, read.stream});
    }
    graph.kernels.push_back(std::move(kernel));
  }
  const std::vector<ConverterGroup> shared = shareConverters(uses);
  for (std::size_t stream = 0; stream < shared.size(); ++stream)
    for (const std::size_t edge : shared[stream]) graph.edges[edge].stream = stream;
  return graph;
}

Result<IntermediateMemory> intermediateMemory(const TensorProgram& program, std::int64_t tile) {
  const auto graph = fusionGraph(withoutUnitDimensions(withElementwiseFused(program)), tile);
  if (!graph) return graph.diagnostics();
  IntermediateMemory memory;
  const auto written_by = writers(program);
  for (const std::size_t tensor : intermediates(program))
    if (program.operators[*written_by[tensor]].kind != TensorOperatorKind::Reshape)
      memory.unfused_bytes += storedBytes(program.tensors[tensor]);
  std::vector<std::size_t> all(graph->kernels.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  memory.converter_bytes = groupBytes(*graph, all, FusionMemory::Converters);
  memory.local_bytes = groupBytes(*graph, all, FusionMemory::LocalMemory) - memory.converter_bytes;
  return memory;
}

}  // namespace sluice
