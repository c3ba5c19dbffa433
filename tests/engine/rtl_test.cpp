// Emission of RTL: what the files say, names that SystemVerilog does not take, what is refused. Whether it
// runs is rtl_cosimulation_test.cpp.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/operators/registry.h"
#include "engine/operators/simulate.h"
#include "engine/rtl/rtl_project.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/flat_builder.h"

namespace sluice::rtl_test {

using testing::HasSubstr;
using testing::Not;

std::string fileOf(const std::vector<ProjectFile>& files, const std::string& path) {
  for (const ProjectFile& file : files)
    if (file.path == path) return file.bytes;
  return "no file " + path;
}

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

Result<std::vector<ProjectFile>> emitted(const FlatGraph& graph, const InputSet& inputs = {}) {
  const Result<Inference> inference = infer(graph, inputs);
  EXPECT_TRUE(inference) << text(inference.diagnostics());
  return rtlProject({graph, *inference, inputs});
}

Result<std::vector<ProjectFile>> emittedSample(const std::string& name, const InputSet& more = {}) {
  const auto workload = testing_support::sampleWorkload(std::filesystem::path(SLUICE_SOURCE_DIR) /
                                                        "sample_workloads" / (name + ".sluice"));
  const Result<SymbolicResult> symbolic = evaluateSymbolic(*workload, defaultKnobs(workload->document));
  EXPECT_TRUE(symbolic) << text(symbolic.diagnostics());
  InputSet inputs = symbolic->scheduled ? symbolic->scheduled->inputs : workload->inputs;
  for (const auto& [input, data] : more) inputs[input] = data;
  return rtlProject({symbolic->graph, symbolic->inference, inputs});
}

/// load -> map -> consumer, with these names.
FlatGraph chain(const std::string& load, const std::string& map, const std::string& sink) {
  FlatBuilder builder;
  const Output tiles = builder.through("LinearOffChipLoad", {{"tile", std::vector<std::int64_t>{4, 8}},
                                                             {"out_shape", std::vector<std::int64_t>{3}}});
  const Output mapped =
      builder.through("Map", {{"function", "silu"}, {"compute_bw", std::int64_t{4}}}, {tiles});
  builder.add("Consumer", {}, {mapped});
  FlatGraph graph = builder.build();
  const std::vector<std::string> names{load, map, sink};
  for (std::size_t i = 0; i < names.size(); ++i)
    graph.operators[i].name = graph.operators[i].origin = names[i];
  return graph;
}

TEST(Rtl, ModulesSayWhatTheyAreFor) {
  std::set<std::string> kinds;
  for (const RtlModule& module : rtlModules()) {
    for (const std::string& kind : module.kinds) {
      const Operator* op = findOperator(kind);
      ASSERT_NE(op, nullptr) << kind;
      EXPECT_TRUE(kinds.insert(kind).second) << kind << " has two modules";
      EXPECT_THAT(std::string(module.text), HasSubstr("module " + module.name() + " "));
      EXPECT_EQ(module.memory, op->memory != MemoryRole::None) << kind;
      for (const auto* ports : {&op->spec.inputs, &op->spec.outputs})
        for (const PortSpec& port : *ports)
          EXPECT_THAT(std::string(module.text),
                      HasSubstr(svName(port.name) + (ports == &op->spec.inputs ? "_take" : "_ready")))
              << kind;
      for (const ModuleParameter& parameter : module.parameters) {
        EXPECT_THAT(std::string(module.text), HasSubstr(parameter.name + " ")) << kind;
        const bool own =
            parameter.source.find('.') == std::string::npos && parameter.source != "element_bytes";
        EXPECT_TRUE(!own || op->spec.parameter(parameter.source) != nullptr)
            << kind << " " << parameter.source;
      }
    }
  }
  // The rest has none, and is refused by name.
  std::set<std::string> missing;
  for (const Operator* op : registeredOperators())
    if (!kinds.contains(op->spec.kind)) missing.insert(op->spec.kind);
  EXPECT_THAT(missing,
              testing::UnorderedElementsAre("DataflowActor", "Kernel", "LayoutConverter", "TensorProgram"));
  const std::vector<RtlModule> modules = rtlModules();
  for (const std::string& kind : missing) {
    const WithoutModule* const without = withoutModule(modules, kind);
    ASSERT_NE(without, nullptr) << kind;
    EXPECT_FALSE(without->why.empty() || without->instead.empty()) << kind;
  }
  for (const std::string& kind : kinds) EXPECT_EQ(withoutModule(modules, kind), nullptr) << kind;
}

TEST(Rtl, AProgramIsItsOperatorsAndStreams) {
  const Result<std::vector<ProjectFile>> files = emitted(chain("load", "activate", "sink"));
  ASSERT_TRUE(files) << text(files.diagnostics());
  const std::string program = fileOf(*files, "program.sv");
  EXPECT_THAT(program, HasSubstr(": [1, 3] tile[4, 8]:f32\n"));
  EXPECT_THAT(program, HasSubstr("operator_map #(.FUNCTION(\"silu\")"));
  EXPECT_THAT(program, HasSubstr(".COMPUTE_BW(64'd4)"));
  EXPECT_THAT(program, HasSubstr(".TILE({64'd8, 64'd4})"));  // the first element at index 0
  EXPECT_THAT(program, HasSubstr("stream_fifo #(.DEPTH(2)) load_out_fifo"));
  EXPECT_THAT(fileOf(*files, "testbench.sv"),
              HasSubstr("off_chip_memory #(.PORTS(1), .CHANNELS(32), .INTERVAL(2), .LATENCY(16))"));
  EXPECT_EQ(fileOf(*files, "expected.txt"), "no file expected.txt");  // nobody ran it
  EXPECT_EQ(*emitted(chain("load", "activate", "sink")), *files);
}

TEST(Rtl, RegionsAreModulesAndEqualOnesShareOne) {
  const Result<std::vector<ProjectFile>> files = emittedSample("simple_moe");
  ASSERT_TRUE(files) << text(files.diagnostics());
  const std::string program = fileOf(*files, "program.sv");
  EXPECT_EQ(occurrences(program, "\nmodule top_expert"), 1U);
  EXPECT_GT(occurrences(program, "top_expert expert_"), 1U);
  EXPECT_THAT(program, HasSubstr("region expert[1]"));
  bool plays = false;
  for (const ProjectFile& file : *files) plays = plays || file.path.starts_with("data/");
  EXPECT_TRUE(plays);
}

TEST(Rtl, NamesBecomeIdentifiers) {
  EXPECT_EQ(svName("expert[3].gate"), "expert_3_gate");
  EXPECT_EQ(svName("ref"), "ref_");
  EXPECT_EQ(svName("endmodule"), "endmodule_");
  EXPECT_EQ(svName("1st"), "n1st");
  EXPECT_EQ(svName("\"); $finish; //"), "finish");
  EXPECT_EQ(svName(""), "n");
  SvNames names;
  EXPECT_EQ(names.take("a.b", {"_head"}), "a_b");
  EXPECT_EQ(names.take("a_b"), "a_b_2");
  EXPECT_EQ(names.take("a_b_head"), "a_b_head_2");
}

TEST(Rtl, HostileNamesStayOutsideOfTheCode) {
  const Result<std::vector<ProjectFile>> files =
      emitted(chain("module", "x`y\n\"); $finish; //\\", "module "));
  ASSERT_TRUE(files) << text(files.diagnostics());
  for (const ProjectFile& file : *files) {
    if (file.path.starts_with("lib/") || file.path == "sizes.sv" || file.path == "testbench.sv" ||
        file.path == "README.md")
      continue;
    EXPECT_EQ(
        file.path.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./"),
        std::string::npos);
    std::istringstream lines(file.bytes);
    for (std::string line; std::getline(lines, line);) {
      const std::string code = line.substr(0, line.find("//"));
      EXPECT_THAT(code, Not(HasSubstr("$finish"))) << file.path;
      EXPECT_THAT(code, Not(HasSubstr("`"))) << file.path;
    }
  }
  const std::string program = fileOf(*files, "program.sv");
  EXPECT_THAT(program, HasSubstr(" module_ ("));
  EXPECT_THAT(program, HasSubstr(" module__2 ("));
}

TEST(Rtl, WhatHasNoModuleIsNamed) {
  const Result<std::vector<ProjectFile>> kernels = emittedSample("deadlocks/lp_sized");
  ASSERT_FALSE(kernels);
  EXPECT_THAT(
      text(kernels.diagnostics()),
      HasSubstr("there is no RTL of 'Kernel': it says how long a loop nest takes, and not what it does"));
  EXPECT_THAT(text(kernels.diagnostics()), HasSubstr("sluice-cli emit hls"));
  EXPECT_EQ(kernels.diagnostics().size(), 1U);
  EXPECT_THAT(text(kernels.diagnostics()), HasSubstr("; the same holds for 4 more"));
}

/// Every module that has no functional level says why, and is refused before anything is computed.
TEST(Rtl, WhatHasTimingOnlySaysWhy) {
  std::size_t timing_only = 0;
  for (const RtlModule& module : rtlModules()) timing_only += module.timing_only.empty() ? 0 : 1;
  EXPECT_GE(timing_only, 5U);
  FlatBuilder builder;
  const Output tiles = builder.through("LinearOffChipLoad", {{"tile", std::vector<std::int64_t>{4, 8}},
                                                             {"out_shape", std::vector<std::int64_t>{3}}});
  const Output scanned = builder.through("Scan",
                                         {{"function", "add"},
                                          {"tap", "next"},
                                          {"init", std::vector<std::int64_t>{4, 8}},
                                          {"rank", std::int64_t{1}},
                                          {"compute_bw", std::int64_t{4}}},
                                         {tiles});
  builder.add("Consumer", {}, {scanned});
  const FlatGraph graph = builder.build();
  const InputSet none;
  const Result<Inference> inference = infer(graph, none);
  ASSERT_TRUE(inference) << text(inference.diagnostics());
  EXPECT_TRUE(checkRtl({graph, *inference, none}, RtlLevel::Timing));
  const Result<Done> refused = checkRtl({graph, *inference, none}, RtlLevel::Functional);
  ASSERT_FALSE(refused);
  EXPECT_THAT(
      text(refused.diagnostics()),
      HasSubstr("has the level of timing only: a state that is kept from tile to tile has sizes only"));
}

TEST(Rtl, MachinesThatModulesDoNotHaveAreRefused) {
  FlatGraph graph = chain("load", "activate", "sink");
  graph.machine.reference_mode = false;
  graph.machine.scratchpads = 2;
  const Result<std::vector<ProjectFile>> files = emitted(graph);
  ASSERT_FALSE(files);
  EXPECT_THAT(text(files.diagnostics()), HasSubstr("reference_mode"));
  EXPECT_THAT(text(files.diagnostics()), HasSubstr("scratchpads"));
  EXPECT_EQ(files.diagnostics()[0].code, "unsupported-machine");
}

TEST(Rtl, FifosBeyondAllMeasureAreRefused) {
  FlatGraph graph = chain("load", "activate", "sink");
  graph.streams[0].depth = std::uint64_t{1} << 40;
  const Result<std::vector<ProjectFile>> files = emitted(graph);
  ASSERT_FALSE(files);
  EXPECT_THAT(text(files.diagnostics()), HasSubstr("1099511627776 tokens"));
}

TEST(Rtl, ExpectationsAreLinesOfTheTestBench) {
  const FlatGraph graph = chain("load", "activate", "sink");
  const InputSet none;
  const Result<Inference> inference = infer(graph, none);
  const SimulationResult run = simulate(graph, none);
  const Result<std::vector<ProjectFile>> files = rtlProject({graph, *inference, none, &run});
  ASSERT_TRUE(files);
  EXPECT_EQ(fileOf(*files, "expected.txt"), "cycles testbench.top_run " + std::to_string(run.cycles) +
                                                "\ntokens testbench.top_run.top.activate_out_fifo 3\n"
                                                "tokens testbench.top_run.top.load_out_fifo 3\n");
}

}  // namespace sluice::rtl_test
