// The compiler's choices, one by one and together: unrolling, banks, fusion, converters, vectors, folds,
// rewrites, several layers, dies. Whatever is chosen, the design runs to its end and does the same work.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/rewrites.h"
#include "engine/tensor/placement/compiled_placement.h"
#include "engine/tensor/programs/stacked_program.h"
#include "engine/tensor/programs/tensor_values.h"
#include "tests/engine/support/compiled_designs.h"

namespace sluice::compile_choices_test {

using namespace testing_support;

Result<CompiledDesign> compiledBlock(const CompileOptions& options, std::int64_t tokens = 32,
                                     const std::string& model = "gpt2", std::int64_t blocks = 1,
                                     const std::vector<Rewriting>& rewrites = {}) {
  const Result<TensorProgram> program = blockProgram(model, "prompt", tokens, "W4A8", blocks);
  if (!program) return program.diagnostics();
  return compiledWith(*program, options, rewrites);
}

Result<CompiledDesign> compiledBlock(const CompileOptions& options, const std::vector<Rewriting>& rewrites) {
  return compiledBlock(options, 32, "gpt2", 1, rewrites);
}

std::int64_t operationsOf(const CompiledDesign& compiled) {
  std::int64_t operations = 0;
  for (const TaskTiming& timing : compiled.timings) operations += timing.operations;
  return operations;
}

std::int64_t mostBanks(const CompiledDesign& compiled) {
  std::int64_t most = 1;
  for (const ArrayPartition& partition : compiled.partitions) most = std::max(most, partition.banks());
  return most;
}

std::int64_t allBanks(const CompiledDesign& compiled) {
  std::int64_t banks = 0;
  for (const ArrayPartition& partition : compiled.partitions) banks += partition.banks();
  return banks;
}

std::int64_t lanes(const CompiledDesign& compiled) {
  std::int64_t all = 0;
  for (const TaskTiming& timing : compiled.timings) all += timing.tiling.unrolled();
  return all;
}

/// Of all kernels as they are lowered, without FIFOs.
std::int64_t localBytes(const CompiledDesign& compiled, const CompileOptions& options) {
  const Result<DepthProblem> problem = depthProblem(compiled, options);
  EXPECT_TRUE(problem);
  std::int64_t bytes = 0;
  for (const FlatOperator& op : problem->graph.operators)
    if (op.spec->kind == "Kernel") bytes += op.parameters.integer("local_bytes");
  return bytes;
}

/// HIDA's modes: every kernel within its factor, the connection-aware ones with fewer banks, the
/// intensity-aware ones with fewer lanes, and no lane lost where it counts: the slowest kernel is as fast.
TEST(CompileChoices, ParallelizationModes) {
  const auto with = [](std::optional<ParallelizationMode> mode) {
    CompileOptions options = optionsOf(32);
    options.tiling.parallelization = mode;
    options.tiling.overall_unroll_size = mode ? 256 : 4096;
    const Result<CompiledDesign> compiled = compiledBlock(options);
    EXPECT_TRUE(compiled) << text(compiled.diagnostics());
    const SimulationResult run = runOf(*compiled, options);
    EXPECT_FALSE(run.deadlock || run.fault);
    EXPECT_EQ(run.flops, static_cast<Flops>(operationsOf(*compiled)));
    for (const TaskTiming& timing : compiled->timings) {
      if (mode) {
        EXPECT_LE(timing.tiling.unrolled(), 256);
      }
    }
    return *compiled;
  };
  const CompiledDesign naive = with(ParallelizationMode::Naive);
  const CompiledDesign ia = with(ParallelizationMode::Intensity);
  const CompiledDesign ca = with(ParallelizationMode::Connection);
  const CompiledDesign both = with(ParallelizationMode::IntensityAndConnection);
  with(std::nullopt);
  EXPECT_LT(lanes(ia), lanes(naive));
  EXPECT_LT(lanes(both), lanes(ca));
  EXPECT_LT(allBanks(ca), allBanks(naive));
  EXPECT_LE(allBanks(both), allBanks(ia));
  const auto slowest = [](const CompiledDesign& compiled) {
    std::int64_t cycles = 0;
    for (const TaskTiming& timing : compiled.timings) cycles = std::max(cycles, timing.tiling.cycles);
    return cycles;
  };
  EXPECT_LE(slowest(both), 2 * slowest(naive));
}

/// Fewer banks than iterations at once ask for: they take turns at the ports, and no tensor has more.
TEST(CompileChoices, BanksBoundTheRate) {
  Cycles before = 0;
  for (const std::int64_t banks : {1024, 16, 4, 1}) {
    CompileOptions options = optionsOf(32);
    options.tiling.most_banks = banks;
    const Result<CompiledDesign> compiled = compiledBlock(options);
    ASSERT_TRUE(compiled);
    EXPECT_LE(mostBanks(*compiled), banks);
    const SimulationResult run = runOf(*compiled, options);
    ASSERT_FALSE(run.deadlock || run.fault);
    EXPECT_GE(run.cycles, before) << banks;
    before = run.cycles;
  }
}

TEST(CompileChoices, ConverterOrdersAndFusionSearches) {
  const auto converterBytes = [](ConverterOrder order) {
    CompileOptions options = optionsOf(16);
    options.converters = order;
    const Result<CompiledDesign> compiled = compiledBlock(options, 32, "qwen");
    EXPECT_TRUE(compiled) << text(compiled.diagnostics());
    EXPECT_FALSE(runOf(*compiled, options).deadlock);
    return compiled->plan.on_chip_bytes;
  };
  const std::int64_t best = converterBytes(ConverterOrder::OrderFree);
  EXPECT_LE(best, converterBytes(ConverterOrder::FirstDimension));
  EXPECT_LT(best, converterBytes(ConverterOrder::LastDimension));
  CompileOptions options = optionsOf(16);
  for (const std::int64_t kib : {128, 256, 512}) {
    options.on_chip_bytes = kib * 1024;
    options.fusion = FusionSearch::Greedy;
    const Result<CompiledDesign> greedy = compiledBlock(options, 64, "gpt2");
    options.fusion = FusionSearch::Optimal;
    const Result<CompiledDesign> optimal = compiledBlock(options, 64, "gpt2");
    ASSERT_EQ(static_cast<bool>(greedy), static_cast<bool>(optimal)) << text(optimal.diagnostics());
    if (!greedy) continue;
    EXPECT_LE(optimal->plan.external_bytes, greedy->plan.external_bytes);
    EXPECT_FALSE(runOf(*optimal, options).deadlock);
  }
}

/// The volume of every stream stays; transfers move tiles; a converter's readers agree.
TEST(CompileChoices, VectorsFollowTheUnrolling) {
  CompileOptions options = optionsOf(64);
  const Result<CompiledDesign> tiles = compiledBlock(options);
  ASSERT_TRUE(tiles);
  for (const StreamVectors vectors : {StreamVectors::Unroll, StreamVectors::Bus}) {
    options.vectors = vectors;
    const Result<CompiledDesign> compiled = compiledBlock(options);
    ASSERT_TRUE(compiled) << text(compiled.diagnostics());
    EXPECT_THAT(verify(compiled->design), testing::IsEmpty());
    std::size_t vectorised = 0;
    for (const DataflowStream& stream : compiled->design.streams) {
      const TaskKind from = compiled->design.tasks[stream.from.task].kind,
                     to = compiled->design.tasks[stream.to.task].kind;
      if (from == TaskKind::Load || to == TaskKind::Store) {
        EXPECT_TRUE(stream.vector.empty());
      }
      vectorised += stream.vector.empty() ? 0 : 1;
    }
    EXPECT_GT(vectorised, 10u);
    const SimulationResult run = runOf(*compiled, options);
    ASSERT_FALSE(run.deadlock || run.fault);
    EXPECT_EQ(run.flops, static_cast<Flops>(operationsOf(*tiles)));
    std::int64_t predicted = 0;
    for (const std::int64_t cycles : predictedCycles(*compiled)) predicted += cycles;
    EXPECT_GT(static_cast<double>(run.cycles), 0.7 * static_cast<double>(predicted));
    EXPECT_LT(static_cast<double>(run.cycles), 1.3 * static_cast<double>(predicted));
  }
}

/// A folded stream has no FIFO and one buffer instead of two, and nothing is slower for it.
TEST(CompileChoices, FoldsCostNothing) {
  CompileOptions options = optionsOf(64);
  const Result<CompiledDesign> plain = compiledBlock(options);
  options.fold = true;
  const Result<CompiledDesign> folded = compiledBlock(options);
  ASSERT_TRUE(plain && folded);
  std::int64_t saved = 0;
  std::size_t count = 0;
  for (std::size_t at = 0; at < folded->design.streams.size(); ++at) {
    const DataflowStream& stream = folded->design.streams[at];
    if (!stream.folded) continue;
    ++count;
    EXPECT_FALSE(stream.depth);
    EXPECT_EQ(folded->sizing.fifos[at].bytes, 0u);
    saved += static_cast<std::int64_t>(plain->sizing.fifos[at].bytes);
  }
  ASSERT_GT(count, 0u);
  EXPECT_EQ(static_cast<std::int64_t>(plain->sizing.total_bytes - folded->sizing.total_bytes), saved);
  EXPECT_LT(summarise(folded->design).on_chip_bytes, summarise(plain->design).on_chip_bytes - saved);
  const SimulationResult before = runOf(*plain, options), after = runOf(*folded, options);
  ASSERT_FALSE(after.deadlock || after.fault);
  EXPECT_EQ(after.cycles, before.cycles);
  EXPECT_LT(localBytes(*folded, options), localBytes(*plain, options));
}

/// Every rewrite gives a design that runs, wherever it is legal, and says why it is not elsewhere.
TEST(CompileChoices, RewritesOfTheMaterialisedDesign) {
  const CompileOptions options = optionsOf(64);
  const Result<CompiledDesign> plain = compiledBlock(options);
  ASSERT_TRUE(plain);
  const DataflowDesign& design = plain->rewritable;
  std::size_t tried = 0;
  for (const DataflowRewrite& rewrite : dataflowRewrites()) {
    std::size_t legal = 0;
    for (const RewriteOffer& offer : offersOf(design, rewrite)) {
      if (offer.refused) {
        EXPECT_FALSE(offer.refused->cause.empty() || offer.refused->fix.empty() ||
                     offer.refused->code.empty());
        continue;
      }
      if (++legal > 2) continue;
      const std::string told = text(design, offer.choice);
      const Result<CompiledDesign> compiled =
          compiledBlock(options, {{std::string(rewrite.name), placeName(design, offer.choice.place)}});
      ASSERT_TRUE(compiled) << told << text(compiled.diagnostics());
      EXPECT_EQ(compiled->rewritable, applyRewrite(design, offer.choice)->after) << told;
      EXPECT_FALSE(runOf(*compiled, options).fault) << told;
      ++tried;
    }
    EXPECT_EQ(legal, applicablePlaces(design, rewrite).size()) << rewrite.name;
  }
  EXPECT_GT(tried, 12u);
}

/// From the abstract design every rewrite of the issue can be reached; what is left is materialised.
TEST(CompileChoices, RewritesOfTheAbstractDesign) {
  CompileOptions options = optionsOf(64);
  const Result<CompiledDesign> plain = compiledBlock(options);
  options.rewrite_start = RewriteStart::Abstract;
  const Result<CompiledDesign> abstract = compiledBlock(options);
  ASSERT_TRUE(plain && abstract);
  EXPECT_EQ(abstract->design.tasks.size(), plain->design.tasks.size());
  std::set<std::string_view> legal;
  for (const RewriteChoice& choice : applicablePlaces(abstract->rewritable))
    legal.insert(choice.rewrite->name);
  for (const char* name : {"materialise converter", "materialise load", "materialise store", "split group"})
    EXPECT_TRUE(legal.contains(name)) << name;
  const Result<CompiledDesign> compiled =
      compiledBlock(options, {{"materialise load"}, {"split group", "up"}, {"fuse groups", "0"}});
  ASSERT_TRUE(compiled) << text(compiled.diagnostics());
  EXPECT_FALSE(runOf(*compiled, options).deadlock);
}

/// Layers one after the other compute what each computes on the result of the one before.
TEST(CompileChoices, StackedLayers) {
  TransformerModel tiny = gpt2Medium();
  tiny.hidden = 8, tiny.feed_forward = 16, tiny.heads = tiny.kv_heads = 2, tiny.head_size = 4;
  const TensorProgram layer = *transformerBlock(tiny, promptPhase(4), *quantisationNamed("FP32"));
  const Result<TensorProgram> three = stacked(layer, 3);
  ASSERT_TRUE(three);
  EXPECT_THAT(verify(*three), testing::IsEmpty());
  EXPECT_EQ(operationCount(*three), 3 * operationCount(layer));
  EXPECT_EQ(parameterCount(*three), 3 * parameterCount(layer));
  const std::vector<FloatTensor> all = tensorValues(*three);
  TensorSet given;
  FloatTensor output;
  for (int number = 1; number <= 3; ++number) {
    // The layer alone, with this layer's weights under its own names.
    TensorSet own = given;
    for (const TensorValue& tensor : layer.tensors) {
      if (tensor.role != TensorRole::Weight || number == 1) continue;
      TensorValue renamed = tensor;
      renamed.name += " " + std::to_string(number);
      own[tensor.name] = outsideTensor(renamed, {});
    }
    output = tensorValues(layer, own)[layer.results.front()];
    for (const TensorValue& tensor : layer.tensors)
      if (tensor.role == TensorRole::Input) given[tensor.name] = output;
  }
  EXPECT_EQ(all[three->results.front()].data, output.data);
  EXPECT_FALSE(stacked(layer, 0));
  EXPECT_FALSE(stacked(layer, most_stacked_layers + 1));
}

TEST(CompileChoices, TwoBlocksRunInOneProgram) {
  const CompileOptions options = optionsOf(64);
  const Result<CompiledDesign> one = compiledBlock(options), two = compiledBlock(options, 32, "gpt2", 2);
  ASSERT_TRUE(one && two) << text(two.diagnostics());
  EXPECT_EQ(operationsOf(*two), 2 * operationsOf(*one));
  const SimulationResult single = runOf(*one, options), pair = runOf(*two, options);
  ASSERT_FALSE(pair.deadlock || pair.fault);
  EXPECT_EQ(pair.flops, 2 * single.flops);
  EXPECT_GT(pair.cycles, single.cycles);
}

/// What lies between dies is waited for: registers of any length are in the run.
TEST(CompileChoices, CrossingsAreSimulated) {
  const CompileOptions options = optionsOf(16);
  const Result<CompiledDesign> compiled = compiledBlock(options, 64);
  ASSERT_TRUE(compiled);
  Platform card = *platformNamed("u55c");
  Cycles before = 0;
  for (const std::int64_t cycles : {0, 2, 500}) {
    card.crossing_cycles = cycles;
    const Result<PlacedDesign> placed = placeCompiled(*compiled, options, 1, card);
    ASSERT_TRUE(placed) << text(placed.diagnostics());
    const SimulationResult run = runOf(placed->compiled, options);
    ASSERT_FALSE(run.deadlock || run.fault);
    std::size_t crossed = 0;
    for (const StreamCrossing& crossing : placed->compiled.crossings) crossed += crossing.cycles > 0 ? 1 : 0;
    EXPECT_EQ(crossed > 0, cycles > 0);
    EXPECT_EQ(run.operators.size(), runOf(*compiled, options).operators.size() + crossed);
    // Few registers may even help: the FIFO before them lets loads ask further ahead.
    if (cycles == 500) {
      EXPECT_GE(run.cycles, before + 500);
    }
    before = run.cycles;
  }
}

/// Any choices together are refused with a reason or give a design that runs and does the same work.
TEST(CompileChoices, AnyCombination) {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t count) { return random() % count; };
  std::size_t ran = 0;
  for (int round = 0; round < 40; ++round) {
    CompileOptions options = optionsOf(std::int64_t{32} << below(2));
    if (below(2) == 0) options.tiling.parallelization = static_cast<ParallelizationMode>(below(4));
    options.tiling.overall_unroll_size = std::int64_t{64} << below(7);
    options.tiling.budget = below(3) == 0 ? UnrollBudget::PerKernel : UnrollBudget::Sum;
    options.tiling.factors = static_cast<UnrollFactors>(below(2));
    options.tiling.reductions_outward = below(2) == 0;
    options.tiling.most_banks = std::int64_t{1} << below(16);
    options.on_chip_bytes = below(3) == 0 ? 512 * 1024 : 0;
    options.memory = static_cast<FusionMemory>(below(3));
    options.converters = static_cast<ConverterOrder>(below(3));
    options.packed = below(2) == 0;
    options.vectors = static_cast<StreamVectors>(below(3));
    options.fold = below(2) == 0;
    options.rewrite_start = static_cast<RewriteStart>(below(2));
    std::vector<Rewriting> rewrites;
    if (below(3) == 0) rewrites = {{below(2) == 0 ? "insert fork" : "unpack"}};
    options.sizing = static_cast<SizingMethod>(below(3));
    options.equalisation = static_cast<Equalisation>(below(2));
    const Result<CompiledDesign> compiled =
        compiledBlock(options, 16, below(2) == 0 ? "gpt2" : "qwen", 1, rewrites);
    if (!compiled) {
      EXPECT_FALSE(compiled.diagnostics().front().fix.empty());
      continue;
    }
    ASSERT_THAT(verify(compiled->design), testing::IsEmpty());
    const Result<DepthProblem> problem = depthProblem(*compiled, options);
    ASSERT_TRUE(problem) << round << text(problem.diagnostics());
    const SimulationResult run = simulate(problem->graph, {});
    EXPECT_FALSE(run.fault) << round << run.fault->cause;
    EXPECT_FALSE(run.deadlock) << round;
    EXPECT_EQ(run.flops, static_cast<Flops>(operationsOf(*compiled))) << round;
    ++ran;
  }
  EXPECT_GT(ran, 25u);
}

}  // namespace sluice::compile_choices_test
