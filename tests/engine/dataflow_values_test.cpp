// The interpreter of dataflow designs against the dense reference, and both against numbers known otherwise.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "engine/itensor/canonical.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_values.h"
#include "engine/tensor/dataflow/materialise.h"
#include "engine/tensor/programs/tensor_values.h"
#include "tests/engine/support/tensor_designs.h"

namespace sluice::dataflow_values_test {

using testing_support::denseResults;
using testing_support::fusedBlock;
using testing_support::randomPlan;
using testing_support::scaledDown;

TEST(DataflowValues, DesignsComputeWhatTheProgramDoes) {
  SplitMix64 random(7);
  for (const TransformerModel& model : publishedModels())
    for (const BlockPhase phase : {promptPhase(4), decodePhase(6)})
      for (const std::int64_t tile : {1, 2, 3, 4, 5, 6, 7, 8}) {
        const TensorProgram program = fusedBlock(scaledDown(model), phase);
        const std::vector<FloatTensor> expected = denseResults(program);
        const ProgramFusion fusion = *fusionGraph(program, tile);
        for (const std::size_t groups : {1u, 3u, 9u}) {
          SCOPED_TRACE(program.name + ", tile " + std::to_string(tile) + ", groups " +
                       std::to_string(groups));
          const auto abstract = abstractDesign(program, randomPlan(fusion.graph, groups, random), tile);
          ASSERT_TRUE(abstract) << text(abstract.diagnostics());
          const auto computed = designResults(*abstract);
          ASSERT_TRUE(computed) << text(computed.diagnostics());
          EXPECT_TRUE(*computed == expected);
          const auto made = materialised(*abstract);
          ASSERT_TRUE(made) << text(made.diagnostics());
          const auto again = designResults(*made);
          ASSERT_TRUE(again) << text(again.diagnostics());
          EXPECT_TRUE(*again == expected);
        }
      }
}

/// A design of everything in one group, materialised.
Result<DataflowDesign> fullyFused(const TensorProgram& program, std::int64_t tile) {
  const auto fusion = fusionGraph(program, tile);
  if (!fusion) return fusion.diagnostics();
  const std::vector<std::size_t> group_of(fusion->operators.size(), 0);
  const auto design =
      abstractDesign(program, planOf(fusion->graph, group_of, FusionMemory::Converters), tile);
  return design ? materialised(*design) : design;
}

TEST(DataflowValues, ProgramsBeforeTheirOperatorsAreFused) {
  for (const TransformerModel& model : publishedModels())
    for (const std::int64_t tile : {1, 3, 4}) {
      const TensorProgram program =
          *transformerBlock(scaledDown(model), promptPhase(4), *quantisationNamed("W4A8"));
      const auto design = fullyFused(program, tile);
      ASSERT_TRUE(design) << text(design.diagnostics());
      EXPECT_TRUE(*designResults(*design) == denseResults(program)) << program.name;
    }
}

TEST(DataflowValues, AFillHasNoInputs) {
  TensorProgram program;
  program.name = "filled";
  program.tensors = {{"x", {4, 6}, {}, TensorRole::Input}, {"zeros", {4, 6}, {}}, {"sum", {4, 6}, {}}};
  program.operators = {{"zeros", TensorOperatorKind::Fill, {}, 1, false, {}, {}, {}},
                       {"sum", TensorOperatorKind::Add, {0, 1}, 2, false, {}, {}, {}}};
  program.results = {2};
  const auto design = fullyFused(program, 2);
  ASSERT_TRUE(design) << text(design.diagnostics());
  const auto results = designResults(*design);
  ASSERT_TRUE(results) << text(results.diagnostics());
  EXPECT_EQ((*results)[0], tensorValues(program)[0]);
}

// ---- the reference ----------------------------------------------------------------------------------------

FloatTensor apply(TensorOperatorKind kind, std::vector<FloatTensor> operands,
                  std::vector<std::size_t> shape) {
  TensorOperator op;
  op.kind = kind;
  for (std::size_t i = 0; i < operands.size(); ++i) op.inputs.push_back(i);
  return applied(op, operands, std::move(shape));
}

TEST(TensorValues, OperatorsByHand) {
  const FloatTensor a{{2, 2}, {1, 2, 3, 4}}, b{{2, 2}, {5, 6, 7, 8}}, bias{{2}, {10, 20}};
  EXPECT_EQ(apply(TensorOperatorKind::Linear, {a, b, bias}, {2, 2}).data,
            (std::vector<float>{27, 43, 49, 73}));
  EXPECT_EQ(apply(TensorOperatorKind::BatchedMatmul, {a, b}, {2, 2}).data,
            (std::vector<float>{19, 22, 43, 50}));
  EXPECT_EQ(apply(TensorOperatorKind::Add, {a, bias}, {2, 2}).data, (std::vector<float>{11, 22, 13, 24}));
  EXPECT_EQ(apply(TensorOperatorKind::Mul, {a, b}, {2, 2}).data, (std::vector<float>{5, 12, 21, 32}));
  EXPECT_EQ(apply(TensorOperatorKind::Reshape, {a}, {4}).data, a.data);
  EXPECT_EQ(apply(TensorOperatorKind::Fill, {}, {2}).data, (std::vector<float>{0, 0}));
  const FloatTensor weights = apply(TensorOperatorKind::Softmax, {a}, {2, 2});
  EXPECT_FLOAT_EQ(weights.data[0] + weights.data[1], 1.0f);
  EXPECT_FLOAT_EQ(weights.data[1] / weights.data[0], std::exp(1.0f));
  const FloatTensor gain{{2}, {1, 2}};
  const FloatTensor normal = apply(TensorOperatorKind::LayerNorm, {a, gain, bias}, {2, 2});
  EXPECT_NEAR(normal.data[0], 9, 1e-3);
  EXPECT_NEAR(normal.data[1], 22, 1e-3);
  const FloatTensor scaled = apply(TensorOperatorKind::RmsNorm, {a, gain}, {2, 2});
  EXPECT_NEAR(scaled.data[0], 1 / std::sqrt(2.5), 1e-3);
  EXPECT_NEAR(apply(TensorOperatorKind::Silu, {a}, {2, 2}).data[0], 1 / (1 + std::exp(-1.0)), 1e-6);
  EXPECT_NEAR(apply(TensorOperatorKind::Gelu, {a}, {2, 2}).data[0], 0.8413447, 1e-6);
  // A quarter turn takes (1, 2) to (-2, 1).
  const FloatTensor angles{{2, 2}, {std::acos(0.0f), std::acos(0.0f), 0, 0}};
  const FloatTensor turned = apply(TensorOperatorKind::Rotary, {a, angles}, {2, 2});
  EXPECT_NEAR(turned.data[0], -2, 1e-6);
  EXPECT_NEAR(turned.data[1], 1, 1e-6);
  EXPECT_EQ(turned.data[2], 3);
}

TEST(TensorValues, SharedBatchesTransposesAndSteps) {
  // Two batches of a share one b, which is transposed.
  TensorOperator matmul{"m", TensorOperatorKind::BatchedMatmul, {0, 1}, 2, true, {}, {}, {}};
  const FloatTensor a{{1, 2, 1, 2}, {1, 2, 3, 4}}, b{{1, 3, 2}, {1, 0, 0, 1, 1, 1}};
  EXPECT_EQ(applied(matmul, std::vector{a, b}, {1, 2, 1, 3}).data, (std::vector<float>{1, 2, 3, 3, 4, 7}));
  TensorOperator transpose{"t", TensorOperatorKind::Transpose, {0}, 1, false, {2, 0, 1}, {}, {}};
  const FloatTensor c{{1, 2, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(applied(transpose, std::vector{c}, {3, 1, 2}).data, (std::vector<float>{1, 4, 2, 5, 3, 6}));
  matmul.before_steps = {{TensorOperatorKind::Add, 2}};
  matmul.after_steps = {{TensorOperatorKind::Mul, 3}};
  const FloatTensor one{{2}, {1, 1}}, two{{3}, {2, 2, 2}};
  EXPECT_EQ(applied(matmul, std::vector{a, b, one, two}, {1, 2, 1, 3}).data,
            (std::vector<float>{4, 6, 10, 8, 10, 18}));
}

TEST(TensorValues, RewritesOfProgramsKeepTheirResults) {
  for (const TransformerModel& model : publishedModels())
    for (const BlockPhase phase : {promptPhase(4), decodePhase(6)}) {
      const TensorProgram plain = *transformerBlock(scaledDown(model), phase, *quantisationNamed("W4A8"));
      const std::vector<FloatTensor> expected = denseResults(plain);
      const std::vector<FloatTensor> fused = denseResults(withoutUnitDimensions(withElementwiseFused(plain)));
      ASSERT_EQ(fused.size(), expected.size());
      for (std::size_t i = 0; i < fused.size(); ++i) EXPECT_EQ(fused[i], expected[i]) << plain.name;
      std::set<float> values(expected[0].data.begin(), expected[0].data.end());
      EXPECT_GT(values.size(), 4u);  // not all the same number
    }
}

TEST(TensorValues, GivenTensorsAreUsed) {
  const TensorProgram program = fusedBlock(scaledDown(tinyLlama()), promptPhase(4));
  const FloatTensor zeros{{4, 8}, std::vector<float>(32, 0.0f)};
  const std::vector<FloatTensor> all = tensorValues(program, {{"x", zeros}});
  EXPECT_EQ(all[program.results[0]], zeros);  // norms of nothing, and a residual of nothing
  const auto computed = designResults(*fullyFused(program, 2), {{"x", zeros}});
  ASSERT_TRUE(computed);
  EXPECT_EQ((*computed)[0], zeros);
}

// ---- broken designs ---------------------------------------------------------------------------------------

/// Walks two loops of a type in the other order; false where that is the same stream.
bool swapLoops(ITensor& type, SplitMix64& random) {
  if (type.loops.size() < 2) return false;
  const ITensor before = type;
  const std::size_t a = random.below(type.loops.size()), b = random.below(type.loops.size());
  std::swap(type.loops[a], type.loops[b]);
  for (AffineForm& form : type.map) std::swap(form.coefficients[a], form.coefficients[b]);
  return !sameStream(before, type);
}

/// A dimension that the buffer holds whole, although tiles are smaller, holds one tile only.
bool shrinkBuffer(const DataflowDesign& design, Task& task, SplitMix64& random) {
  const std::size_t k = random.below(task.buffer.size());
  const Task before = task;
  if (task.buffer[k] == design.program.tensors[task.inputs[0].tensor].shape[k])
    task.buffer[k] = std::max(task.inputs[0].type.extent(k), task.outputs[0].type.extent(k));
  return !(before == task);
}

/// Breaks a converter's buffer or shared loops, or the order that a compute task works in; false where there
/// is nothing to break.
bool breakDesign(DataflowDesign& design, SplitMix64& random) {
  Task& task = design.tasks[random.below(design.tasks.size())];
  const std::uint64_t what = random.below(3);
  if (task.kind == TaskKind::Converter) {
    if (what == 0) return shrinkBuffer(design, task, random);
    if (what == 1) return ++task.before_loop, true;
    return task.before_loop > 0 && (--task.before_loop, true);
  }
  if (task.kind != TaskKind::Compute) return false;
  auto& ports = what == 0 || task.inputs.empty() ? task.outputs : task.inputs;
  return swapLoops(ports[random.below(ports.size())].type, random);
}

/// Runs `check` with many designs, each changed by `change` in a random place, and the right results.
void forEachChange(bool (*change)(DataflowDesign&, SplitMix64&),
                   const std::function<void(const DataflowDesign&, const std::vector<FloatTensor>&)>& check) {
  SplitMix64 random(23);
  for (const TransformerModel& model : publishedModels())
    for (const BlockPhase phase : {promptPhase(4), decodePhase(6)})
      for (const std::int64_t tile : {1, 2, 4}) {
        const TensorProgram program = fusedBlock(scaledDown(model), phase);
        const std::vector<FloatTensor> expected = denseResults(program);
        const FusionPlan plan = randomPlan(fusionGraph(program, tile)->graph, 3, random);
        const DataflowDesign whole = *materialised(*abstractDesign(program, plan, tile));
        for (int round = 0; round < 80; ++round) {
          DataflowDesign design = whole;
          SCOPED_TRACE(program.name + ", tile " + std::to_string(tile) + ", round " + std::to_string(round));
          if (change(design, random)) check(design, expected);
        }
      }
}

TEST(DataflowValues, BrokenDesignsAreNoticed) {
  int broken = 0, errors = 0;
  forEachChange(breakDesign, [&](const DataflowDesign& design, const std::vector<FloatTensor>& expected) {
    ++broken;
    EXPECT_FALSE(verify(design).empty());
    const auto results = designResults(design);  // as if nobody had verified it
    errors += results ? 0 : 1;
    EXPECT_FALSE(results && *results == expected) << text(verify(design));
  });
  EXPECT_GT(broken, 300);
  EXPECT_GT(errors, 30);
  EXPECT_LT(errors, broken - 30);  // the others show in the numbers
}

/// Anything at all, in one of the numbers that make up a design.
bool damage(DataflowDesign& design, SplitMix64& random) {
  const auto small = [&] { return static_cast<std::int64_t>(random.below(6)) - 1; };
  const auto any = [&](auto& list) -> auto& {
    return list[random.below(list.size())];
  };
  Task& task = any(design.tasks);
  auto& ports =
      task.inputs.empty() || (!task.outputs.empty() && random.below(2) == 0) ? task.outputs : task.inputs;
  TaskPort& port = any(ports);
  DataflowStream& stream = any(design.streams);
  const std::uint64_t what = random.below(14);
  if (what == 0) return task.kind = static_cast<TaskKind>(random.below(6)), true;
  if (what == 1) return task.subject = random.below(design.program.operators.size() + 2), true;
  if (what == 2) return task.group = random.below(4), true;
  if (what == 3) return task.before_loop = random.below(5), true;
  if (what == 4) return !task.buffer.empty() && (any(task.buffer) = small(), true);
  if (what == 5) return port.tensor = random.below(design.program.tensors.size() + 2), true;
  if (what == 6) return port.external = !port.external, true;
  if (what == 7) return stream.from = {random.below(design.tasks.size() + 1), random.below(2)}, true;
  if (what == 8) return stream.to = {random.below(design.tasks.size() + 1), random.below(3)}, true;
  if (what == 9) return stream.vector.assign(random.below(4), 1 + small()), true;
  if (what == 10) return any(design.layouts).tile.assign(random.below(4), small()), true;
  if (what == 11) return swapLoops(port.type, random);
  if (port.type.loops.empty()) return false;
  if (what == 12) return any(port.type.loops).trips = small(), true;
  return !port.type.map.empty() && (any(any(port.type.map).coefficients) = small(), true);
}

/// Verification refuses damage or the damage changes nothing that leaves: another order of a load's tokens,
/// say, only asks for a converter behind it.
TEST(DataflowValues, WhatIsVerifiedComputesTheSame) {
  int accepted = 0, refused = 0;
  forEachChange(damage, [&](const DataflowDesign& design, const std::vector<FloatTensor>& expected) {
    const bool legal = verify(design).empty();
    ++(legal ? accepted : refused);
    EXPECT_TRUE(!legal || *designResults(design) == expected);
  });
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 1000);
}

}  // namespace sluice::dataflow_values_test
