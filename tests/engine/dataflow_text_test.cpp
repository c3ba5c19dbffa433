// Compiled designs as text: what is written is read as the same design, and mistakes are named by their line.

#include "engine/tensor/dataflow/dataflow_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tensor/dataflow/dataflow_values.h"
#include "engine/tensor/dataflow/design_summary.h"
#include "engine/tensor/lowering/compile.h"
#include "tests/engine/support/tensor_designs.h"

namespace sluice::dataflow_text_test {

using testing::HasSubstr;
using namespace testing_support;

CompiledDesign compiledBlock(const TransformerModel& model, BlockPhase phase, const CompileOptions& options) {
  const TensorProgram block = *transformerBlock(scaledDown(model), phase, *quantisationNamed("W4A8"));
  Result<CompiledDesign> compiled = compile(block, options);
  EXPECT_TRUE(compiled) << text(compiled.diagnostics());
  return *std::move(compiled);
}

/// The text numbers tensors anew; all else is the same, what it computes as well.
void roundTrip(const DataflowDesign& design) {
  const std::string written = text(design);
  const Result<DataflowDesign> read = parseDataflowDesign(written, "d");
  ASSERT_TRUE(read) << text(read.diagnostics());
  EXPECT_EQ(text(*read), written);
  EXPECT_EQ(text(summarise(*read)), text(summarise(design)));
  ASSERT_EQ(read->tasks.size(), design.tasks.size());
  for (std::size_t task = 0; task < design.tasks.size(); ++task) {
    EXPECT_EQ(read->tasks[task].kind, design.tasks[task].kind);
    EXPECT_EQ(read->tasks[task].buffer, design.tasks[task].buffer);
    EXPECT_EQ(read->tasks[task].before_loop, design.tasks[task].before_loop);
    EXPECT_EQ(read->tasks[task].group, design.tasks[task].group);
  }
  EXPECT_EQ(read->streams, design.streams);
  const Result<DataflowDesign> again = parseDataflowDesign(text(*read), "d");
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *read);
}

TEST(DataflowText, CompiledDesignsSurvive) {
  int vectors = 0, folds = 0, groups = 0, layouts = 0;
  for (const TransformerModel& model : publishedModels()) {
    for (const StreamVectors choice : {StreamVectors::Tiles, StreamVectors::Unroll, StreamVectors::Bus}) {
      CompileOptions options;
      options.tiling.default_tile_size = 4;
      options.vectors = choice;
      options.fold = choice != StreamVectors::Bus;
      options.packed = choice == StreamVectors::Tiles;
      options.on_chip_bytes = choice == StreamVectors::Bus ? 200 : 0;
      const DataflowDesign design = compiledBlock(model, promptPhase(8), options).design;
      roundTrip(design);
      for (const DataflowStream& stream : design.streams) {
        vectors += stream.vector.empty() ? 0 : 1;
        folds += stream.folded ? 1 : 0;
      }
      for (const Task& task : design.tasks) groups += task.group > 0 ? 1 : 0;
      for (const ExternalLayout& layout : design.layouts) layouts += layout.tile.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(vectors, 0);
  EXPECT_GT(folds, 0);
  EXPECT_GT(groups, 0);
  EXPECT_GT(layouts, 0);
}

/// What is read computes what was written, to the bit.
TEST(DataflowText, WhatIsReadComputesTheSame) {
  CompileOptions options;
  options.tiling.default_tile_size = 4;
  const DataflowDesign design = compiledBlock(gpt2Medium(), promptPhase(8), options).design;
  const Result<DataflowDesign> read = parseDataflowDesign(text(design), "d");
  ASSERT_TRUE(read) << text(read.diagnostics());
  const Result<std::vector<FloatTensor>> before = designResults(design), after = designResults(*read);
  ASSERT_TRUE(before && after);
  ASSERT_EQ(before->size(), after->size());
  for (std::size_t i = 0; i < before->size(); ++i) EXPECT_EQ((*before)[i].data, (*after)[i].data);
}

TEST(DataflowText, MistakesAreNamedByTheirLine) {
  CompileOptions options;
  options.tiling.default_tile_size = 4;
  const std::string good = text(compiledBlock(gpt2Medium(), promptPhase(8), options).design);
  ASSERT_TRUE(parseDataflowDesign(good, "d"));
  const auto refusal = [&](const std::string& what, const std::string& by) {
    std::string broken = good;
    const std::size_t at = broken.rfind(what);
    EXPECT_NE(at, std::string::npos) << what;
    broken.replace(at, what.size(), by);
    const Result<DataflowDesign> read = parseDataflowDesign(broken, "d.txt");
    return read ? std::string("accepted") : text(read.diagnostics());
  };
  EXPECT_THAT(refusal("dataflow {", "design {"), HasSubstr("d.txt, line 1: 'dataflow' is expected"));
  EXPECT_THAT(refusal(" = converter", " = buffer"), HasSubstr("there is no task of kind 'buffer'"));
  EXPECT_THAT(refusal(" : itensor<4x4xi8", " : itensor<2x4xi8"), HasSubstr("what its producer sends is"));
  EXPECT_THAT(refusal("stream @", "stream @no"), HasSubstr("there is no task 'no"));
  EXPECT_THAT(refusal("before_loop = 1", "before_loop = 7"), HasSubstr("d.txt: "));
  EXPECT_THAT(refusal("depth = ", "deep = "), HasSubstr("no attribute 'deep'"));
  EXPECT_THAT(refusal("compute %", "compute %x"), HasSubstr("line"));
  for (std::size_t end = 0; end < good.size() - 1; end += 97)
    EXPECT_FALSE(parseDataflowDesign(good.substr(0, end), "d")) << end;
}

}  // namespace sluice::dataflow_text_test
