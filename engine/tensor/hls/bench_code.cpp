#include "engine/tensor/hls/bench_code.h"

#include <algorithm>

#include "engine/interchange/numpy.h"
#include "engine/tensor/hls/code_writer.h"
#include "engine/tensor/hls/group_code.h"
#include "engine/tensor/hls/memory_code.h"
#include "engine/tensor/hls/stream_code.h"
#include "engine/tensor/programs/tensor_values.h"

namespace sluice::inline tensor {
namespace {

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
    code_.line("#include \"options.h\"");
    code_.blank();
    code_.open("int main(int count, char** words)");
    code_.line("const bench::Options options = bench::optionsOf(count, words, {", streamNames(), "});");
    for (const HlsMemory& memory : memories_) declareMemory(memory);
    for (std::size_t group = 0; group < plan_.tops.size(); ++group) callGroup(group);
    code_.line("bool right = true;");
    for (const std::size_t tensor : program_.results) checkResult(tensor);
    code_.line("bench::conclude(options);");
    code_.line("return right ? 0 : 1;");
    code_.close();
    return code_.text();
  }

 private:
  /// Those that --depth may name, as C++ has them.
  std::string streamNames() const {
    std::string names;
    const auto add = [&](const HlsFifo& fifo) {
      names += (names.empty() ? "\"" : ", \"") + fifo.name + "\"";
    };
    for (const HlsStream& stream : plan_.streams) {
      add(stream);
      if (!stream.cutter.empty()) add(stream.tiles);
    }
    return names;
  }

  /// Of the element whose address is `at`.
  std::string word(std::size_t tensor) const {
    return joined(memoryName(plan_, tensor), "[at / ", plan_.tensors[tensor].lanes, "]");
  }
  std::string lane(std::size_t tensor) const { return joined("at % ", plan_.tensors[tensor].lanes); }

  void declareMemory(const HlsMemory& memory) {
    const HlsTensor& own = plan_.tensors[memory.storage];
    const TensorValue& value = program_.tensors[memory.storage];
    code_.line("std::vector<", wordType(own), "> ", memoryName(plan_, memory.storage), "(",
               elementCount(value) / own.lanes, ");");
    if (value.role == TensorRole::Activation) return;
    code_.open("");
    code_.line("const std::vector<float> values = ", readFileCode(own.name, value), ";");
    code_.line("std::size_t next = 0;");
    openElements(code_, plan_, memory.seen_as);
    code_.line(writtenLane(own, word(memory.storage), lane(memory.storage)), " = ",
               keptAs(own.format, "values[next++]"), ";");
    closeElements(code_, plan_, memory.seen_as);
    code_.close();
  }

  void callGroup(std::size_t group) {
    std::string arguments;
    for (const std::size_t task : transfersOf(plan_, group)) {
      const std::size_t tensor = transferPort(plan_.design().tasks[task]).tensor;
      arguments += (arguments.empty() ? "" : ", ") + memoryName(plan_, tensor) + ".data()";
    }
    code_.line(plan_.tops[group], "(", arguments, ");");
  }

  void checkResult(std::size_t tensor) {
    const std::string& name = plan_.tensors[tensor].name;
    const TensorValue& value = program_.tensors[tensor];
    const HlsTensor& own = plan_.tensors[tensor];
    const std::size_t seen = seenAs(plan_, memories_, tensor);
    code_.open("");
    code_.line("std::vector<float> values;");
    openElements(code_, plan_, seen);
    code_.line("values.push_back(", valueOf(own.format, readLane(own, word(tensor), lane(tensor))), ");");
    closeElements(code_, plan_, seen);
    code_.line("bench::writeNpy(\"out/", name, ".npy\", \"", numpyShape(value), "\", values);");
    code_.line("right = bench::agrees(\"", name, "\", values, ", readFileCode("expected_" + name, value),
               ") && right;");
    code_.close();
  }

  const HlsPlan& plan_;
  const TensorProgram& program_;
  const std::vector<HlsMemory> memories_;
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
  for (const HlsMemory& memory : memoriesOf(plan)) {
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
