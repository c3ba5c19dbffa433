// Tensor programs as text: what is written is read as the same program, and mistakes are named by their line.

#include <gtest/gtest.h>

#include "engine/tensor/programs/elementwise_fusion.h"
#include "engine/tensor/programs/llm_blocks.h"
#include "engine/tensor/programs/tensor_program_text.h"

namespace sluice::tensor_program_text_test {

/// The text numbers tensors anew, so programs are compared by what does not depend on it.
void roundTrip(const TensorProgram& program) {
  const std::string written = text(program);
  const Result<TensorProgram> read = parseTensorProgram(written, "p");
  ASSERT_TRUE(read) << text(read.diagnostics()) << written;
  EXPECT_EQ(text(*read), written);
  EXPECT_EQ(read->name, program.name);
  EXPECT_EQ(read->operators.size(), program.operators.size());
  EXPECT_EQ(read->results.size(), program.results.size());
  EXPECT_EQ(operationCount(*read), operationCount(program));
  EXPECT_EQ(parameterCount(*read), parameterCount(program));
  const Result<TensorProgram> again = parseTensorProgram(text(*read), "p");
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *read);
}

TEST(TensorProgramText, TransformerBlocksSurvive) {
  for (const TransformerModel& model : publishedModels()) {
    for (const char* widths : {"W4A8", "BF16"}) {
      for (const BlockPhase phase : {BlockPhase{64, 64}, BlockPhase{1, 96}}) {
        const Result<TensorProgram> block = transformerBlock(model, phase, *quantisationNamed(widths));
        ASSERT_TRUE(block) << text(block.diagnostics());
        roundTrip(*block);
        roundTrip(withElementwiseFused(*block));
      }
    }
  }
}

TEST(TensorProgramText, NamesWithLineBreaksStayApart) {
  TensorProgram program{"p\n\"q\\n\"", {}, {}, {}};
  for (const char* name : {"a\nb", "a b", "a\\nb", "a\\\nb", "\"", "\\"})
    program.tensors.push_back({name, {4}, {}, TensorRole::Input});
  const Result<TensorProgram> read = parseTensorProgram(text(program), "p");
  ASSERT_TRUE(read) << text(read.diagnostics());
  EXPECT_EQ(*read, program);
}

const char* const small = R"(program @p {
  // a comment
  %x = input tensor<4x8xf32>   %"the weight" = weight tensor<16x8xi4>
  %y = linear(%x, %"the weight") {after = [gelu, add %r]} tensor<4x16xf32>
  return %y
})";

TEST(TensorProgramText, MistakesAreNamedByTheirLine) {
  const auto refusal = [](std::string from, const std::string& what, const std::string& by) {
    from.replace(from.find(what), what.size(), by);
    const Result<TensorProgram> read = parseTensorProgram(from, "p.txt");
    return read ? std::string("accepted") : text(read.diagnostics());
  };
  EXPECT_NE(refusal(small, "f32>   ", "f32>   ").find("p.txt, line 4: no tensor 'r'"), std::string::npos);
  const std::string good = [&] {
    std::string s = small;
    s.replace(s.find(", add %r"), 8, "");
    return s;
  }();
  ASSERT_TRUE(parseTensorProgram(good, "p.txt"));
  EXPECT_NE(refusal(good, "linear", "convolution").find("line 4: there is no operator 'convolution'"),
            std::string::npos);
  EXPECT_NE(refusal(good, "4x8xf32", "4x8xf99x").find("line 3: 'f99x' is no scalar type"), std::string::npos);
  EXPECT_NE(refusal(good, "4x16xf32", "4x17xf32").find("needs"), std::string::npos);
  EXPECT_NE(refusal(good, "%y = ", "%x = ").find("defined twice"), std::string::npos);
  EXPECT_NE(refusal(good, "the weight\" =", "the weight").find("p.txt"), std::string::npos);
  EXPECT_NE(refusal(good, "program", "programme").find("'program' is expected"), std::string::npos);
  EXPECT_NE(refusal(good, "after = [gelu]", "afterwards = 3").find("no attribute"), std::string::npos);
  for (std::size_t end = 0; end < good.size() - 1; ++end)
    EXPECT_FALSE(parseTensorProgram(good.substr(0, end), "p")) << end;
}

}  // namespace sluice::tensor_program_text_test
