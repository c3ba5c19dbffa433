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

bool contains(const std::vector<std::size_t>& numbers, std::size_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

class GraphBuilder {
 public:
  GraphBuilder(const TensorProgram& program, std::int64_t tile)
      : program_(program), tile_(tile), uses_(useCounts(program)), kernel_of_(program.tensors.size()) {
    leaves_.assign(program.tensors.size(), false);
    for (const std::size_t tensor : program.results) leaves_[tensor] = true;
    for (const TensorOperator& op : program.operators)
      if (handsOut(op)) leaves_[op.inputs[0]] = true;
  }

  Result<ProgramFusion> build() {
    for (std::size_t number = 0; number < program_.operators.size(); ++number) {
      const TensorOperator& op = program_.operators[number];
      // A reshape of what no kernel writes is memory as well.
      const bool view = isPlainReshape(op) && !kernel_of_[op.inputs[0]];
      if (view || handsOut(op)) continue;
      kernel_of_[op.output] = built_.operators.size();
      built_.operators.push_back(number);
      accesses_.push_back(tiledAccesses(program_, op, tile_));
      const Result<Done> added = addKernel(op);
      if (!added) return added.diagnostics();
    }
    const std::vector<ConverterGroup> shared = shareConverters(converters_);
    for (std::size_t stream = 0; stream < shared.size(); ++stream)
      for (const std::size_t edge : shared[stream]) built_.graph.edges[edge].stream = stream;
    return std::move(built_);
  }

 private:
  static bool isPlainReshape(const TensorOperator& op) {
    return op.kind == TensorOperatorKind::Reshape && op.before_steps.empty() && op.after_steps.empty();
  }

  bool handsOut(const TensorOperator& op) const {
    return isPlainReshape(op) && uses_[op.output] == 1 && contains(program_.results, op.output);
  }

  Result<Done> addKernel(const TensorOperator& op) {
    const std::vector<TiledAccess>& own = accesses_.back();
    FusionKernel kernel{op.name, 0, 0};
    for (const TiledAccess& access : own) kernel.local_bytes += tileBytes(access);
    if (!hasReader(op.output)) kernel.memory_bytes += 2 * tileBytes(own.back());
    for (std::size_t i = 0; i + 1 < own.size(); ++i) {
      const TiledAccess& read = own[i];
      const TensorValue& tensor = program_.tensors[read.tensor];
      const std::optional<std::size_t> producer = kernel_of_[read.tensor];
      if (!producer) {
        kernel.memory_bytes += 2 * tileBytes(read);
        continue;
      }
      const TiledAccess& source = accesses_[*producer].back();
      const auto converter = inferConverter(source.stream, read.stream, tensor.shape);
      if (!converter) return converter.diagnostics();
      built_.graph.edges.push_back({*producer, accesses_.size() - 1, read.tensor, converter->bytes,
                                    storedBytes(tensor), tileBytes(source), tileBytes(read),
                                    leaves_[read.tensor]});
      converters_.push_back({read.tensor, read.stream});
    }
    built_.graph.kernels.push_back(std::move(kernel));
    return Done{};
  }

  /// Whether a kernel reads the tensor: its edge then carries the transfer to memory.
  bool hasReader(std::size_t tensor) const {
    return std::any_of(program_.operators.begin(), program_.operators.end(), [&](const TensorOperator& op) {
      return !handsOut(op) && contains(readTensors(op), tensor);
    });
  }

  const TensorProgram& program_;
  std::int64_t tile_;
  std::vector<std::size_t> uses_;
  std::vector<bool> leaves_;                           ///< to external memory, each tensor
  std::vector<std::optional<std::size_t>> kernel_of_;  ///< that writes each tensor
  std::vector<std::vector<TiledAccess>> accesses_;     ///< each kernel's
  std::vector<ConverterUse> converters_;               ///< one per edge
  ProgramFusion built_;
};

}  // namespace

Result<ProgramFusion> fusionGraph(const TensorProgram& program, std::int64_t tile) {
  if (tile < 1)
    return Diagnostic{Severity::Error, "tile size", "it is " + std::to_string(tile), "use at least 1"};
  return GraphBuilder(program, tile).build();
}

Result<IntermediateMemory> intermediateMemory(const TensorProgram& program, std::int64_t tile) {
  const auto fusion = fusionGraph(withoutUnitDimensions(withElementwiseFused(program)), tile);
  if (!fusion) return fusion.diagnostics();
  const FusionGraph& graph = fusion->graph;
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

}  // namespace sluice
