// Each rewrite by itself: what it does to a small design, where it refuses and why, what takes it back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/itensor/canonical.h"
#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_values.h"
#include "engine/tensor/dataflow/design_summary.h"
#include "engine/tensor/dataflow/drop_reshape.h"
#include "engine/tensor/dataflow/fan_out.h"
#include "engine/tensor/dataflow/fold.h"
#include "engine/tensor/dataflow/interleave.h"
#include "engine/tensor/dataflow/materialise.h"
#include "engine/tensor/dataflow/pack.h"
#include "engine/tensor/dataflow/regroup.h"
#include "engine/tensor/dataflow/rewrites.h"
#include "engine/tensor/dataflow/share_converters.h"
#include "engine/tensor/dataflow/vectorise.h"
#include "engine/tensor/dataflow/widen.h"
#include "tests/engine/support/tensor_designs.h"

namespace sluice::dataflow_rewrite_rules_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::denseResults;
using Shape = std::vector<std::int64_t>;

/// x -> c = x.w -> d = c.w, e = c.w; d + e; then two views of the sum's heads. i8, 64 in every dimension.
TensorProgram diamond(const Shape& split = {64, 4, 16}) {
  const Scalar i8{Scalar::Format::Signless, 8};
  TensorProgram program;
  program.name = "diamond";
  const auto tensor = [&](const char* name, Shape shape, TensorRole role) {
    program.tensors.push_back({name, std::move(shape), i8, role});
    return program.tensors.size() - 1;
  };
  const auto apply = [&](const char* name, TensorOperatorKind kind, std::vector<std::size_t> inputs,
                         Shape shape) {
    const std::size_t out = tensor(name, std::move(shape), TensorRole::Activation);
    program.operators.push_back({name, kind, std::move(inputs), out, false, {}, {}, {}});
    return out;
  };
  const std::size_t x = tensor("x", {64, 64}, TensorRole::Input),
                    w = tensor("w", {64, 64}, TensorRole::Weight);
  const std::size_t c = apply("c", TensorOperatorKind::Linear, {x, w}, {64, 64});
  const std::size_t d = apply("d", TensorOperatorKind::Linear, {c, w}, {64, 64});
  const std::size_t e = apply("e", TensorOperatorKind::Linear, {c, w}, {64, 64});
  const std::size_t sum = apply("sum", TensorOperatorKind::Add, {d, e}, {64, 64});
  const std::size_t heads = apply("heads", TensorOperatorKind::Reshape, {sum}, split);
  program.results = {apply("y", TensorOperatorKind::Gelu, {heads}, split)};
  return program;
}

DataflowDesign abstractDiamond(std::vector<std::size_t> group_of = {0, 0, 0, 0, 0, 0}) {
  const TensorProgram program = diamond();
  const ProgramFusion fusion = *fusionGraph(program, 16);
  const auto design =
      abstractDesign(program, planOf(fusion.graph, std::move(group_of), FusionMemory::Converters), 16);
  EXPECT_TRUE(design) << text(design.diagnostics());
  return *design;
}

DataflowDesign madeDiamond() {
  return *materialised(abstractDiamond());
}

std::size_t taskOf(const DataflowDesign& design, const std::string& name) {
  for (std::size_t task = 0; task < design.tasks.size(); ++task)
    if (design.tasks[task].name == name) return task;
  ADD_FAILURE() << "no task " << name;
  return 0;
}

std::size_t streamOf(const DataflowDesign& design, const std::string& from, const std::string& to) {
  for (std::size_t i = 0; i < design.streams.size(); ++i)
    if (design.tasks[design.streams[i].from.task].name == from &&
        design.tasks[design.streams[i].to.task].name == to)
      return i;
  ADD_FAILURE() << "no stream " << from << " -> " << to;
  return 0;
}

std::size_t tensorOf(const DataflowDesign& design, const std::string& name) {
  for (std::size_t i = 0; i < design.program.tensors.size(); ++i)
    if (design.program.tensors[i].name == name) return i;
  ADD_FAILURE() << "no tensor " << name;
  return 0;
}

std::size_t count(const DataflowDesign& design, TaskKind kind) {
  return static_cast<std::size_t>(std::count_if(design.tasks.begin(), design.tasks.end(),
                                                [&](const Task& task) { return task.kind == kind; }));
}

/// A rewritten design that still verifies and computes the same.
DataflowDesign good(const Result<DataflowDesign>& rewritten) {
  EXPECT_TRUE(rewritten) << text(rewritten.diagnostics());
  if (!rewritten) return {};
  EXPECT_EQ(text(verify(*rewritten)), "");
  const auto results = designResults(*rewritten);
  EXPECT_TRUE(results) << text(results.diagnostics());
  EXPECT_TRUE(results && *results == denseResults(rewritten->program));
  return *rewritten;
}

/// Why a rewrite is refused; place and fix are never empty.
template <class T>
std::string refusal(const Result<T>& result) {
  EXPECT_FALSE(result);
  if (result) return "";
  for (const Diagnostic& why : result.diagnostics()) {
    EXPECT_FALSE(why.place.empty());
    EXPECT_FALSE(why.fix.empty());
  }
  return text(result.diagnostics());
}

// ---- materialisation, sharing -----------------------------------------------------------------------------

TEST(DataflowRewriteRules, TheConverterOfThePapersFigure) {
  // Figures 6 and 7: 16x16 tiles of a 64x64 tensor, a row panel read four times.
  const DataflowDesign abstract = abstractDiamond();
  const DataflowDesign made = good(materialiseConverter(abstract, streamOf(abstract, "c", "d")));
  const Task& converter = made.tasks[taskOf(made, "convert c")];
  EXPECT_THAT(converter.buffer, ElementsAre(16, 64));
  EXPECT_EQ(converter.before_loop, 1u);
  EXPECT_EQ(onChipBytes(made, 0) - onChipBytes(abstract, 0), 2 * 16 * 64 + 2 * 256);  // a FIFO more
  EXPECT_THAT(refusal(materialiseConverter(made, streamOf(made, "c", "convert c"))),
              HasSubstr("same stream"));
  EXPECT_THAT(refusal(materialiseConverter(abstract, streamOf(abstract, "d", "sum"))), HasSubstr("'d.out0"));
}

TEST(DataflowRewriteRules, EqualConvertersAreOne) {
  DataflowDesign made = good(materialiseConverter(abstractDiamond(), 0));
  EXPECT_THAT(refusal(shareConverter(made, taskOf(made, "convert c"))), HasSubstr("no other converter"));
  EXPECT_THAT(refusal(shareConverter(made, taskOf(made, "c"))), HasSubstr("'c'"));
  made = good(materialiseConverter(made, streamOf(made, "c", "e")));
  EXPECT_EQ(count(made, TaskKind::Converter), 2u);
  const DataflowDesign shared = good(shareConverter(made, taskOf(made, "convert c 2")));
  EXPECT_EQ(count(shared, TaskKind::Converter), 1u);
  EXPECT_EQ(streamsFrom(shared, {taskOf(shared, "convert c 2"), 0}).size(), 2u);
  for (const char* reader : {"d", "e"}) {
    const DataflowStream& stream = shared.streams[streamOf(shared, "convert c 2", reader)];
    EXPECT_TRUE(sameStream(sourceOf(shared, stream).type, targetOf(shared, stream).type));
  }
  EXPECT_EQ(count(madeDiamond(), TaskKind::Converter), 2u);  // of c, and of the heads
}

TEST(DataflowRewriteRules, TransfersBecomeTasks) {
  const DataflowDesign abstract = abstractDiamond();
  const std::size_t c = taskOf(abstract, "c");
  const DataflowDesign made = good(materialiseTransfer(abstract, {c, 1}, false));
  const Task& load = made.tasks[taskOf(made, "load w")];
  EXPECT_THAT(load.buffer, ElementsAre(16, 16));
  EXPECT_EQ(load.outputs[0].type, abstract.tasks[c].inputs[1].type);
  EXPECT_FALSE(made.tasks[c].inputs[1].external);
  EXPECT_THAT(refusal(materialiseTransfer(made, {c, 1}, false)), HasSubstr("'c.in1'"));
  EXPECT_THAT(refusal(materialiseTransfer(made, {c, 0}, true)), HasSubstr("by itself"));
  EXPECT_EQ(count(madeDiamond(), TaskKind::Load), 4u);
  EXPECT_EQ(count(madeDiamond(), TaskKind::Store), 1u);
}

TEST(DataflowRewriteRules, GroupsExchangeTensorsThroughMemory) {
  const DataflowDesign made = good(materialised(abstractDiamond({0, 0, 1, 1, 1, 1})));
  EXPECT_EQ(made.tasks[taskOf(made, "store c")].group, 0u);
  EXPECT_EQ(made.tasks[taskOf(made, "load c")].group, 1u);
  EXPECT_EQ(made.tasks[taskOf(made, "store d")].group, 0u);
  EXPECT_EQ(made.tasks[taskOf(made, "load d")].group, 1u);
  const DataflowDesign one = madeDiamond();
  EXPECT_GT(summarise(made).external_bytes, summarise(one).external_bytes);
  // c goes out once and comes in four times over (once per tile of columns), d out and in.
  EXPECT_EQ(summarise(made).external_bytes - summarise(one).external_bytes, 4096 * (1 + 4 + 1 + 1));
}

// ---- streams ----------------------------------------------------------------------------------------------

TEST(DataflowRewriteRules, FoldingSavesABufferAndAFifo) {
  const DataflowDesign made = madeDiamond();
  const std::size_t stream = streamOf(made, "load w", "c");
  const DataflowDesign folded = good(fold(made, stream));
  EXPECT_TRUE(folded.streams[stream].folded);
  EXPECT_EQ(onChipBytes(made, 0) - onChipBytes(folded, 0), 256 + unsized_depth * 256);
  EXPECT_EQ(summarise(made).fifo_words - summarise(folded).fifo_words, unsized_depth);
  EXPECT_TRUE(good(unfold(folded, stream)) == made);
  EXPECT_THAT(refusal(fold(folded, stream)), HasSubstr("already"));
  EXPECT_THAT(refusal(unfold(made, stream)), HasSubstr("not folded"));
}

TEST(DataflowRewriteRules, FoldingNeedsTheSameAccessPattern) {
  const DataflowDesign abstract = abstractDiamond();
  EXPECT_THAT(refusal(fold(abstract, streamOf(abstract, "c", "d"))), HasSubstr("access pattern"));
  // As many tokens as large, row by row and column by column: still not the same.
  DataflowDesign swapped = madeDiamond();
  const std::size_t stream = streamOf(swapped, "d", "sum");
  ITensor& type = swapped.tasks[taskOf(swapped, "sum")].inputs[0].type;
  std::swap(type.map[0], type.map[1]);
  EXPECT_EQ(tokenCount(type), tokenCount(sourceOf(swapped, swapped.streams[stream]).type));
  EXPECT_THAT(refusal(fold(swapped, stream)), HasSubstr("access pattern"));
  const DataflowDesign made = madeDiamond();
  EXPECT_THAT(refusal(fold(made, streamOf(made, "convert c", "d"))), HasSubstr("other tasks read"));
  const DataflowDesign vectors = good(vectorise(made, streamOf(made, "d", "sum"), Shape{2, 4}));
  EXPECT_THAT(refusal(fold(vectors, streamOf(made, "d", "sum"))), HasSubstr("vectors"));
  const DataflowDesign forked = good(insertFork(made, {taskOf(made, "convert c"), 0}));
  EXPECT_THAT(refusal(fold(forked, streamOf(forked, "fork c", "d"))), HasSubstr("no buffer"));
}

TEST(DataflowRewriteRules, VectorsChangeTokensAndNotTheVolume) {
  const DataflowDesign made = madeDiamond();
  const std::size_t stream = streamOf(made, "convert c", "d");
  const DataflowDesign vectors = good(vectorise(made, stream, Shape{2, 4}));
  const ITensor before = streamType(made, made.streams[stream]),
                after = streamType(vectors, vectors.streams[stream]);
  EXPECT_EQ(elementText(after), "vector<2x4xi8>");
  EXPECT_EQ(tokenCount(after), tokenCount(before) * 32);
  EXPECT_EQ(volumeBits(after), volumeBits(before));
  // Widths differ from stream to stream of one output.
  const DataflowDesign both = good(vectorise(vectors, streamOf(made, "convert c", "e"), Shape{4, 4}));
  EXPECT_LT(summarise(both).fifo_bytes, summarise(made).fifo_bytes);
  EXPECT_TRUE(good(unvectorise(vectors, stream)) == made);
  EXPECT_THAT(refusal(vectorise(made, stream, Shape{3, 4})), AllOf(HasSubstr("3x4"), HasSubstr("16x16")));
  EXPECT_THAT(refusal(vectorise(made, stream, Shape{16, 16})), HasSubstr("whole tile"));
  EXPECT_THAT(refusal(vectorise(made, stream, Shape{4})), HasSubstr("divide"));
  EXPECT_THAT(refusal(unvectorise(made, stream)), HasSubstr("whole tiles"));
  const std::size_t alone = streamOf(made, "load w", "c");
  EXPECT_THAT(refusal(vectorise(good(fold(made, alone)), alone, Shape{2, 4})), HasSubstr("folded"));
  EXPECT_THAT(suggestedVector(made, stream, 512), ElementsAre(8, 8));
}

TEST(DataflowRewriteRules, AVectorStaysWhenAConverterComesBetween) {
  const DataflowDesign abstract = abstractDiamond();
  const DataflowDesign vectors = good(vectorise(abstract, streamOf(abstract, "c", "d"), Shape{4, 8}));
  const DataflowDesign made = good(materialiseConverter(vectors, streamOf(abstract, "c", "d")));
  EXPECT_THAT(made.streams[streamOf(made, "c", "convert c")].vector, ElementsAre(4, 8));
  EXPECT_THAT(made.streams[streamOf(made, "convert c", "d")].vector, ElementsAre(4, 8));
}

TEST(DataflowRewriteRules, ForksComeAndGo) {
  const DataflowDesign made = madeDiamond();
  const PortRef output{taskOf(made, "convert c"), 0};
  const DataflowDesign forked = good(insertFork(made, output));
  EXPECT_EQ(streamsFrom(forked, output).size(), 1u);
  EXPECT_EQ(forked.tasks[taskOf(forked, "fork c")].outputs.size(), 2u);
  EXPECT_TRUE(good(removeFork(forked, taskOf(forked, "fork c"))) == made);
  const Result<RewriteStep> gone = applyEverywhere(forked, **rewriteNamed("remove fork"));
  ASSERT_TRUE(gone) << text(gone.diagnostics());
  EXPECT_TRUE(gone->after == made);
  EXPECT_THAT(refusal(insertFork(made, {taskOf(made, "d"), 0})), HasSubstr("1 stream leaves it"));
  EXPECT_THAT(refusal(removeFork(made, taskOf(made, "d"))), HasSubstr("no fork"));
}

TEST(DataflowRewriteRules, LoadsTakeTurns) {
  const DataflowDesign made = madeDiamond();
  const std::size_t load = taskOf(made, "load x");
  const DataflowDesign split = good(interleave(made, load, 4));
  const Task& join = split.tasks[taskOf(split, "join x")];
  ASSERT_EQ(join.inputs.size(), 4u);
  EXPECT_EQ(join.outputs[0].type, made.tasks[load].outputs[0].type);
  for (const TaskPort& part : join.inputs)
    EXPECT_EQ(tokenCount(part.type) * 4, tokenCount(join.outputs[0].type));
  EXPECT_EQ(summarise(split).external_bytes, summarise(made).external_bytes);
  EXPECT_TRUE(good(mergeLoads(split, taskOf(split, "join x"))).tasks == made.tasks);
  EXPECT_THAT(refusal(interleave(made, load, 3)), HasSubstr("3 does not divide"));
  EXPECT_THAT(refusal(interleave(made, load, 1)), HasSubstr("2 to 64"));
  EXPECT_THAT(refusal(interleave(made, taskOf(made, "c"), 2)), HasSubstr("no load"));
  EXPECT_THAT(refusal(mergeLoads(made, load)), HasSubstr("no join"));
  // A part that is itself joined is no load.
  const DataflowDesign twice = good(interleave(good(interleave(made, load, 2)), load, 2));
  EXPECT_THAT(refusal(mergeLoads(twice, taskOf(twice, "join x"))), HasSubstr("input 0"));
  const DataflowDesign once = good(mergeLoads(twice, taskOf(twice, "join x 2")));
  EXPECT_TRUE(good(mergeLoads(once, taskOf(once, "join x"))).tasks == made.tasks);
}

TEST(DataflowRewriteRules, AReshapeThatMovesNothingIsDropped) {
  const DataflowDesign made = madeDiamond();
  const DataflowDesign dropped = good(dropReshape(made, taskOf(made, "heads")));
  const std::size_t renamed = streamOf(dropped, "sum", "convert heads");
  const DataflowStream& stream = dropped.streams[renamed];
  EXPECT_EQ(sourceOf(dropped, stream).tensor, tensorOf(dropped, "sum"));
  EXPECT_EQ(targetOf(dropped, stream).tensor, tensorOf(dropped, "heads"));
  EXPECT_EQ(dropped.tasks.size() + 1, made.tasks.size());
  EXPECT_THAT(refusal(vectorise(dropped, renamed, Shape{2, 4})), HasSubstr("differently"));
  const DataflowDesign abstract = abstractDiamond();
  EXPECT_THAT(refusal(dropReshape(abstract, taskOf(abstract, "heads"))), HasSubstr("behind it"));
  EXPECT_THAT(refusal(dropReshape(made, taskOf(made, "sum"))), HasSubstr("computes something"));
  const DataflowDesign apart = abstractDiamond({0, 0, 0, 0, 1, 1});
  EXPECT_THAT(refusal(dropReshape(apart, taskOf(apart, "heads"))), HasSubstr("external memory itself"));
}

// ---- external memory --------------------------------------------------------------------------------------

TEST(DataflowRewriteRules, APackedTileIsOneBurstAndAWordFillsTheBus) {
  const DataflowDesign made = madeDiamond();
  const std::size_t w = tensorOf(made, "w");
  const DataflowDesign packed = good(pack(made, w, Shape{16, 16}));
  EXPECT_THAT(suggestedPacking(made, w), ElementsAre(16, 16));
  EXPECT_EQ(summarise(made).external_bursts - summarise(packed).external_bursts, 3 * 64 * 15);
  EXPECT_EQ(summarise(packed).external_bytes, summarise(made).external_bytes);
  const DataflowDesign wide = good(widen(packed, w, Shape{8, 8}));
  EXPECT_THAT(suggestedWord(packed, w), ElementsAre(8, 8));
  EXPECT_EQ(summarise(packed).external_accesses - summarise(wide).external_accesses, 3 * 64 * (256 - 4));
  EXPECT_TRUE(good(unpack(good(unwiden(wide, w)), w)) == made);
  EXPECT_TRUE(good(unwiden(good(unpack(wide, w)), w)) == made);
}

TEST(DataflowRewriteRules, LayoutsThatDoNotFitAreRefused) {
  const DataflowDesign made = madeDiamond();
  const std::size_t w = tensorOf(made, "w"), c = tensorOf(made, "c");
  EXPECT_THAT(refusal(pack(made, c, Shape{16, 16})), AllOf(HasSubstr("tensor 'c'"), HasSubstr("no task")));
  EXPECT_THAT(refusal(pack(made, w, Shape{32, 16})), HasSubstr("none of its transfers"));
  EXPECT_THAT(refusal(pack(made, w, Shape{64, 64})), HasSubstr("whole tensor"));
  EXPECT_THAT(refusal(pack(good(pack(made, w, Shape{16, 16})), w, Shape{16, 16})), HasSubstr("already"));
  EXPECT_THAT(refusal(unpack(made, w)), HasSubstr("not packed"));
  EXPECT_THAT(refusal(widen(made, w, Shape{16, 8})), HasSubstr("1024 bits"));
  EXPECT_THAT(refusal(widen(made, w, Shape{1, 32})), HasSubstr("'load w' transfers"));
  EXPECT_THAT(refusal(widen(made, w, Shape{1, 1})), HasSubstr("not wider"));
  EXPECT_THAT(refusal(widen(made, w, Shape{8})), HasSubstr("divide"));
  EXPECT_THAT(refusal(widen(good(widen(made, w, Shape{8, 8})), w, Shape{8, 8})), HasSubstr("already"));
  EXPECT_THAT(refusal(unwiden(made, w)), HasSubstr("not widened"));
  // The same memory under two shapes: a result that is only a reshape.
  TensorProgram program = diamond();
  program.operators.pop_back();
  program.results = {program.operators.back().output};
  program = withoutUnusedTensors(program);
  const ProgramFusion fusion = *fusionGraph(program, 16);
  const DataflowDesign view = *abstractDesign(
      program,
      planOf(fusion.graph, std::vector<std::size_t>(fusion.operators.size(), 0), FusionMemory::Converters),
      16);
  good(view);
  EXPECT_THAT(refusal(pack(view, tensorOf(view, "sum"), Shape{16, 16})), HasSubstr("shape of a reshape"));
}

TEST(DataflowRewriteRules, WhoBringsATensorIntoItsLayout) {
  DataflowDesign design = abstractDiamond({0, 0, 1, 1, 1, 1});
  for (const char* name : {"x", "w", "c"}) {
    const std::size_t tensor = tensorOf(design, name);
    design = good(pack(design, tensor, suggestedPacking(design, tensor)));
  }
  EXPECT_EQ(layoutWork(design, tensorOf(design, "w"), true), LayoutWork::Constant);
  EXPECT_EQ(layoutWork(design, tensorOf(design, "c"), true), LayoutWork::Tasks);
  EXPECT_EQ(layoutWork(design, tensorOf(design, "d"), true), LayoutWork::None);
  EXPECT_EQ(layoutWork(design, tensorOf(design, "x"), true), LayoutWork::Host);  // y has another shape
  EXPECT_EQ(summarise(design).host_bytes, 4096);
  EXPECT_EQ(text(LayoutWork::Cancels), "cancels");
}

TEST(DataflowRewriteRules, PackingCancelsBetweenLayersWhoseTilingsAgree) {
  TensorProgram program = diamond();
  program.operators.resize(4);
  program.results = {program.operators.back().output};
  program = withoutUnusedTensors(program);
  const ProgramFusion fusion = *fusionGraph(program, 16);
  const auto plan = planOf(fusion.graph, {0, 0, 0, 0}, FusionMemory::Converters);
  DataflowDesign design = *abstractDesign(program, plan, 16);
  const std::size_t x = tensorOf(design, "x"), y = program.results[0];
  design = good(pack(design, x, Shape{16, 16}));
  EXPECT_EQ(layoutWork(design, x, true), LayoutWork::Host);  // the layer before hands it over row-major
  design = good(pack(design, y, Shape{16, 16}));
  EXPECT_EQ(layoutWork(design, x, true), LayoutWork::Cancels);
  EXPECT_EQ(layoutWork(design, y, true), LayoutWork::Cancels);
  EXPECT_EQ(layoutWork(design, y, false), LayoutWork::Host);
  EXPECT_EQ(summarise(design).host_bytes, 0);
}

// ---- groups -----------------------------------------------------------------------------------------------

TEST(DataflowRewriteRules, FusedGroupsKeepTheirTensorsOnChip) {
  const std::vector<std::size_t> plan{0, 0, 1, 1, 1, 1};
  for (const DataflowDesign& apart : {abstractDiamond(plan), *materialised(abstractDiamond(plan))}) {
    const DataflowDesign fused = good(fuseGroups(apart, 0));
    for (const Task& task : fused.tasks) EXPECT_EQ(task.group, 0u);
    const DataflowDesign made = good(materialised(fused));
    EXPECT_EQ(summarise(made), summarise(madeDiamond()));
    EXPECT_THAT(refusal(fuseGroups(fused, 0)), HasSubstr("no group runs after"));
    const std::int64_t bytes = onChipBytes(fused, 0);
    good(fuseGroups(apart, 0, bytes));
    EXPECT_THAT(refusal(fuseGroups(apart, 0, bytes - 1)),
                HasSubstr(std::to_string(bytes) + " bytes on chip"));
  }
}

TEST(DataflowRewriteRules, WhatOthersNeedIsStillStored) {
  const DataflowDesign apart = abstractDiamond({0, 1, 2, 2, 2, 2});
  const DataflowDesign fused = good(fuseGroups(apart, 0));  // c goes to d on chip and to e through memory
  const std::size_t c = taskOf(fused, "c");
  EXPECT_TRUE(fused.tasks[c].outputs[0].external);
  EXPECT_EQ(streamsFrom(fused, {c, 0}).size(), 1u);
  const DataflowDesign all = good(fuseGroups(fused, 0));
  EXPECT_FALSE(all.tasks[c].outputs[0].external);
}

TEST(DataflowRewriteRules, InterleavedLoadsAreMergedBeforeFusing) {
  const DataflowDesign apart = *materialised(abstractDiamond({0, 0, 1, 1, 1, 1}));
  const DataflowDesign split = good(interleave(apart, taskOf(apart, "load c"), 2));
  EXPECT_THAT(refusal(fuseGroups(split, 0)), HasSubstr("interleaved"));
}

TEST(DataflowRewriteRules, ASplitGroupExchangesThroughMemory) {
  const DataflowDesign made = madeDiamond();
  const DataflowDesign split = good(splitGroup(made, taskOf(made, "sum")));
  EXPECT_EQ(split.tasks[taskOf(split, "d")].group, 0u);
  EXPECT_EQ(split.tasks[taskOf(split, "sum")].group, 1u);
  EXPECT_EQ(split.tasks[taskOf(split, "store y")].group, 1u);
  EXPECT_TRUE(split.tasks[taskOf(split, "d")].outputs[0].external);
  EXPECT_EQ(summarise(good(materialised(good(fuseGroups(split, 0))))), summarise(made));
  // Through a shared converter: d moves and reads c from memory in its own order, e keeps the converter.
  const DataflowDesign half = good(splitGroup(made, taskOf(made, "d")));
  EXPECT_EQ(count(half, TaskKind::Converter), 2u);
  EXPECT_TRUE(half.tasks[taskOf(half, "d")].inputs[0].external);
  EXPECT_EQ(half.tasks[taskOf(half, "load w 2")].group, 1u);
  EXPECT_THAT(refusal(splitGroup(made, taskOf(made, "c"))), HasSubstr("depends on it"));
  EXPECT_THAT(refusal(splitGroup(made, taskOf(made, "load x"))), HasSubstr("moves data"));
  const DataflowDesign forked = good(insertFork(made, {taskOf(made, "convert c"), 0}));
  EXPECT_THAT(refusal(splitGroup(forked, taskOf(forked, "d"))), HasSubstr("'fork c'"));
}

TEST(DataflowRewriteRules, ATensorThatGoesOutIsNoLongerFolded) {
  const DataflowDesign made = madeDiamond();
  const DataflowDesign folded = good(fold(made, streamOf(made, "c", "convert c")));
  const DataflowDesign split = good(splitGroup(folded, taskOf(folded, "d")));
  EXPECT_TRUE(split.tasks[taskOf(split, "c")].outputs[0].external);
  EXPECT_FALSE(split.streams[streamOf(split, "c", "convert c")].folded);
}

TEST(DataflowRewriteRules, WordsThatANewTransferCannotReadAreGivenUp) {
  // The sum is stored in tiles of 8x8; its reshape, in a group of its own, reads tiles of 8x4.
  TensorProgram program = diamond({64, 16, 4});
  program.results.push_back(program.operators[3].output);
  const ProgramFusion fusion = *fusionGraph(program, 8);
  const FusionPlan plan = planOf(fusion.graph, std::vector<std::size_t>(6, 0), FusionMemory::Converters);
  const DataflowDesign whole = *abstractDesign(program, plan, 8);
  const std::size_t sum = tensorOf(whole, "sum");
  const DataflowDesign wide = good(widen(whole, sum, Shape{8, 8}));
  const DataflowDesign split = good(splitGroup(wide, taskOf(wide, "heads")));
  EXPECT_TRUE(split.layouts[sum].vector.empty());
  EXPECT_THAT(refusal(widen(split, sum, Shape{8, 8})), HasSubstr("8x4"));
}

}  // namespace sluice::dataflow_rewrite_rules_test
