#include "engine/tensor/hls/memory_code.h"

#include <algorithm>

namespace sluice::inline tensor {

std::vector<HlsMemory> memoriesOf(const HlsPlan& plan) {
  std::vector<HlsMemory> memories;
  for (std::size_t tensor = 0; tensor < plan.tensors.size(); ++tensor)
    if (plan.tensors[tensor].storage == tensor && plan.tensors[tensor].moved)
      memories.push_back({tensor, tensor});
  for (HlsMemory& memory : memories)
    for (std::size_t tensor = 0; tensor < plan.tensors.size(); ++tensor)
      if (plan.tensors[tensor].storage == memory.storage && plan.design().layouts[tensor] != ExternalLayout{})
        memory.seen_as = tensor;
  return memories;
}

std::size_t seenAs(const HlsPlan& plan, const std::vector<HlsMemory>& memories, std::size_t tensor) {
  for (const HlsMemory& memory : memories)
    if (memory.storage == plan.tensors[tensor].storage) return memory.seen_as;
  return tensor;
}

std::string memoryName(const HlsPlan& plan, std::size_t tensor) {
  return plan.tensors[plan.tensors[tensor].storage].name + "_memory";
}

void openElements(CodeWriter& code, const HlsPlan& plan, std::size_t tensor) {
  const std::vector<std::int64_t>& shape = plan.design().program.tensors[tensor].shape;
  std::string indices;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    code.loop(joined("i", k), shape[k]);
    indices += joined(k == 0 ? "" : ", ", "i", k);
  }
  if (shape.empty()) code.open("");
  code.line("const int at = layout::", plan.tensors[tensor].address, "(", indices, ");");
}

void closeElements(CodeWriter& code, const HlsPlan& plan, std::size_t tensor) {
  const std::size_t rank = plan.design().program.tensors[tensor].shape.size();
  for (std::size_t k = 0; k < std::max<std::size_t>(1, rank); ++k) code.close();
}

std::string numpyShape(const TensorValue& tensor) {
  std::string shape;
  for (const std::int64_t extent : tensor.shape) shape += joined(extent, ", ");
  return "(" + shape + ")";
}

std::string readFileCode(const std::string& file, const TensorValue& tensor) {
  std::string shape;
  for (const std::int64_t extent : tensor.shape) shape += joined(shape.empty() ? "" : ", ", extent);
  return joined("bench::readNpy(\"data/", file, ".npy\", {", shape, "})");
}

}  // namespace sluice::inline tensor
