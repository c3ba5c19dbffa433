#include "engine/tensor/onnx/onnx_operators.h"

#include <map>
#include <vector>

#define SLUICE_ONNX_FAMILIES(X) \
  X(products)                   \
  X(pointwise)                  \
  X(rows)                       \
  X(views)                      \
  X(regions)                    \
  X(gathers)                    \
  X(scatters)                   \
  X(recurrences)                \
  X(windows)                    \
  X(padding)                    \
  X(attention)                  \
  X(rotary)                     \
  X(einsum)                     \
  X(resizing)                   \
  X(sampling)                   \
  X(fourier)                    \
  X(quantization)               \
  X(selection)                  \
  X(values)

namespace sluice::inline tensor {

#define SLUICE_DECLARE(family) std::span<const OnnxOperator> family##OfOnnx();
SLUICE_ONNX_FAMILIES(SLUICE_DECLARE)
#undef SLUICE_DECLARE

std::span<const OnnxOperator* const> onnxOperators() {
  static const std::vector<const OnnxOperator*> all = [] {
    std::vector<const OnnxOperator*> list;
#define SLUICE_LIST(family) \
  for (const OnnxOperator& op : family##OfOnnx()) list.push_back(&op);
    SLUICE_ONNX_FAMILIES(SLUICE_LIST)
#undef SLUICE_LIST
    return list;
  }();
  return all;
}

const OnnxOperator* onnxOperator(const std::string& name) {
  static const std::map<std::string_view, const OnnxOperator*> by_name = [] {
    std::map<std::string_view, const OnnxOperator*> map;
    for (const OnnxOperator* op : onnxOperators()) map.emplace(op->name, op);
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

}  // namespace sluice::inline tensor
