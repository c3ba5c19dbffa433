// What the fields of STeP's messages ask for beyond what every graph has: taken over, or refused with the
// operator's name. The messages are written by hand, field number by field number.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/interchange/step_protobuf.h"
#include "tests/engine/support/protobuf_bytes.h"

namespace sluice::step_message_fields_test {

using namespace testing_support;
using nlohmann::json;

/// What is imported without a word about it.
Result<Document> imported(const std::string& message, const std::string& name,
                          const StepGraphOptions& options) {
  Result<StepGraphImport> read = importStepProtobuf(message, name, options);
  if (!read) return read.diagnostics();
  return std::move(read->document);
}

std::string refusal(const std::string& message, const StepGraphOptions& options = {}) {
  const Result<Document> read = imported(message, "graph.pb", options);
  return read ? "accepted" : text(read.diagnostics());
}

/// One operator of that kind, and other fields of Operation.
std::string operation(int id, int kind, const std::string& content, const std::string& others = "") {
  return bytes(2, bytes(1, "Odd_" + std::to_string(id)) + number(2, static_cast<std::uint64_t>(id)) +
                      bytes(kind, content) + others);
}

/// A load of one tile, and other fields of it.
std::string load(int id, const std::string& fields = "", const std::string& others = "") {
  return operation(id, 12, packed(3, json{1}) + number(5, 16) + number(6, 16) + number(9, 1) + fields,
                   others);
}

std::string consumer(int id, int producer) {
  return operation(id, 22, number(1, static_cast<std::uint64_t>(producer)));
}

TEST(StepMessageFields, WhatIsSetIsTakenOverOrRefused) {
  const std::string one = load(1) + consumer(2, 1), f32 = bytes(2, "");
  EXPECT_EQ(refusal(one), "accepted");
  const std::vector<std::pair<std::string, std::string>> refused{
      {load(1, "", number(48, 4)), "parallel_factor asks for 4 lanes"},
      {load(1, "", bytes(55, number(2, 3))), "chiplet_placement is set"},
      {load(1, "", number(57, 3)), "field number 57 of the operation"},
      {load(1, number(10, 1)), "transposed is set"},
      {operation(1, 27, number(13, 1)), "transposed is set"},
      {operation(1, 33, number(11, 1)), "transposed is set"},
      {operation(1, 34, number(15, 1)), "transposed is set"},
      {operation(1, 23, number(5, 1)), "passthrough is set"},
      {operation(1, 30, number(6, 4)), "chunk is set"},
      {operation(1, 47, number(6, 1)), "write_back_mu is set"},
      {operation(1, 51, packed(3, json{2})), "repeat_factor is set"},
      {operation(1, 40, number(7, 32)), "addr_offset = 32, but the machine's requests have 64 bytes"},
      {operation(1, 43, number(3, 1) + number(11, 1)), "split_dim = 1"},
      {operation(1, 10, bytes(5, bytes(4, "")) + number(11, 2)), "st_from_input = 2"},
      {load(1, bytes(8, bytes(2, number(4, 1)))), "field number 4 of f32"},
      {load(1, bytes(8, f32 + bytes(12, ""))), "field number 12 of dtype"},
      {load(1, bytes(8, bytes(3, ""))), "tensors of type multi_hot"},
      {load(1, number(7, 8)), "n_byte = 8 are not the bytes of an element of type f32"},
      {load(1, number(7, 4) + bytes(8, bytes(1, ""))), "not the bytes of an element of type f16"}};
  for (const auto& [message, cause] : refused) {
    const std::string why = refusal(message);
    EXPECT_NE(why.find(cause), std::string::npos) << why;
    EXPECT_NE(why.find("operator '1' ("), std::string::npos) << why;
  }
  EXPECT_EQ(refusal(load(1, number(10, 0, true), number(48, 1) + number(3, 7)) + consumer(2, 1)), "accepted");
}

TEST(StepMessageFields, TheGraphSaysHowManyBytesAFloatHas) {
  const auto mock = [](const std::string& message, const StepGraphOptions& options = {}) {
    const Result<Document> read = imported(message, "g", options);
    return read ? std::string(read->machine.mock_bf16 ? "2" : "4") : text(read.diagnostics());
  };
  const std::string rest = consumer(2, 1);
  EXPECT_EQ(mock(load(1, number(7, 4)) + rest), "4");
  EXPECT_EQ(mock(load(1, number(7, 2)) + rest), "2");
  EXPECT_EQ(mock(load(1) + rest), "2");  // it does not say: as the experiments but one
  EXPECT_EQ(mock(load(1, number(7, 2) + bytes(8, bytes(1, ""))) + rest), "2");
  const std::string both = mock(load(1, number(7, 4)) + load(3, number(7, 2)) + rest + consumer(4, 3));
  EXPECT_NE(both.find("operator '3' (Odd_3): n_byte = 2, but g: operator '1' (Odd_1) has n_byte = 4"),
            std::string::npos)
      << both;
  StepGraphOptions four, settings;
  four.element_bytes = 4;
  settings.sim.mock_bf16 = false;
  for (const StepGraphOptions& options : {four, settings}) {
    EXPECT_EQ(mock(load(1) + rest, options), "4");
    EXPECT_EQ(mock(load(1, number(7, 4)) + rest, options), "4");
    EXPECT_NE(mock(load(1, number(7, 2)) + rest, options).find("a float has 2 bytes"), std::string::npos);
  }
  settings.element_bytes = 2;
  EXPECT_NE(mock(load(1) + rest, settings).find("mock_bf16"), std::string::npos);
}

TEST(StepMessageFields, ABufferDepthThatTheGraphDoesNotHoldIsAskedFor) {
  const std::string graph = operation(1, 45, number(1, 9)) + operation(9, 54, number(1, 4)) + load(3) +
                            operation(5, 34,
                                      number(1, 1) + number(3, 3) + number(7, 16) + number(8, 16) +
                                          number(9, 2) + number(11, 1) + number(12, 1));
  StepGraphOptions options;
  const Result<StepGraphImport> silent = importStepProtobuf(graph, "g", options);
  ASSERT_TRUE(silent) << text(silent.diagnostics());
  ASSERT_EQ(silent->report.size(), 1u);
  EXPECT_NE(text(silent->report).find("operator '5' (Odd_5)"), std::string::npos) << text(silent->report);
  EXPECT_NE(text(silent->report).find("\"buffer_depths\": {\"5\": N}"), std::string::npos);
  // The acknowledgements, that nobody reads, are taken by somebody.
  EXPECT_EQ(silent->document.program.nodes.back().name, "op5_ack");
  options.sim.buffer_depths = {{5, 4}};
  const Result<StepGraphImport> told = importStepProtobuf(graph, "g", options);
  ASSERT_TRUE(told) << text(told.diagnostics());
  EXPECT_TRUE(told->report.empty());
  EXPECT_EQ(told->document.program.find("op5")->parameters.at("buffer_depth"), Value(std::int64_t{4}));
  options.sim.buffer_depths = {{3, 4}};  // a load
  EXPECT_NE(refusal(graph, options).find("buffer_depths.3: the graph has no RandomOffChipStore of this id"),
            std::string::npos);
  options.sim = {};
  options.sim.depths = {{77, 4}};
  EXPECT_NE(refusal(graph, options).find("config_dict.77: the graph has no operator of this id"),
            std::string::npos);
}

TEST(StepMessageFields, TheShapeOfADynamicTensorIsInAFile) {
  const std::string dynamic =
      operation(1, 40, bytes(1, "shape.json") + number(3, 16) + number(4, 32) + number(8, 1));
  StepGraphOptions options;
  const std::filesystem::path folder = options.folder =
      std::filesystem::temp_directory_path() / "sluice_step_message_fields";
  std::filesystem::create_directories(folder);
  std::filesystem::remove(folder / "shape.json");
  const auto with = [&](const std::string& shape) {
    std::ofstream(folder / "shape.json") << shape;
    return refusal(dynamic + consumer(2, 1), options);
  };
  EXPECT_NE(refusal(dynamic, options).find("shape.json"), std::string::npos);
  EXPECT_EQ(with("[2, 64, 64]"), "accepted");
  EXPECT_NE(with("[40, 64]")
                .find("[40,64] of " + (folder / "shape.json").string() +
                      " is not cut into whole tiles, tile_row = 16"),
            std::string::npos);
  for (const char* wrong : {"[64]", "64", "[64, -2]", "[64, 1.5]", "[[64, 64]]", "no JSON", "[64, 0]"})
    EXPECT_NE(with(wrong).find("no list of at least two extents"), std::string::npos) << wrong;
}

TEST(StepMessageFields, WhatOnlyAnotherSchemaKnowsIsRefusedWhereItIsSet) {
  StepGraphOptions more;
  more.schema_files["graph.proto"] =
      "syntax = \"proto3\"; package x; import \"ops.proto\"; message ProgramGraph { repeated Operation "
      "operators = "
      "5; }";
  more.schema_files["ops.proto"] =
      "syntax = \"proto3\"; package x; message Operation { uint32 id = 1; uint32 lanes = 2; oneof k { "
      "Counter "
      "counter = 3; } } message Kind { oneof t { Kind bf16 = 1; } } message Counter { uint32 max = 4; uint32 "
      "step = 5; Kind dtype = 6; }";
  const auto counted = [&](const std::string& fields, const std::string& others = "") {
    return refusal(bytes(5, number(1, 12) + bytes(3, number(4, 9) + fields) + others), more);
  };
  EXPECT_EQ(counted(""), "accepted");
  EXPECT_NE(counted(number(5, 2)).find("step is set, which has no counterpart"), std::string::npos);
  EXPECT_NE(counted("", number(2, 2)).find("lanes is set, which has no counterpart"), std::string::npos);
  EXPECT_NE(counted(bytes(6, bytes(1, ""))).find("elements of type bf16"), std::string::npos);
}

}  // namespace sluice::step_message_fields_test
