#include "engine/tensor/hls/host_code.h"

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/hls/code_writer.h"
#include "engine/tensor/hls/group_code.h"
#include "engine/tensor/hls/memory_code.h"
#include "engine/tensor/hls/stream_code.h"

namespace sluice::inline tensor {
namespace {

class HostWriter {
 public:
  HostWriter(const HlsPlan& plan, std::span<const MemoryChannels> channels, const PlatformMemory& memory)
      : plan_(plan),
        program_(plan.design().program),
        memories_(memoriesOf(plan)),
        channels_(channels),
        platform_memory_(memory) {}

  std::string source() {
    code_.comment("Host program of ", program_.name,
                  " for the vendor's runtime (XRT): inputs from data/ into the");
    code_.comment("card's memory, the groups one after the other, results to out/ and compared; with times.");
    code_.blank();
    code_.line("#include \"arrays.h\"");
    code_.line("#include \"card.h\"");
    code_.line("#include \"layout.h\"");
    if (!plan_.formats.empty()) code_.line("#include \"numbers.h\"");
    code_.blank();
    code_.open("static int run(const host::Options& options)");
    code_.line("const host::Card card(options);");
    for (const std::string& top : plan_.tops) code_.line("host::Kernel ", top, "(card, \"", top, "\");");
    for (const HlsMemory& memory : memories_) fill(memory);
    runGroups();
    code_.line("bool right = true;");
    for (const std::size_t tensor : program_.results) checkResult(tensor);
    code_.line("double milliseconds = 0;");
    for (const std::string& top : plan_.tops) code_.line("milliseconds += ", top, ".report();");
    code_.line("std::printf(\"all groups: %.6g ms\\n\", milliseconds);");
    code_.line("return right ? 0 : 1;");
    code_.close();
    code_.blank();
    code_.open("int main(int count, char** words)");
    code_.open("try");
    code_.line("return run(host::optionsOf(count, words));");
    code_.close(" catch (const std::exception& problem) {");
    code_.line("  std::fprintf(stderr, \"%s\\n\", problem.what());");
    code_.line("  return 2;");
    code_.line("}");
    code_.close();
    return code_.text();
  }

 private:
  /// An argument that the linker joins to the memory: of what kernel, and its number.
  std::string bankOf(std::size_t storage) const {
    for (std::size_t group = 0; group < plan_.tops.size(); ++group) {
      const std::vector<std::size_t> transfers = transfersOf(plan_, group);
      for (std::size_t argument = 0; argument < transfers.size(); ++argument)
        if (plan_.tensors[transferPort(plan_.design().tasks[transfers[argument]]).tensor].storage == storage)
          return joined(plan_.tops[group], ".bank(", argument, ")");
    }
    return "0";
  }

  std::string put(const NumberFormat& format) const {
    if (!format.isNarrow()) return "host::bitsOf(values[next++])";
    return joined("numbers::As<", format.type(), " >::bits(", keptAs(format, "values[next++]"), ")");
  }
  std::string got(const NumberFormat& format, const std::string& bits) const {
    if (!format.isNarrow()) return "host::floatOf(" + bits + ")";
    return valueOf(format, joined("numbers::As<", format.type(), " >::ofBits(", bits, ")"));
  }

  void fill(const HlsMemory& memory) {
    const HlsTensor& own = plan_.tensors[memory.storage];
    const TensorValue& value = program_.tensors[memory.storage];
    const std::string name = memoryName(plan_, memory.storage);
    code_.comment(value.name, " ", shapeText(value.shape), "x", text(value.scalar), ", in ",
                  channelText(channels_[memory.storage], platform_memory_));
    code_.line("host::Memory ", name, "(card, ", bankOf(memory.storage), ", ", elementCount(value), ", ",
               own.memoryBits(), ");");
    if (value.role != TensorRole::Activation) {
      code_.open("");
      code_.line("const std::vector<float> values = ", readFileCode(own.name, value), ";");
      code_.line("std::size_t next = 0;");
      openElements(code_, plan_, memory.seen_as);
      code_.line(name, ".put(at, ", put(own.format), ");");
      closeElements(code_, plan_, memory.seen_as);
      code_.close();
    }
    code_.line(name, ".toCard();");
  }

  void runGroups() {
    code_.open("for (int turn = 0; turn < options.runs; ++turn)");
    for (std::size_t group = 0; group < plan_.tops.size(); ++group) {
      std::string arguments;
      for (const std::size_t task : transfersOf(plan_, group))
        arguments += (arguments.empty() ? "&" : ", &") +
                     memoryName(plan_, transferPort(plan_.design().tasks[task]).tensor);
      code_.line(plan_.tops[group], ".run({", arguments, "});");
    }
    code_.close();
  }

  void checkResult(std::size_t tensor) {
    const HlsTensor& own = plan_.tensors[tensor];
    const std::string memory = memoryName(plan_, tensor);
    const std::size_t seen = seenAs(plan_, memories_, tensor);
    code_.line(memory, ".fromCard();");
    code_.open("");
    code_.line("std::vector<float> values;");
    openElements(code_, plan_, seen);
    code_.line("values.push_back(", got(own.format, memory + ".get(at)"), ");");
    closeElements(code_, plan_, seen);
    code_.line("bench::writeNpy(\"out/", own.name, ".npy\", \"", numpyShape(program_.tensors[tensor]),
               "\", values);");
    code_.line("right = bench::agrees(\"", own.name, "\", values, ",
               readFileCode("expected_" + own.name, program_.tensors[tensor]), ") && right;");
    code_.close();
  }

  const HlsPlan& plan_;
  const TensorProgram& program_;
  const std::vector<HlsMemory> memories_;
  std::span<const MemoryChannels> channels_;
  const PlatformMemory& platform_memory_;
  CodeWriter code_;
};

}  // namespace

std::string hostSource(const HlsPlan& plan, std::span<const MemoryChannels> channels,
                       const PlatformMemory& memory) {
  return HostWriter(plan, channels, memory).source();
}

std::string simulatedKernels(const HlsPlan& plan, std::span<const MemoryChannels> channels) {
  CodeWriter code;
  code.comment("The kernels of ", plan.design().program.name,
               " as csim/runtime/ calls them: their names, the banks that");
  code.comment("their arguments are joined to, their functions.");
  code.blank();
  code.line("#include <xrt/xrt_kernel.h>");
  code.blank();
  code.line("#include \"design.h\"");
  code.blank();
  code.open("const std::vector<csim::Kernel>& csim::kernels()");
  code.line("static const std::vector<csim::Kernel> all = {");
  for (std::size_t group = 0; group < plan.tops.size(); ++group) {
    const std::vector<std::size_t> transfers = transfersOf(plan, group);
    std::string banks, arguments;
    for (std::size_t argument = 0; argument < transfers.size(); ++argument) {
      const std::size_t tensor = transferPort(plan.design().tasks[transfers[argument]]).tensor;
      banks += joined(argument == 0 ? "" : ", ", channels[tensor].first);
      arguments += joined(argument == 0 ? "" : ",\n            ", "static_cast<",
                          memoryPointer(plan, transfers[argument]), ">(memories[", argument, "])");
    }
    code.line("    {\"", plan.tops[group], "\", {", banks, "}, [](void* const* memories) {");
    code.line("       ", plan.tops[group], "(", arguments, ");");
    code.line("     }},");
  }
  code.line("};");
  code.line("return all;");
  code.close();
  return code.text();
}

}  // namespace sluice::inline tensor
