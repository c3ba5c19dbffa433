#include "engine/operators/buffers.h"

namespace sluice::inline operators {

std::optional<Diagnostic> checkBuffer(const ShapeContext& t) {
  const StreamType& in = t.in(0);
  const BufferType* buffer = in.element.buffer();
  if (!buffer) {
    return t.problem("element-mismatch", t.portName(0),
                     t.op.spec->kind + " reads buffers, but " + text(in) + " arrives",
                     "put a Bufferize in front of it");
  }
  const std::int64_t rank = t.integer("rank");
  if (rank == 0 || rank == static_cast<std::int64_t>(buffer->shape.size())) return {};
  return t.problem("rank-mismatch", t.portName(0),
                   "rank = " + std::to_string(rank) + ", but the buffers " + text(in.element) + " hold " +
                       std::to_string(buffer->shape.size()) + " dimensions",
                   "set rank to the rank of the Bufferize that made them");
}

Cost bufferCost(const ShapeContext& t, const Expr& reads) {
  const Expr tile = sizeOf(t.in(0).element.buffer()->tile);
  if (t.op.parameters.boolean("off_chip")) return {reads * tile, tile, {}, {}};
  return {{}, t.paperEquations() ? Expr() : sizeOf(t.in(0).element) + tile, {}, {}};
}

ParameterSpec offChipParameter() {
  return booleanParameter("off_chip", "the buffers lie off chip, for the memory and traffic counts", false);
}

}  // namespace sluice::inline operators
