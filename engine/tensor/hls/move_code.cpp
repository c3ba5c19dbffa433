// Kernels that compute nothing: reshape, transpose, slice, concat, expand, where, fill.

#include "engine/tensor/dataflow/dataflow_tiles.h"
#include "engine/tensor/hls/operator_code.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

/// Element e of a tensor of shape `part` in one of shape `whole`, from `begin` on along the axis.
std::string placedAlong(std::span<const std::int64_t> part, std::span<const std::int64_t> whole,
                        std::size_t axis, std::int64_t begin) {
  std::vector<std::string> indices;
  for (std::size_t k = 0; k < part.size(); ++k) {
    std::string index = coordinate("e", part, k);
    if (k == axis && begin > 0) index = index == "0" ? std::to_string(begin) : joined(index, " + ", begin);
    indices.push_back(std::move(index));
  }
  return elementAt(indices, whole);
}

}  // namespace

/// The number of the element of the first input that element e of the result is.
std::string OperatorCode::sourceOfMove() const {
  const std::vector<std::int64_t>& from = tiles_[0];
  if (op_.kind == Kind::Slice) return placedAlong(tile_, from, op_.axis, op_.begin);
  std::vector<std::string> indices(from.size(), "0");
  if (op_.kind == Kind::Transpose)
    for (std::size_t k = 0; k < tile_.size(); ++k) indices[op_.permutation[k]] = coordinate("e", tile_, k);
  else if (op_.kind == Kind::Expand)
    for (std::size_t k = 0; k < tile_.size(); ++k)
      indices[k] = from[k] == 1 ? "0" : coordinate("e", tile_, k);
  else
    return "e";
  return elementAt(indices, from);
}

void OperatorCode::moving(CodeWriter& code) const {
  flatLoop(code, result_.size());
  if (op_.kind == Kind::Fill)
    code.line("result[e] = ", floatLiteral(op_.number.value_or(0.0f)), ";");
  else if (op_.kind == Kind::Where)
    code.line("result[e] = ", second(0, result_.size()), " != 0.0f ? ", second(1, result_.size()), " : ",
              second(2, result_.size()), ";");
  else
    code.line("result[e] = x0[", sourceOfMove(), "];");
  code.close();
}

void OperatorCode::concat(CodeWriter& code) const {
  std::int64_t begin = 0;
  for (std::size_t input = 0; input < op_.inputs.size(); ++input) {
    flatLoop(code, inputs_[input].size());
    code.line("result[", placedAlong(tiles_[input], tile_, op_.axis, begin), "] = x", input, "[e];");
    code.close();
    begin += tiles_[input][op_.axis];
  }
}

}  // namespace sluice::inline tensor
