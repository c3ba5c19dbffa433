#pragma once
// The memories that a test bench or a host program has, and the loops over the elements of a tensor in one.

#include <string>
#include <vector>

#include "engine/tensor/hls/code_writer.h"
#include "engine/tensor/hls/hls_plan.h"

namespace sluice::inline tensor {

/// A tensor of its own, and the tensor by whose layout the host sees it.
struct HlsMemory {
  std::size_t storage = 0, seen_as = 0;
};
std::vector<HlsMemory> memoriesOf(const HlsPlan& plan);
/// By whose layout the host sees this tensor, which lies in one of the memories.
std::size_t seenAs(const HlsPlan& plan, const std::vector<HlsMemory>& memories, std::size_t tensor);
/// "x_memory": the variable of the memory that the tensor lies in.
std::string memoryName(const HlsPlan& plan, std::size_t tensor);

/// Loops over the elements of a tensor in their order; inside, `at` is the element's address.
void openElements(CodeWriter& code, const HlsPlan& plan, std::size_t tensor);
void closeElements(CodeWriter& code, const HlsPlan& plan, std::size_t tensor);
/// "(8, 16, )": the tensor's extents as NumPy writes them.
std::string numpyShape(const TensorValue& tensor);
/// "bench::readNpy("data/x.npy", {8, 16})": the values of a file that must have the tensor's shape.
std::string readFileCode(const std::string& file, const TensorValue& tensor);

}  // namespace sluice::inline tensor
