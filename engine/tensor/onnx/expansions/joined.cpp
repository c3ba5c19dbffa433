// Operators of com.microsoft as simpler ones: what its optimizer joins.

#include "engine/tensor/onnx/onnx_expansion.h"

namespace sluice::inline tensor {
namespace {

void skipNormalization(OnnxExpansion& to) {
  const bool layer = to.node.op == "SkipLayerNormalization";
  const std::size_t bias = layer ? 4 : 3;
  std::string sum = to.add("Add", {to.in(0), to.in(1)});
  if (to.has(bias)) sum = to.add("Add", {sum, to.in(bias)});
  if (to.wants(1) || to.wants(2)) return to.made.clear();
  if (to.wants(3)) {
    to.give(3);
    sum = to.node.outputs[3];
  }
  std::vector<std::string> inputs{sum, to.in(2)};
  if (layer) inputs.push_back(to.in(3));
  to.add(layer ? "LayerNormalization" : "RMSNormalization", std::move(inputs));
  to.made.back().integers["axis"] = -1;
  to.made.back().numbers["epsilon"] = numberOf(to.node, "epsilon", layer ? 1e-12 : 1e-5);
  to.give();
}

void biasedGelu(OnnxExpansion& to) {
  const std::string x = to.has(1) ? to.add("Add", {to.in(0), to.in(1)}) : to.in(0);
  to.add("Gelu", {x});
  if (to.node.op == "FastGelu") to.made.back().texts["approximate"] = "tanh";
  to.give();
}

}  // namespace

std::span<const OnnxExpansionRule> joinedExpansionsOfOnnx() {
  static constexpr OnnxExpansionRule all[] = {{"SkipLayerNormalization", skipNormalization},
                                              {"SkipSimplifiedLayerNormalization", skipNormalization},
                                              {"BiasGelu", biasedGelu},
                                              {"FastGelu", biasedGelu}};
  return all;
}

}  // namespace sluice::inline tensor
