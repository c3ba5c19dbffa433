#include "engine/tensor/hls/bench_code.h"

#include <algorithm>

#include "engine/interchange/numpy.h"
#include "engine/tensor/hls/code_writer.h"
#include "engine/tensor/hls/group_code.h"
#include "engine/tensor/hls/stream_code.h"
#include "engine/tensor/programs/tensor_values.h"

namespace sluice::inline tensor {
namespace {

/// The memories that the bench has: a tensor each, and the tensor by whose layout the host sees it.
struct Memory {
  std::size_t storage = 0, seen_as = 0;
};

std::vector<Memory> memoriesOf(const HlsPlan& plan) {
  std::vector<Memory> memories;
  for (std::size_t tensor = 0; tensor < plan.tensors.size(); ++tensor)
    if (plan.tensors[tensor].storage == tensor && plan.tensors[tensor].moved)
      memories.push_back({tensor, tensor});
  for (Memory& memory : memories)
    for (std::size_t tensor = 0; tensor < plan.tensors.size(); ++tensor)
      if (plan.tensors[tensor].storage == memory.storage && plan.design().layouts[tensor] != ExternalLayout{})
        memory.seen_as = tensor;
  return memories;
}

class BenchWriter {
 public:
  explicit BenchWriter(const HlsPlan& plan)
      : plan_(plan), program_(plan.design().program), memories_(memoriesOf(plan)) {}

  std::string source() {
    code_.comment("Test bench of ", program_.name, ": inputs from data/, results to out/ and compared.");
    code_.blank();
    code_.line("#include <cmath>");
    code_.blank();
    code_.line("#include \"arrays.h\"");
    code_.line("#include \"design.h\"");
    code_.blank();
    code_.open("int main(int count, char** words)");
    code_.line("const bench::Options options = bench::optionsOf(count, words);");
    for (const Memory& memory : memories_) declareMemory(memory);
    for (std::size_t group = 0; group < plan_.tops.size(); ++group) callGroup(group);
    code_.line("bool right = true;");
    for (const std::size_t tensor : program_.results) checkResult(tensor);
    code_.line("bench::conclude(options);");
    code_.line("return right ? 0 : 1;");
    code_.close();
    return code_.text();
  }

 private:
  std::string memoryName(std::size_t tensor) const {
    return plan_.tensors[plan_.tensors[tensor].storage].name + "_memory";
  }
  std::size_t seenAs(std::size_t tensor) const {
    for (const Memory& memory : memories_)
      if (memory.storage == plan_.tensors[tensor].storage) return memory.seen_as;
    return tensor;
  }

  /// Loops over the elements of a tensor; gives the word and lane of each.
  std::string openElements(std::size_t tensor, const std::string& memory) {
    const std::vector<std::int64_t>& shape = program_.tensors[tensor].shape;
    std::string indices;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      code_.loop(joined("i", k), shape[k]);
      indices += joined(k == 0 ? "" : ", ", "i", k);
    }
    if (shape.empty()) code_.open("");
    const std::int64_t lanes = plan_.tensors[tensor].lanes;
    code_.line("const int at = layout::", plan_.tensors[tensor].address, "(", indices, ");");
    return joined(memory, "[at / ", lanes, "][at % ", lanes, "]");
  }
  void closeElements(std::size_t tensor) {
    for (std::size_t k = 0; k < std::max<std::size_t>(1, program_.tensors[tensor].shape.size()); ++k)
      code_.close();
  }

  void declareMemory(const Memory& memory) {
    const HlsTensor& own = plan_.tensors[memory.storage];
    const TensorValue& value = program_.tensors[memory.storage];
    code_.line("std::vector<", beatType(own.format, own.lanes), "> ", memoryName(memory.storage), "(",
               elementCount(value) / own.lanes, ");");
    if (value.role == TensorRole::Activation) return;
    code_.open("");
    code_.line("const std::vector<float> values = bench::readNpy(\"data/", own.name, ".npy\", ",
               elementCount(value), ");");
    code_.line("std::size_t next = 0;");
    const std::string element = openElements(memory.seen_as, memoryName(memory.storage));
    code_.line(element, " = ", keptAs(own.format, "values[next++]"), ";");
    closeElements(memory.seen_as);
    code_.close();
  }

  void callGroup(std::size_t group) {
    std::string arguments;
    for (const std::size_t task : transfersOf(plan_, group)) {
      const std::size_t tensor = transferPort(plan_.design().tasks[task]).tensor;
      arguments += (arguments.empty() ? "" : ", ") + memoryName(tensor) + ".data()";
    }
    code_.line(plan_.tops[group], "(", arguments, ");");
  }

  void checkResult(std::size_t tensor) {
    const std::string& name = plan_.tensors[tensor].name;
    const TensorValue& value = program_.tensors[tensor];
    const std::size_t seen = seenAs(tensor);
    code_.open("");
    code_.line("std::vector<float> values;");
    const std::string element = openElements(seen, memoryName(tensor));
    code_.line("values.push_back(", valueOf(plan_.tensors[tensor].format, element), ");");
    closeElements(seen);
    std::string shape;
    for (const std::int64_t extent : value.shape) shape += joined(extent, ", ");
    code_.line("bench::writeNpy(\"out/", name, ".npy\", \"(", shape, ")\", values);");
    code_.line("right = bench::agrees(\"", name, "\", values, bench::readNpy(\"data/expected_", name,
               ".npy\", ", elementCount(value), ")) && right;");
    code_.close();
  }

  const HlsPlan& plan_;
  const TensorProgram& program_;
  const std::vector<Memory> memories_;
  CodeWriter code_;
};

}  // namespace

std::string benchSource(const HlsPlan& plan) {
  return BenchWriter(plan).source();
}

Result<Done> checkBenchData(const TensorProgram& program) {
  constexpr std::int64_t most = std::int64_t{1} << 28;  // elements: a GiB
  std::int64_t elements = 0;
  for (const TensorValue& tensor : program.tensors)
    if (tensor.role != TensorRole::Activation) elements += elementCount(tensor);
  if (elements > most)
    return error("too-many", Location("data of the test bench"),
                 "its tensors have " + std::to_string(elements) + " elements; at most " +
                     std::to_string(most) + " are written",
                 "emit a smaller model or fewer blocks");
  return Done{};
}

std::vector<ProjectFile> benchData(const HlsPlan& plan, const TensorSet& given,
                                   std::span<const FloatTensor> values) {
  const TensorProgram& program = plan.design().program;
  std::vector<ProjectFile> files;
  for (const Memory& memory : memoriesOf(plan)) {
    const TensorValue& value = program.tensors[memory.storage];
    if (value.role != TensorRole::Activation)
      files.push_back(
          {"data/" + plan.tensors[memory.storage].name + ".npy", floatNpy(outsideTensor(value, given))});
  }
  for (const std::size_t tensor : program.results)
    files.push_back({"data/expected_" + plan.tensors[tensor].name + ".npy", floatNpy(values[tensor])});
  return files;
}

}  // namespace sluice::inline tensor
