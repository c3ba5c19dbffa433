// Tensor programs compiled to programs of operators that run: every model and phase, any sizes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "engine/operators/inference.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/rewrites.h"
#include "engine/tensor/programs/elementwise_fusion.h"
#include "engine/tensor/programs/unit_dimensions.h"
#include "tests/engine/support/compiled_designs.h"

namespace sluice::compile_test {

using namespace testing_support;

CompiledDesign compiledBlock(const std::string& model, const std::string& phase, std::int64_t tokens,
                             const CompileOptions& options) {
  const Result<TensorProgram> program = blockProgram(model, phase, tokens, "W4A8");
  EXPECT_TRUE(program);
  Result<CompiledDesign> compiled = compile(*program, options);
  EXPECT_TRUE(compiled) << text(compiled.diagnostics());
  return *std::move(compiled);
}

/// What the design moves to and from memory, token by token.
std::int64_t transferredBytes(const DataflowDesign& design) {
  std::int64_t bytes = 0;
  for (const Task& task : design.tasks) {
    if (task.kind != TaskKind::Load && task.kind != TaskKind::Store) continue;
    const TaskPort& port = task.kind == TaskKind::Load ? task.outputs[0] : task.inputs[0];
    bytes += tokenCount(port.type) * tokenBytes(port);
  }
  return bytes;
}

struct Block {
  std::string model, phase;
  std::int64_t tokens = 1;
};

class CompiledBlock : public testing::TestWithParam<Block> {};

/// Every sizing of every block runs to its end, moves the bytes and does the operations that it should, and
/// takes about as long as was predicted.
TEST_P(CompiledBlock, RunsAsPredicted) {
  const Block& block = GetParam();
  for (const SizingMethod method :
       {SizingMethod::PathProgram, SizingMethod::StartTime, SizingMethod::AsSoonAsPossible}) {
    for (const Equalisation equalisation : {Equalisation::Normal, Equalisation::Conservative}) {
      CompileOptions options = optionsOf(64);
      options.sizing = method;
      options.equalisation = equalisation;
      const CompiledDesign compiled = compiledBlock(block.model, block.phase, block.tokens, options);
      const SimulationResult run = runOf(compiled, options);
      SCOPED_TRACE(std::string(nameOf(method)));
      ASSERT_FALSE(run.deadlock || run.fault);
      std::int64_t operations = 0, predicted = 0;
      for (const TaskTiming& timing : compiled.timings) operations += timing.operations;
      EXPECT_EQ(run.flops, static_cast<Flops>(operations));
      EXPECT_EQ(operations, operationCount(compiled.design.program));
      EXPECT_GE(run.off_chip_bytes, static_cast<Bytes>(transferredBytes(compiled.design)));
      EXPECT_LE(run.off_chip_bytes, static_cast<Bytes>(transferredBytes(compiled.design) * 5 / 4));
      for (const std::int64_t cycles : predictedCycles(compiled)) predicted += cycles;
      EXPECT_GT(static_cast<double>(run.cycles), 0.85 * static_cast<double>(predicted));
      EXPECT_LT(static_cast<double>(run.cycles), 1.15 * static_cast<double>(predicted));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, CompiledBlock,
                         testing::Values(Block{"gpt2", "prompt", 64}, Block{"gpt2", "decode", 64},
                                         Block{"qwen", "prompt", 48}, Block{"qwen", "decode", 33},
                                         Block{"llama", "prompt", 64}, Block{"llama", "decode", 64},
                                         Block{"gemma", "prompt", 32}, Block{"gemma", "decode", 128}),
                         [](const auto& test) {
                           return test.param.model + "_" + test.param.phase + "_" +
                                  std::to_string(test.param.tokens);
                         });

/// What lowering calls the node of a task whose name no other one resembles.
std::string nodeNameOf(const Task& task) {
  std::string name = task.name;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return std::isdigit(static_cast<unsigned char>(name.front())) != 0 ? "k" + name : name;
}

std::map<std::string, std::size_t> byName(const FlatGraph& graph) {
  std::map<std::string, std::size_t> operators;
  for (std::size_t at = 0; at < graph.operators.size(); ++at) operators[graph.operators[at].name] = at;
  return operators;
}

/// Less memory, more groups; they run one after the other, and each moves what lies between them.
TEST(Compile, GroupsRunOneAfterTheOther) {
  CompileOptions options = optionsOf(32);
  const SimulationResult whole = runOf(compiledBlock("gpt2", "prompt", 64, options), options);
  std::size_t most_groups = 1;
  for (const std::int64_t kib : {1024, 512, 300}) {
    options.on_chip_bytes = kib * 1024;
    const CompiledDesign compiled = compiledBlock("gpt2", "prompt", 64, options);
    ASSERT_GT(compiled.plan.groups.size(), 1u);
    most_groups = std::max(most_groups, compiled.plan.groups.size());
    const Result<DepthProblem> problem = depthProblem(compiled, options);
    ASSERT_TRUE(problem);
    const SimulationResult run = runOf(compiled, options);
    ASSERT_FALSE(run.deadlock || run.fault);
    EXPECT_GT(run.off_chip_bytes, whole.off_chip_bytes);
    // What the cost equations count is what is moved, between groups too.
    const Result<Inference> inferred = infer(problem->graph, {});
    ASSERT_TRUE(inferred);
    EXPECT_EQ(inferred->total.off_chip_bytes, Expr(static_cast<std::int64_t>(run.off_chip_bytes)));
    // Nothing is loaded for a group before the one before has stored everything.
    std::vector<Cycles> stored(compiled.plan.groups.size(), 0),
        loads(compiled.plan.groups.size(), ~Cycles{0});
    const std::map<std::string, std::size_t> operators = byName(problem->graph);
    for (const Task& task : compiled.design.tasks) {
      const auto at = operators.find(nodeNameOf(task));
      ASSERT_NE(at, operators.end()) << task.name;
      const OperatorStats& stats = run.operators[at->second];
      const std::string& kind = problem->graph.operators[at->second].spec->kind;
      if (kind == "LinearOffChipLoadRef")
        loads[task.group] = std::min(loads[task.group], stats.blocked_on_input);
      if (kind == "RandomOffChipStore") stored[task.group] = std::max(stored[task.group], stats.finished);
    }
    for (std::size_t group = 1; group < loads.size(); ++group) {
      EXPECT_GT(stored[group - 1], 0u) << "group " << group - 1 << " leaves nothing to the next ones";
      EXPECT_GE(loads[group], stored[group - 1]) << "group " << group;
    }
  }
  EXPECT_GT(most_groups, 2u);
}

/// Tiles sent in vectors: more and smaller tokens, the same bytes.
TEST(Compile, VectorisedStreamsRun) {
  CompileOptions options = optionsOf(64);
  CompiledDesign compiled = compiledBlock("gpt2", "prompt", 64, options);
  const SimulationResult tiles = runOf(compiled, options);
  std::size_t vectors = 0;
  for (std::size_t stream = 0; stream < compiled.design.streams.size(); ++stream) {
    DataflowStream& changed = compiled.design.streams[stream];
    const ITensor& type = sourceOf(compiled.design, changed).type;
    const TaskKind from = compiled.design.tasks[changed.from.task].kind;
    if (from != TaskKind::Compute || type.tile.empty() || type.tile.back() % 8 != 0) continue;
    changed.vector.assign(type.tile.size(), 1);
    changed.vector.back() = 8;
    *changed.depth *= vectorsPerTile(compiled.design, changed);
    ++vectors;
  }
  ASSERT_GT(vectors, 10u);
  ASSERT_THAT(verify(compiled.design), testing::IsEmpty());
  const SimulationResult run = runOf(compiled, options);
  ASSERT_FALSE(run.deadlock || run.fault);
  EXPECT_GT(run.token_hops, 2 * tiles.token_hops);
  EXPECT_NEAR(static_cast<double>(run.cycles), static_cast<double>(tiles.cycles),
              0.25 * static_cast<double>(tiles.cycles));
}

/// The step of a schedule puts the tasks beside what else there is, under names of their own.
TEST(Compile, StepReplacesTheNodeOnly) {
  Document document;
  document.machine.reference_mode = false;
  document.program.nodes = {
      {"load_query_weight",
       "TileGen",
       {{"shape", Value(std::vector<Value>{4})}, {"tile", Value(std::vector<Value>{1, 8})}},
       {},
       {}},
      {"sink", "Consumer", {}, {}, {}},
      {"block", "TensorProgram", {{"tokens", 32}}, {}, {}}};
  document.program.streams = {{*parseEndpoint("load_query_weight.out"), *parseEndpoint("sink.in"), {}}};
  document.schedule = {{"compile_tensors", {{"program", "block"}, {"tile", 64}}, true}};
  const Result<ScheduledProgram> scheduled = applySchedule(document, {}, {});
  ASSERT_TRUE(scheduled) << text(scheduled.diagnostics());
  EXPECT_EQ(scheduled->document.program.find("block"), nullptr);
  EXPECT_EQ(scheduled->document.program.find("load_query_weight")->kind, "TileGen");
  EXPECT_NE(scheduled->document.program.find("load_query_weight_2"), nullptr);
  const Result<FlatGraph> graph = elaborate(scheduled->document, {}, builtInCatalog());
  ASSERT_TRUE(graph) << text(graph.diagnostics());
  ASSERT_TRUE(infer(*graph, {}));
  const SimulationResult run = simulate(*graph, {});
  EXPECT_FALSE(run.deadlock || run.fault);
  const Result<TensorCompilation> compilation = tensorCompilation(document, {}, {});
  ASSERT_TRUE(compilation);
  EXPECT_EQ(compilation->node, "block");
  EXPECT_EQ(scheduled->document.program.nodes.size(), 2 + compilation->compiled.design.tasks.size());
}

/// The step may size by simulation, too: fewer bytes at no more cycles; where runs are long it is refused.
TEST(Compile, StepSizesBySimulation) {
  Document document;
  document.machine.reference_mode = false;
  document.program.nodes = {{"block", "TensorProgram", {{"tokens", 16}}, {}, {}}};
  const auto with = [&](const char* sizing, std::int64_t tile) {
    document.schedule = {
        {"compile_tensors", {{"program", "block"}, {"tile", tile}, {"sizing", Value(sizing)}}, true}};
    return tensorCompilation(document, {}, {});
  };
  const Result<TensorCompilation> closed = with("start_time", 64), searched = with("simulated", 64);
  ASSERT_TRUE(closed && searched);
  EXPECT_LT(searched->compiled.sizing.total_bytes, closed->compiled.sizing.total_bytes);
  const SimulationResult before = runOf(closed->compiled, closed->options),
                         after = runOf(searched->compiled, searched->options);
  ASSERT_FALSE(after.deadlock);
  EXPECT_LE(after.cycles, before.cycles + before.cycles / 100);
  const Result<TensorCompilation> refused = with("simulated", 16);
  ASSERT_FALSE(refused);
  EXPECT_THAT(text(refused.diagnostics()), testing::HasSubstr("size-fifos --mode simulated"));
}

/// More operations at once make a block faster, down to what its memory gives.
TEST(Compile, UnrollingMakesItFaster) {
  CompileOptions options = optionsOf(32);
  Cycles before = ~Cycles{0};
  for (const std::int64_t unroll : {256, 1024, 4096, 16384}) {
    options.tiling.overall_unroll_size = unroll;
    const SimulationResult run = runOf(compiledBlock("gpt2", "prompt", 32, options), options);
    EXPECT_LT(run.cycles, before) << unroll;
    before = run.cycles;
  }
}

}  // namespace sluice::compile_test
