// Images made larger by whole numbers, and blocks of elements that become channels or come from them.

#include <algorithm>
#include <cmath>

#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

std::string textOf(const OnnxNode& node, const std::string& attribute, const std::string& otherwise) {
  const auto found = node.texts.find(attribute);
  return found == node.texts.end() ? otherwise : found->second;
}

/// Resize(x, region, scales, sizes), of which the last two may be missing.
void inferResize(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  const bool upsample = infer.node().op == "Upsample";
  const std::size_t scales = upsample ? 1 : 2;
  if (infer.node().lists.contains("axes")) OnnxInference::giveUp();
  if (infer.given(scales) && !infer.elements(scales).empty()) {
    const std::vector<double>& factors = infer.elements(scales);
    if (factors.size() != shape.size()) OnnxInference::giveUp();
    for (std::size_t k = 0; k < shape.size(); ++k)
      shape[k] = integerFrom(std::floor(static_cast<double>(shape[k]) * factors[k]));
  } else {
    if (upsample || !infer.given(3)) OnnxInference::giveUp();
    const OnnxShape sizes = infer.integers(3);
    if (sizes.size() != shape.size()) OnnxInference::giveUp();
    shape = sizes;
  }
  infer.result(0, shape);
}

/// Every element so often as its dimension grows: the nearest one, whatever the rule for halves.
void resize(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape from = to.shape(node.inputs[0]), whole = to.shape(node.outputs[0]);
  if (textOf(node, "mode", "nearest") != "nearest") throw OnnxUnknown("it interpolates");
  const std::string where = textOf(node, "coordinate_transformation_mode", "half_pixel"),
                    nearest = textOf(node, "nearest_mode", "round_prefer_floor");
  const bool below = where == "asymmetric" && nearest == "floor";
  const bool middle = where == "half_pixel" && nearest.starts_with("round");
  if (!below && !middle && node.op != "Upsample")
    throw OnnxUnknown("which element is nearest follows another rule");
  if (from.size() != whole.size()) throw OnnxUnknown("the shapes of its results are not known");
  OnnxShape apart, many;
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (from[k] < 1 || whole[k] % from[k] != 0) throw OnnxUnknown("it grows by no whole number");
    apart.push_back(from[k]), many.push_back(from[k]);
    if (whole[k] == from[k]) continue;
    apart.push_back(1), many.push_back(whole[k] / from[k]);
  }
  const std::string& name = node.outputs[0];
  const std::size_t x = to.reshaped(to.tensor(node.inputs[0]), apart, name + " apart");
  to.give(node, to.reshaped(to.expanded(x, many, name + " repeated"), whole, name));
}

void inferDepthToSpace(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  const std::int64_t block = integerOf(infer.node(), "blocksize", 0);
  const bool to_space = infer.node().op == "DepthToSpace";
  if (shape.size() != 4 || block < 1 || block > (1 << 15)) OnnxInference::giveUp();
  const std::int64_t square = block * block;
  if (to_space ? shape[1] % square != 0 : shape[2] % block != 0 || shape[3] % block != 0)
    OnnxInference::giveUp();
  shape[1] = to_space ? shape[1] / square : shape[1] * square;
  for (const std::size_t k : {2, 3}) shape[k] = to_space ? shape[k] * block : shape[k] / block;
  infer.result(0, shape);
}

void depthToSpace(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape from = to.shape(node.inputs[0]), whole = to.shape(node.outputs[0]);
  const std::int64_t block = integerOf(node, "blocksize", 0);
  if (from.size() != 4 || whole.size() != 4 || block < 1) throw OnnxUnknown("its input is no image");
  const bool to_space = node.op == "DepthToSpace", rows_first = textOf(node, "mode", "DCR") == "DCR";
  OnnxShape apart;
  std::vector<std::size_t> order;
  if (!to_space) {
    apart = {from[0], from[1], whole[2], block, whole[3], block};
    order = {0, 3, 5, 1, 2, 4};
  } else if (rows_first) {
    apart = {from[0], block, block, whole[1], from[2], from[3]};
    order = {0, 3, 4, 1, 5, 2};
  } else {
    apart = {from[0], whole[1], block, block, from[2], from[3]};
    order = {0, 1, 4, 2, 5, 3};
  }
  const std::string& name = node.outputs[0];
  const std::size_t x = to.reshaped(to.tensor(node.inputs[0]), apart, name + " apart");
  to.give(node, to.reshaped(to.transposed(x, order, name + " in order"), whole, name));
}

}  // namespace

std::span<const OnnxOperator> resizingOfOnnx() {
  static constexpr OnnxOperator all[] = {{"Resize", inferResize, resize},
                                         {"Upsample", inferResize, resize},
                                         {"DepthToSpace", inferDepthToSpace, depthToSpace},
                                         {"SpaceToDepth", inferDepthToSpace, depthToSpace}};
  return all;
}

}  // namespace sluice::inline tensor
