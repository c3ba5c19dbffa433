#include "engine/rtl/rtl_project.h"

#include <algorithm>

#include "engine/rtl/bench_files.h"
#include "engine/rtl/rtl_code.h"

namespace sluice::inline rtl {

Result<std::vector<ProjectFile>> rtlProject(std::vector<RtlProgram> programs) {
  std::vector<ProjectFile> files;
  std::string modules, benches, expected;
  bool computes = false;
  std::vector<std::string> runs;
  TokenSizes sizes;
  std::vector<RtlModule> library;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const std::string prefix = programs.size() == 1 ? "top" : "top" + std::to_string(i);
    SLUICE_TRY(RtlPlan plan,
               rtlPlan(programs[i], sizes.group_tokens, programs.size() == 1 ? "data" : "data/" + prefix));
    modules += programModules(plan, prefix) + "\n";
    benches += runModule(plan, prefix, programs[i].point);
    sizes.group_tokens += plan.group_tokens;
    sizes.value_bits = std::max(sizes.value_bits, plan.value_bits);
    computes = computes || plan.computed;
    if (plan.computed) {
      sizes.elements = std::max(sizes.elements, plan.computed->largest_tile);
      sizes.bfloat16 = plan.computed->bfloat16;
    }
    for (const PlannedOperator& op : plan.operators)
      for (const PlannedData& data : op.data) files.push_back({data.path, data.lines});
    runs.push_back(prefix);
    if (programs[i].run) expected += expectedText(plan, *programs[i].run, prefix);
    library = std::move(plan.modules);
  }
  files.push_back({"Makefile", projectMakefile(library, files, programs.size() == 1 && !computes)});
  files.push_back({"sizes.sv", sizesFile(sizes)});
  for (const RtlModule& module : library)
    files.push_back({"lib/" + std::string(module.file) + ".sv", std::string(module.text)});
  files.push_back(
      {"program.sv",
       "// The program and its regions.\n/* verilator lint_off WIDTH */\n/* verilator tracing_off */\n\n" +
           modules});
  files.push_back({"testbench.sv", testBench(runs, benches)});
  files.push_back({"README.md", projectReadme()});
  if (!expected.empty()) files.push_back({"expected.txt", expected});
  return files;
}

Result<std::vector<ProjectFile>> rtlProject(const RtlProgram& program) {
  return rtlProject(std::vector<RtlProgram>{program});
}

}  // namespace sluice::inline rtl
