// Tensor programs: shape rules, nests and the streams of their tiles, fusion of elementwise operators, and
// the transformer blocks against closed formulas and the published sizes of the models.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/programs/llm_blocks.h"
#include "engine/tensor/programs/operator_nest.h"
#include "engine/tensor/programs/reassociation.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::tensor_program_test {

using testing::HasSubstr;
using Shape = std::vector<std::int64_t>;

Quantisation w4a8() {
  return *quantisationNamed("W4A8");
}

TensorProgram block(const TransformerModel& model, BlockPhase phase) {
  return *transformerBlock(model, phase, w4a8());
}

/// One matrix product, f32, 64 in every dimension.
TensorProgram matmul64() {
  TensorProgram program;
  program.name = "product";
  for (const char* name : {"a", "b", "c"})
    program.tensors.push_back(
        {name, {64, 64}, {}, std::string(name) == "c" ? TensorRole::Activation : TensorRole::Input});
  program.operators.push_back({"product", TensorOperatorKind::BatchedMatmul, {0, 1}, 2, false, {}, {}, {}});
  program.results = {2};
  return program;
}

// ---- verification -----------------------------------------------------------------------------------------

std::string mistake(const std::function<void(TensorProgram&)>& change) {
  TensorProgram program = matmul64();
  change(program);
  const Diagnostics found = verify(program);
  for (const Diagnostic& diagnostic : found) {
    EXPECT_FALSE(diagnostic.place.empty());
    EXPECT_FALSE(diagnostic.fix.empty());
  }
  return text(found);
}

TEST(TensorProgram, MistakesAreNamedWithTheirPlace) {
  EXPECT_EQ(mistake([](TensorProgram&) {}), "");
  EXPECT_THAT(mistake([](TensorProgram& p) {
                p.tensors[1].shape = {32, 64};
              }),
              testing::AllOf(HasSubstr("operator 'product'"), HasSubstr("'b' is 32x64"), HasSubstr("64x64")));
  EXPECT_THAT(mistake([](TensorProgram& p) { p.tensors[1].shape = {2, 64, 64}; }), HasSubstr("batch"));
  EXPECT_THAT(mistake([](TensorProgram& p) { p.operators[0].inputs = {0}; }), HasSubstr("takes 2"));
  EXPECT_THAT(mistake([](TensorProgram& p) { p.operators[0].inputs = {0, 9}; }), HasSubstr("names tensor 9"));
  EXPECT_THAT(mistake([](TensorProgram& p) {
                p.operators[0].inputs = {0, 2};
              }),
              HasSubstr("before anything"));
  EXPECT_THAT(mistake([](TensorProgram& p) { p.operators[0].output = 1; }),
              HasSubstr("'b', which is constant"));
  EXPECT_THAT(mistake([](TensorProgram& p) { p.tensors[0].shape = {64, 0}; }), HasSubstr("not positive"));
  EXPECT_THAT(mistake([](TensorProgram& p) { p.tensors[0].shape = {1 << 30, 1 << 30}; }), HasSubstr("2^48"));
  EXPECT_THAT(mistake([](TensorProgram& p) { p.tensors[0].scalar.bits = 0; }), HasSubstr("no bits"));
  EXPECT_THAT(mistake([](TensorProgram& p) {
                p.operators[0].after_steps = {{TensorOperatorKind::Add, {}}};
              }),
              HasSubstr("no complete elementwise"));
  EXPECT_THAT(mistake([](TensorProgram& p) {
                for (TensorValue& tensor : p.tensors) tensor.shape = {1 << 18, 1 << 18};
              }),
              HasSubstr("2^50 multiplications"));
  EXPECT_THAT(mistake([](TensorProgram& p) { p.results = {7}; }), HasSubstr("results of 'product'"));
}

TEST(TensorProgram, ReshapesSplitAndMergeNeighbours) {
  using Groups = std::vector<ReassociationGroup>;
  const auto groups = [](Shape from, Shape to) { return reassociation(from, to); };
  EXPECT_EQ(groups({8, 64}, {8, 4, 16}), (Groups{{0, 1, 0, 1}, {1, 2, 1, 3}}));
  EXPECT_EQ(groups({8, 4, 16}, {8, 64}), (Groups{{0, 1, 0, 1}, {1, 3, 1, 2}}));
  EXPECT_EQ(groups({1, 64}, {64}), (Groups{{0, 1, 0, 0}, {1, 2, 0, 1}}));
  EXPECT_EQ(groups({64}, {64, 1}), (Groups{{0, 1, 0, 1}, {1, 1, 1, 2}}));
  EXPECT_FALSE(groups({8, 6}, {6, 8}));
  EXPECT_FALSE(groups({8, 6}, {4, 13}));
  EXPECT_FALSE(groups({8}, {8, 2}));
}

// ---- nests and streams ------------------------------------------------------------------------------------

TEST(OperatorNest, StreamsOfATiledProduct) {
  const TensorProgram program = matmul64();
  const OperatorNest nest = nestOf(program, program.operators[0]);
  const std::vector<std::int64_t> tiles = tileSizes(nest, 16);
  std::vector<std::string> types;
  for (const OperatorAccess& access : nest.accesses)
    types.push_back(text(tiledStream(nest, access, {}, tiles)));
  EXPECT_EQ(types[0], "itensor<16x16xf32, iter_space: [4,4,4]*[16,1,16], iter_map: (d0,d1,d2)->(d0,d2)>");
  EXPECT_EQ(types[1], "itensor<16x16xf32, iter_space: [4,4,4]*[1,16,16], iter_map: (d0,d1,d2)->(d2,d1)>");
  EXPECT_EQ(types[2], "itensor<16x16xf32, iter_space: [4,4]*[16,16], iter_map: (d0,d1)->(d0,d1)>");
}

/// Every access of every operator of every block covers its tensor exactly, whatever the tiles.
TEST(OperatorNest, EveryStreamOfEveryBlockCoversItsTensor) {
  std::size_t streams = 0;
  for (const TransformerModel& model : publishedModels()) {
    for (const BlockPhase phase : {promptPhase(48), promptPhase(1), decodePhase(100)}) {
      const TensorProgram program = block(model, phase);
      for (const TensorOperator& op : program.operators) {
        const OperatorNest nest = nestOf(program, op);
        ASSERT_EQ(nest.accesses.size(), readTensors(op).size() + 1);
        const std::vector<std::int64_t> tiles = tileSizes(nest, 16);
        for (const OperatorAccess& access : nest.accesses) {
          const TensorValue& tensor = program.tensors[access.tensor];
          const ITensor type = tiledStream(nest, access, tensor.scalar, tiles);
          SCOPED_TRACE(op.name + " " + tensor.name + " " + text(type));
          ASSERT_TRUE(verify(type));
          EXPECT_EQ(inferredShape(type), tensor.shape);
          EXPECT_TRUE(isRegularTiling(type) || op.kind == TensorOperatorKind::Reshape);
          if (isRegularTiling(type)) {
            EXPECT_EQ(volumeBits(type) / revisitFactor(type), elementCount(tensor) * tensor.scalar.bits);
            if (access.written) {
              EXPECT_EQ(revisitFactor(type), 1);
            }
          }
          ++streams;
        }
      }
    }
  }
  EXPECT_GT(streams, 500u);
}

TEST(OperatorNest, UnitLoopsMoveNothing) {
  const TensorProgram program = block(tinyLlama(), decodePhase(64));
  std::size_t dropped = 0;
  for (const TensorOperator& op : program.operators) {
    const OperatorNest nest = nestOf(program, op), kept = withoutUnitLoops(nest);
    dropped += nest.loops.size() - kept.loops.size();
    const auto iterations = [](const OperatorNest& n) {
      std::int64_t product = 1;
      for (const OperatorLoop& loop : n.loops) product *= loop.extent;
      return product;
    };
    EXPECT_EQ(iterations(kept), iterations(nest));
    for (std::size_t i = 0; i < nest.accesses.size(); ++i) {
      const Scalar scalar = program.tensors[nest.accesses[i].tensor].scalar;
      EXPECT_EQ(tiledStream(kept, kept.accesses[i], scalar, tileSizes(kept, 16)),
                tiledStream(nest, nest.accesses[i], scalar, tileSizes(nest, 16)));
    }
  }
  EXPECT_GE(dropped, program.operators.size());
}

// ---- transformer blocks -----------------------------------------------------------------------------------

TEST(LlmBlocks, PublishedSizesAndParameters) {
  // StreamTensor (MICRO '25), table 7: layers, hidden, feed-forward, heads, key and value heads; parameters
  // as the models' public cards count them.
  const std::map<std::string, std::pair<Shape, std::int64_t>> published{
      {"GPT-2", {{24, 1024, 4096, 16, 16}, 354823168}},
      {"Qwen", {{24, 896, 4864, 14, 2}, 494032768}},
      {"Llama", {{22, 2048, 5632, 32, 4}, 1100048384}},
      {"Gemma", {{26, 1152, 6912, 4, 1}, 999885952}}};
  ASSERT_EQ(publishedModels().size(), published.size());
  for (const TransformerModel& m : publishedModels()) {
    SCOPED_TRACE(m.name);
    const auto& [sizes, parameters] = published.at(m.name);
    EXPECT_EQ((Shape{m.layers, m.hidden, m.feed_forward, m.heads, m.kv_heads}), sizes);
    EXPECT_EQ(modelParameters(m), parameters);
  }
  for (const char* name : {"gpt2", "qwen", "llama", "gemma"}) EXPECT_TRUE(modelNamed(name));
  EXPECT_THAT(text(modelNamed("bert").diagnostics()), HasSubstr("gpt2, qwen, llama or gemma"));
}

TEST(LlmBlocks, BlocksHaveAsManyParametersAsTheirFormulas) {
  const std::int64_t h = 1024;
  EXPECT_EQ(parameterCount(block(gpt2Medium(), promptPhase(32))), 12 * h * h + 13 * h);
  const TransformerModel q = qwenHalfBillion();
  const std::int64_t kv = q.kv_heads * q.head_size;
  EXPECT_EQ(parameterCount(block(q, decodePhase(7))), 2 * q.hidden * q.hidden + q.hidden +
                                                          2 * (q.hidden * kv + kv) +
                                                          3 * q.hidden * q.feed_forward + 2 * q.hidden);
}

/// Products of matrices: 2 per weight and token, and 4 * width of the heads * context per token for
/// attention.
TEST(LlmBlocks, OperationsOfTheProducts) {
  for (const TransformerModel& model : publishedModels()) {
    for (const BlockPhase phase : {promptPhase(32), promptPhase(100), decodePhase(1), decodePhase(257)}) {
      const TensorProgram program = block(model, phase);
      std::int64_t products = 0, weights = 0, biased = 0;
      for (const TensorOperator& op : program.operators) {
        const bool linear = op.kind == TensorOperatorKind::Linear;
        if (linear || op.kind == TensorOperatorKind::BatchedMatmul) products += operationCount(program, op);
        if (linear) weights += elementCount(program.tensors[op.inputs[1]]);
        if (linear && op.inputs.size() == 3) biased += elementCount(program.tensors[op.output]);
      }
      const std::int64_t wide = model.heads * model.head_size;
      EXPECT_EQ(products, 2 * phase.tokens * weights + biased + 4 * wide * phase.context * phase.tokens);
      EXPECT_GT(operationCount(program), products);
    }
  }
}

TEST(LlmBlocks, AllOperationsOfAGpt2Prompt) {
  const std::int64_t s = 64, h = 1024, heads = 16;
  const std::int64_t products = 2 * s * 12 * h * h + s * 9 * h + 4 * s * s * h;
  const std::int64_t norms = 2 * 7 * s * h, residuals = 2 * s * h, gelu = 4 * s * h;
  EXPECT_EQ(operationCount(block(gpt2Medium(), promptPhase(s))),
            products + norms + residuals + gelu + (5 + 1) * heads * s * s);
}

TEST(LlmBlocks, CachesAndWidths) {
  const TransformerModel llama = tinyLlama();
  const TensorProgram program = block(llama, decodePhase(300));
  std::int64_t caches = 0, weight_bytes = 0, weights = 0;
  for (const TensorValue& tensor : program.tensors) {
    if (tensor.name.ends_with(" cache")) caches += storedBytes(tensor);
    if (!tensor.name.ends_with(" weight")) continue;
    weight_bytes += storedBytes(tensor);
    weights += elementCount(tensor);
  }
  EXPECT_EQ(caches, 2 * 256 * 300);
  EXPECT_EQ(weight_bytes * 2, weights);  // four bits each
  EXPECT_EQ(text(quantisationNamed("W8A16")->activations), "i16");
  EXPECT_EQ(text(quantisationNamed("BF16")->weights), "bf16");
  for (const char* name : {"W4", "A8", "W0A8", "W4A64", "W4A8x", "FP8"})
    EXPECT_THAT(text(quantisationNamed(name).diagnostics()), HasSubstr("W4A8")) << name;
}

TEST(LlmBlocks, PromptAndDecodeDifferInWhatTheyReadFromMemory) {
  const TensorProgram prompt = block(qwenHalfBillion(), promptPhase(32));
  const TensorProgram decode = block(qwenHalfBillion(), decodePhase(32));
  const auto inputs = [](const TensorProgram& program) {
    std::vector<std::string> names;
    for (const TensorValue& tensor : program.tensors)
      if (tensor.role == TensorRole::Input) names.push_back(tensor.name);
    return names;
  };
  EXPECT_THAT(inputs(prompt), testing::ElementsAre("x"));
  EXPECT_THAT(inputs(decode), testing::ElementsAre("x", "key cache", "value cache"));
  EXPECT_EQ(prompt.results.size(), 3u);
  EXPECT_EQ(decode.results.size(), 3u);
  EXPECT_FALSE(transformerBlock(qwenHalfBillion(), {4, 9}, w4a8()));
  EXPECT_FALSE(transformerBlock(qwenHalfBillion(), {0, 0}, w4a8()));
}

}  // namespace sluice::tensor_program_test
