// What the compiler makes of sizes that no tile divides, and of layers that follow each other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <set>

#include "engine/operators/inference.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/tensor/lowering/compile.h"
#include "engine/tensor/lowering/lowered_values.h"
#include "engine/tensor/programs/folded_program.h"
#include "engine/tensor/programs/padded_program.h"
#include "engine/tensor/programs/quantised_program.h"
#include "engine/tensor/programs/repeated_layers.h"
#include "engine/tensor/programs/sized_text.h"
#include "engine/tensor/programs/stacked_program.h"
#include "engine/tensor/programs/tensor_program_text.h"
#include "engine/tensor/programs/tensor_values.h"

namespace sluice::padding_layers_test {

using testing::ElementsAre;
using testing::HasSubstr;

TensorProgram programOf(const std::string& body) {
  const Result<TensorProgram> program = parseTensorProgram("program @p {\n" + body + "}\n", "text");
  if (!program) throw std::runtime_error(text(program.diagnostics()));
  return *program;
}

CompileOptions optionsOf(std::int64_t tile) {
  CompileOptions options;
  options.tiling.default_tile_size = tile;
  options.tiling.overall_unroll_size = 256;
  options.machine.reference_mode = false;
  return options;
}

/// What the compiled program stores when the simulator runs it.
std::vector<FloatTensor> stored(const CompiledDesign& compiled, const CompileOptions& options) {
  const LoweredDesign program = *lowered(compiled, options.requests_per_cycle);
  Document document;
  document.program = program.graph;
  FlatGraph graph = *elaborate(document, {}, builtInCatalog());
  graph.machine = options.machine;
  const LoweredValues values(compiled.design, program);
  ComputeOptions functional;
  functional.tasks = values.tasks();
  const auto done = compute(graph, {}, functional);
  EXPECT_TRUE(done) << text(done.diagnostics());
  return values.results();
}

/// As the dense program that nobody has padded computes it; true where the compiler did pad.
bool expectValues(const TensorProgram& program, std::int64_t tile) {
  const CompileOptions options = optionsOf(tile);
  const Result<CompiledDesign> compiled = compile(program, options);
  if (!compiled) throw std::runtime_error(text(compiled.diagnostics()));
  const std::vector<FloatTensor> all = tensorValues(program), run = stored(*compiled, options);
  for (std::size_t i = 0; i < program.results.size(); ++i) {
    const FloatTensor& wanted = all[program.results[i]];
    EXPECT_EQ(run[i].shape, wanted.shape);
    if (run[i].data.size() != wanted.data.size()) continue;
    for (std::size_t k = 0; k < wanted.data.size(); ++k) {
      const float bound = 1e-5f * std::max(1.0f, std::abs(wanted.data[k]));
      EXPECT_NEAR(run[i].data[k], wanted.data[k], bound) << "result " << i << " at " << k;
    }
  }
  return !paddingOf(compiled->design.program).empty();
}

/// Attention over 13 positions, and what is done with its result.
std::string attention(const std::string& more) {
  return R"(
    %x = input tensor<13x8xf32>
    %wq = weight tensor<8x8xf32>
    %wk = weight tensor<8x8xf32>
    %bias = weight tensor<8xf32>
    %mask = table tensor<13x13xf32>
    %q = linear(%x, %wq, %bias) tensor<13x8xf32>
    %k = linear(%x, %wk, %bias) tensor<13x8xf32>
    %s = batched_matmul(%q, %k) {transposed_right} tensor<13x13xf32>
    %sm = add(%s, %mask) tensor<13x13xf32>
    %p = softmax(%sm) tensor<13x13xf32>
    %o = batched_matmul(%p, %k) tensor<13x8xf32>
    %y = add(%o, %x) tensor<13x8xf32>
)" + more;
}

TEST(Padding, ChangesNoResult) {
  // Padding is neither summed, nor a maximum, nor part of a mean; exp() of it is not 0.
  EXPECT_TRUE(expectValues(programOf(attention("return %y\n")), 4));
  const std::string turned = "%t = transpose(%y) {permutation = [1, 0]} tensor<8x13xf32>\n";
  for (const std::string reduction : {"reduce_mean", "reduce_sum", "reduce_max", "reduce_min"})
    EXPECT_TRUE(expectValues(
        programOf(attention(turned + "%r = " + reduction + "(%t) tensor<8x1xf32>\nreturn %y, %r\n")), 4))
        << reduction;
  EXPECT_TRUE(expectValues(programOf(attention(turned + R"(
      %g = weight tensor<13xf32>
      %n = layer_norm(%t, %g, %g) tensor<8x13xf32>
      %e = exp(%n) tensor<8x13xf32>
      %w = weight tensor<11x13xf32>
      %z = linear(%n, %w) tensor<8x11xf32>
      return %n, %e, %z
)")),
                           4));
}

TEST(Padding, StaysAwayFromSumsThatWouldTakeItIn) {
  // exp() of padding is 1, and both factors have it: their rows stay as long as they are.
  const TensorProgram program = programOf(R"(
      %x = input tensor<8x13xf32>
      %e = exp(%x) tensor<8x13xf32>
      %f = batched_matmul(%e, %e) {transposed_right} tensor<8x8xf32>
      return %f
)");
  EXPECT_EQ(padded(program, 4), program);
  EXPECT_FALSE(expectValues(program, 4));
  // Half of a dimension is no part that padding could follow.
  const TensorProgram half =
      programOf("%x = input tensor<13x8xf32>\n%s = slice(%x) tensor<7x8xf32>\nreturn %s\n");
  EXPECT_EQ(padded(half, 4), half);
}

TEST(Padding, RandomPrograms) {
  std::mt19937 random(7);
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  int padded_programs = 0;
  for (int seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    const std::string rows = std::to_string(number(5, 14)), columns = std::to_string(number(5, 14));
    const std::string shape = rows + "x" + columns;
    std::string body = "%v0 = input tensor<" + shape + "xf32>\n%g = weight tensor<" + columns +
                       "xf32>\n%w = weight tensor<" + columns + "x" + columns + "xf32>\n%m = weight tensor<" +
                       rows + "x" + rows + "xf32>\n";
    const int count = number(3, 7);
    for (int i = 0; i < count; ++i) {
      const std::string x = "%v" + std::to_string(i), y = "%v" + std::to_string(i + 1) + " = ";
      const std::string type = " tensor<" + shape + "xf32>\n";
      const std::vector<std::string> choices = {"tanh(" + x + ")",
                                                "exp(%h)",
                                                "softmax(" + x + ")",
                                                "rms_norm(" + x + ", %g)",
                                                "linear(" + x + ", %w)",
                                                "add(" + x + ", %g)",
                                                "batched_matmul(%s, " + x + ")",
                                                "mul(" + x + ", %v0)",
                                                "layer_norm(" + x + ", %g, %g)"};
      const auto which = static_cast<std::size_t>(number(0, static_cast<int>(choices.size()) - 1));
      const std::string own = std::to_string(i);
      std::string chosen = choices[which];
      if (which == 1) {  // of numbers that do not grow
        body += "%h" + own + " = tanh(" + x + ")" + type;
        chosen = "exp(%h" + own + ")";
      }
      if (which == 6) {
        body += "%s" + own + " = softmax(%m) tensor<" + rows + "x" + rows + "xf32>\n";
        chosen = "batched_matmul(%s" + own + ", " + x + ")";
      }
      body += y + chosen + type;
    }
    padded_programs += expectValues(programOf(body + "return %v" + std::to_string(count) + "\n"), 4) ? 1 : 0;
  }
  EXPECT_GT(padded_programs, 8);
}

TEST(Padding, IsWhatADesignOfThePaddedSizeCosts) {
  const auto cycles = [](std::int64_t tokens) {
    const TensorProgram block = *blockProgram("gpt2", "prompt", tokens, "W4A8");
    const CompiledDesign compiled = *compile(block, CompileOptions{});
    const std::vector<std::int64_t> groups = predictedCycles(compiled);
    return std::accumulate(groups.begin(), groups.end(), std::int64_t{0});
  };
  EXPECT_EQ(cycles(61), cycles(64));  // in tiles of one it would be nearly nine times as many
}

TEST(Padding, IsToldOnceForEveryExtent) {
  const Diagnostics told = paddingOf(padded(programOf(attention("return %y\n")), 4));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(text(told), HasSubstr("its extent of 13 is padded to 16"));
  EXPECT_TRUE(paddingOf(padded(programOf(attention("return %y\n")), 16)).empty());
}

TEST(Layers, OneAfterTheOtherShareNoUnrolling) {
  const TensorProgram block = *blockProgram("gpt2", "prompt", 32, "W4A8"),
                      blocks = *blockProgram("gpt2", "prompt", 32, "W4A8", 3);
  CompileOptions options;
  const CompiledDesign one = *compile(block, options), apart = *compile(blocks, options);
  options.layers_apart = false;
  const CompiledDesign together = *compile(blocks, options);
  const std::int64_t own = predictedCycles(one).at(0);
  EXPECT_EQ(predictedCycles(together).size(), 1u);
  EXPECT_GT(predictedCycles(together).at(0), 4 * own);
  EXPECT_THAT(predictedCycles(apart), ElementsAre(own, own, own));
}

TEST(Layers, AreFoundBehindAndBeforeOtherOperators) {
  const TensorProgram block = *blockProgram("llama", "prompt", 16, "W4A8");
  TensorProgram blocks = *stacked(block, 4);
  EXPECT_EQ(repeatedLayers(block).count, 0u);
  const RepeatedLayers found = repeatedLayers(blocks);
  EXPECT_EQ(found.count, 4u);
  EXPECT_EQ(found.length, block.operators.size());
  EXPECT_EQ(found.layerOf(found.begin), 1u);
  EXPECT_EQ(found.layerOf(found.begin + found.length), 2u);
  // A chain of small equal operators is no layer.
  std::string chain =
      "%x = input tensor<16x16xf32>\n%w = weight tensor<16x16xf32>\n%v0 = linear(%x, %w) "
      "tensor<16x16xf32>\n";
  for (int i = 0; i < 12; ++i)
    chain += "%v" + std::to_string(i + 1) + " = linear(%v" + std::to_string(i) + ", %w) tensor<16x16xf32>\n";
  EXPECT_EQ(repeatedLayers(programOf(chain + "return %v12\n")).count, 0u);
}

/// A stem, four layers of two kinds of numbering, and a head; layer 2 is `odd` where that is not empty.
std::string layered(const std::string& odd = "") {
  std::string text = "program @p {\n%x = input tensor<4x8xf32>\n%mask = table tensor<4x8xf32>\n";
  for (int layer = 0; layer < 4; ++layer) {
    const std::string n = std::to_string(layer), other = std::to_string(layer == 0 ? 5 : 7 * layer);
    text += "%\"h." + n + ".up\" = weight tensor<16x8xf32>\n%\"w_" + other + "\" = weight tensor<8x16xf32>\n";
  }
  text += "%stem = relu(%x) tensor<4x8xf32>\n";
  std::string last = "%stem";
  for (int layer = 0; layer < 4; ++layer) {
    const std::string n = std::to_string(layer), other = std::to_string(layer == 0 ? 5 : 7 * layer);
    const auto line = [&](const std::string& name, const std::string& rest) {
      text += "%" + name + n + " = " + rest + "\n";
    };
    line("masked", "add(" + last + ", %mask) tensor<4x8xf32>");
    line("up", "linear(%masked" + n + ", %\"h." + n + ".up\") tensor<4x16xf32>");
    line("gelu", (layer == 2 && !odd.empty() ? odd : "gelu") + "(%up" + n + ") tensor<4x16xf32>");
    line("tanh", "tanh(%gelu" + n + ") tensor<4x16xf32>");
    line("down", "linear(%tanh" + n + ", %\"w_" + other + "\") tensor<4x8xf32>");
    line("exp", "exp(%down" + n + ") tensor<4x8xf32>");
    line("abs", "abs(%exp" + n + ") tensor<4x8xf32>");
    line("sum", "add(" + last + ", %abs" + n + ") tensor<4x8xf32>");
    last = "%sum" + n;
  }
  return text + "%y = relu(" + last + ") tensor<4x8xf32>\nreturn %y, %exp0, %exp1, %exp2, %exp3\n}\n";
}

/// Names of what comes from outside and of results, in any order.
std::set<std::string> outerNames(const TensorProgram& program) {
  std::set<std::string> names;
  for (const TensorValue& tensor : program.tensors)
    if (tensor.role != TensorRole::Activation) names.insert(tensor.name);
  for (const std::size_t result : program.results) names.insert("-> " + program.tensors[result].name);
  return names;
}

std::map<std::string, std::vector<float>> resultsOf(const TensorProgram& program) {
  const std::vector<FloatTensor> values = tensorValues(program);
  std::map<std::string, std::vector<float>> results;
  for (const std::size_t result : program.results)
    results[program.tensors[result].name] = values[result].data;
  return results;
}

TEST(FoldedLayers, StandOnceAndComputeTheSame) {
  const TensorProgram program = *parseTensorProgram(layered(), "p");
  const FoldedProgram once = folded(program);
  ASSERT_EQ(once.layers.size(), 1u);
  EXPECT_EQ(once.layers[0].count, 4);
  EXPECT_EQ(once.program.operators.size(), 10u);
  const std::string written = text(once);
  EXPECT_THAT(written, HasSubstr("%sum3 = repeat 4 (%\"layer input\" = %stem) {"));
  EXPECT_THAT(written, HasSubstr("%\"h.$(layer).up\" = weight"));
  EXPECT_THAT(written, HasSubstr("%\"w_$(5, 7, 14, 21)\" = weight"));
  const TensorProgram again = *parseTensorProgram(written, "p");
  EXPECT_EQ(outerNames(again), outerNames(program));
  EXPECT_EQ(resultsOf(again), resultsOf(program));
}

TEST(FoldedLayers, OthersThanEqualOnesAreNotFolded) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = layered();
    return text.replace(text.find(from), from.size(), to);
  };
  const auto count = [](const std::string& text) {
    const TensorProgram whole = *parseTensorProgram(text, "p");
    const FoldedProgram once = folded(whole);
    EXPECT_EQ(outerNames(*parseTensorProgram(sluice::text(once), "p")), outerNames(whole));
    return once.layers.empty() ? 0 : once.layers[0].count;
  };
  EXPECT_EQ(count(layered("silu")), 2);  // the first two
  // Layer 3 reads what layer 1 made. Layer 2 has the weight of layer 0: two pairs of layers.
  EXPECT_EQ(count(changed("add(%sum2, %mask)", "add(%sum1, %mask)")), 0);
  EXPECT_EQ(count(changed("linear(%masked2, %\"h.2.up\")", "linear(%masked2, %\"h.0.up\")")), 2);
}

TEST(FoldedLayers, TheirNumberIsASizeOfTheText) {
  const SizedText sized = sizedText(*parseTensorProgram(layered(), "p"));
  EXPECT_EQ(sized.sizes.at("layers"), 4);
  EXPECT_EQ(sized.layer_operators, 8);
  const auto at = [&](std::int64_t layers) {
    return parseTensorProgram(*withSizes(sized.text, std::vector{layers}, "text"), "text");
  };
  EXPECT_EQ(at(2)->operators.size(), 2u + 2 * 8);
  // "w_$(5, 7, 14, 21)" has names for four.
  EXPECT_THAT(text(at(5).diagnostics()), HasSubstr("has no number for layer 4"));
  EXPECT_THAT(text(at(0).diagnostics()), HasSubstr("0 layers of 8 operators"));
}

TEST(FoldedLayers, MistakesAreNamed) {
  const auto refusal = [](const std::string& body, const std::string& rest = "return %y") {
    const Result<TensorProgram> read = parseTensorProgram(
        "program @p {\n%x = input tensor<4x8xf32>\n%y = repeat " + body + "\n" + rest + "\n}\n", "p");
    return read ? "taken" : text(read.diagnostics());
  };
  EXPECT_EQ(refusal("2 (%h = %x) {\n%a = relu(%h) tensor<4x8xf32>\nyield %a\n}"), "taken");
  EXPECT_THAT(refusal("2 (%h = %x) {\n%a = reshape(%h) tensor<32xf32>\nyield %a\n}"),
              HasSubstr("a layer hands on another type than it takes"));
  EXPECT_THAT(refusal("2 (%h = %x) {\n%a = relu(%h) tensor<4x8xf32>\nyield %h\n}"),
              HasSubstr("without having made it"));
  EXPECT_THAT(refusal("2 (%h = %x) {\n%a = relu(%h) tensor<4x8xf32>\nyield %a, %a\n}"),
              HasSubstr("takes 1 tensors, yields 2"));
  EXPECT_THAT(refusal("2 (%h = %x) {\n%a = relu(%h) tensor<4x8xf32>\nyield %a\n}",
                      "%z = exp(%a) tensor<4x8xf32>\nreturn %z"),
              HasSubstr("of which every layer has another"));
  EXPECT_THAT(refusal("2 (%h = %x) {\n%z, %y2 = repeat 2 (%g = %h) {\n"),
              HasSubstr("layers stand in layers"));
  EXPECT_THAT(refusal("99999999 (%h = %x) {\n%a = relu(%h) tensor<4x8xf32>\nyield %a\n}"),
              HasSubstr("repeat 1 to 1000 layers"));
  EXPECT_THAT(refusal("2 (%h = %x) {\n%\"a$(q)\" = relu(%h) tensor<4x8xf32>\nyield %\"a$(q)\"\n}"),
              HasSubstr("has no number for layer 0"));
}

TEST(SizedText, IsFoundFromProgramsAndGivesThemBack) {
  const auto at = [](std::int64_t batch, std::int64_t seq) {
    const std::string b = std::to_string(batch), s = std::to_string(seq), all = std::to_string(batch * seq);
    return SizedProgram{{{"batch", batch}, {"seq", seq}},
                        programOf("%x = input tensor<" + b + "x" + s + "x8xf32>\n%r = reshape(%x) tensor<" +
                                  all + "x8xf32>\n%z = slice(%x) {axis = 1, begin = " +
                                  std::to_string(seq - 2) + "} tensor<" + b + "x2x8xf32>\nreturn %r, %z\n")};
  };
  const SizedProgram first = at(3, 16);
  const std::string text = sizedText(first, std::vector{at(4, 16), at(3, 12)}, at(5, 8)).text;
  EXPECT_THAT(text, HasSubstr("program @p(batch, seq) {"));
  EXPECT_THAT(text, HasSubstr("tensor<$(batch*seq)x8xf32>"));
  EXPECT_THAT(text, HasSubstr("begin = $(seq - 2)"));
  for (const SizedProgram& one : {first, at(2, 31)}) {
    const std::vector<std::int64_t> sizes{one.sizes.at("batch"), one.sizes.at("seq")};
    EXPECT_EQ(*parseTensorProgram(*withSizes(text, sizes, "text"), "text"), one.program);
  }
  // Another structure, or a number that does not follow.
  EXPECT_EQ(sizedText(first, std::vector{at(4, 16), first}, at(5, 8)).text, "");
  SizedProgram other = at(5, 8);
  other.program.operators[0].kind = TensorOperatorKind::Expand;
  EXPECT_EQ(sizedText(first, std::vector{at(4, 16), at(3, 12)}, other).text, "");
}

TEST(SizedText, WrongSizesAreRefused) {
  const auto refused = [](const std::string& text, const std::vector<std::int64_t>& sizes) {
    const Result<std::string> result = withSizes(text, sizes, "text");
    return result ? "taken: " + *result : sluice::text(result.diagnostics());
  };
  EXPECT_THAT(refused("program @p(n) { $(n) }", {}), HasSubstr("it has 1 sizes, and 0 are given"));
  EXPECT_THAT(refused("program @p { }", {3}), HasSubstr("it has 0 sizes"));
  for (const std::string wrong :
       {"$(m)", "$(2*)", "$(n", "$(n - 4)", "$(n*n*n*n*n*n*9007199254740993)", "$()"})
    EXPECT_THAT(refused("program @p(n) { " + wrong + " }", {3}), HasSubstr("is no size")) << wrong;
  EXPECT_EQ(refused("program @\"(a)\"(n) { %\"$(n)\" = $(2*(n + 1)) }", {3}),
            "taken: program @\"(a)\" { %\"$(n)\" = 8 }");
}

TEST(Quantised, TensorsHaveTheScalarsOfTheirRole) {
  const TensorProgram program = programOf(R"(
      %x = input tensor<4x8xf32>
      %w = weight tensor<8x8xf32>
      %g = weight tensor<8xf32>
      %n = rms_norm(%x, %g) tensor<4x8xf32>
      %y = linear(%n, %w) tensor<4x8xf32>
      %z = add(%y, %x) tensor<4x8xf32>
      return %z
)");
  const auto scalars = [&](const std::string& name) {
    std::vector<std::string> list;
    const Result<TensorProgram> quantised = withQuantisation(program, name);
    for (const TensorValue& tensor : quantised->tensors) list.push_back(text(tensor.scalar));
    return list;  // x, w, g, n, y, z
  };
  EXPECT_THAT(scalars("W4A8"), ElementsAre("i8", "i4", "bf16", "i8", "i8", "i8"));
  EXPECT_THAT(scalars("mixed"), ElementsAre("bf16", "i4", "bf16", "i8", "bf16", "bf16"));
  EXPECT_THAT(scalars("BF16"), ElementsAre("bf16", "bf16", "bf16", "bf16", "bf16", "bf16"));
  EXPECT_EQ(*withQuantisation(program, "as_written"), program);
}

}  // namespace sluice::padding_layers_test
