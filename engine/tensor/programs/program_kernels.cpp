#include "engine/tensor/programs/program_kernels.h"

#include <algorithm>

namespace sluice::inline tensor {
namespace {

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

}  // namespace

bool isPlainReshape(const TensorOperator& op) {
  return op.kind == TensorOperatorKind::Reshape && op.before_steps.empty() && op.after_steps.empty();
}

ProgramKernels programKernels(const TensorProgram& program, std::int64_t tile) {
  const std::vector<std::size_t> uses = useCounts(program);
  const std::size_t tensors = program.tensors.size();
  ProgramKernels found{{},
                       std::vector<std::optional<std::size_t>>(tensors),
                       std::vector<bool>(tensors, false),
                       std::vector<bool>(tensors, false)};
  for (const std::size_t tensor : program.results) found.leaves[tensor] = true;
  for (std::size_t number = 0; number < program.operators.size(); ++number) {
    const TensorOperator& op = program.operators[number];
    const bool hands_out = isPlainReshape(op) && uses[op.output] == 1 && found.leaves[op.output];
    // A reshape of what no kernel writes is memory as well.
    const bool view = isPlainReshape(op) && !found.kernel_of[op.inputs[0]];
    if (hands_out) found.leaves[op.inputs[0]] = true;
    if (view || hands_out) continue;
    for (const std::size_t tensor : readTensors(op)) found.read[tensor] = true;
    found.kernel_of[op.output] = found.kernels.size();
    found.kernels.push_back({number, tiledAccesses(program, op, tile)});
  }
  return found;
}

std::optional<std::vector<std::int64_t>> tilesOf(const OperatorNest& nest, std::span<const ITensor> types) {
  std::vector<std::int64_t> tiles(nest.loops.size(), 0);
  for (std::size_t a = 0; a < nest.accesses.size(); ++a) {
    const std::vector<AffineForm>& index = nest.accesses[a].index;
    if (types[a].rank() != index.size()) return {};
    for (std::size_t k = 0; k < index.size(); ++k)
      if (const std::optional<std::size_t> loop = index[k].bareLoop()) tiles[*loop] = types[a].extent(k);
  }
  for (std::size_t d = 0; d < tiles.size(); ++d)
    if (tiles[d] < 1 || nest.loops[d].extent % tiles[d] != 0) return {};
  return tiles;
}

}  // namespace sluice::inline tensor
