// Loop nests: what is refused, the file, and HIDA's connections between nests.

#include "engine/tensor/loop_nests/loop_nest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "engine/tensor/loop_nests/loop_nest_file.h"
#include "engine/tensor/loop_nests/nest_connections.h"
#include "tests/engine/support/loop_nests.h"

namespace sluice::loop_nest_test {

using namespace testing_support;

using testing::HasSubstr;

TEST(LoopNest, TheExampleOfHida) {
  const LoopProgram program = hidaListing();
  EXPECT_EQ(text(check(program)), "");
  EXPECT_EQ(intensity(program.nests[0]), 512);
  EXPECT_EQ(intensity(program.nests[1]), 256);
  EXPECT_EQ(intensity(program.nests[2]), 4096);
  EXPECT_EQ(elements(program.arrays[0]), 512);
}

/// Table 4 of HIDA (ASPLOS '24).
TEST(NestConnections, ThePublishedMaps) {
  const std::vector<NestConnection> found = connections(hidaListing());
  ASSERT_EQ(found.size(), 2u);
  const auto none = std::nullopt;
  EXPECT_EQ(
      found[0],
      (NestConnection{
          0, 2, 0, {0, none, 1}, {0, 2}, {Ratio{1, 2}, Ratio{1, 1}}, {Ratio{2, 1}, none, Ratio{1, 1}}}));
  EXPECT_EQ(
      found[1],
      (NestConnection{
          1, 2, 1, {none, 1, 0}, {2, 1}, {Ratio{1, 1}, Ratio{1, 1}}, {none, Ratio{1, 1}, Ratio{1, 1}}}));
}

/// Along a connection, elements written by consecutive iterations of one side are those read by the other.
TEST(NestConnections, BothDirectionsSayTheSame) {
  SplitMix64 random(17);
  int connected_loops = 0;
  for (int round = 0; round < 1000; ++round) {
    const LoopProgram program = randomChain(random);
    for (const NestConnection& c : connections(program)) {
      for (std::size_t loop = 0; loop < c.source_loop.size(); ++loop) {
        EXPECT_EQ(c.source_loop[loop].has_value(), c.target_scale[loop].has_value());
        if (!c.source_loop[loop]) continue;
        ++connected_loops;
        EXPECT_EQ(c.target_loop[*c.source_loop[loop]], loop);
        const Ratio there = *c.source_scale[*c.source_loop[loop]];
        EXPECT_EQ(*c.target_scale[loop], (Ratio{there.denominator, there.numerator}));
      }
      const std::vector<std::int64_t> unroll(program.nests[c.source].loops.size(), 12);
      const std::vector<Ratio> on_target = constraintOn(c.target, c, unroll);
      for (std::size_t loop = 0; loop < on_target.size(); ++loop)
        EXPECT_TRUE(c.source_loop[loop] || on_target[loop] == Ratio{});
    }
  }
  EXPECT_GT(connected_loops, 1000);
}

TEST(NestConnections, AccessesThatDifferByConstantsConnectOnce) {
  LoopProgram program = hidaListing();
  program.arrays[0].shape[0] = 33;
  ArrayAccess shifted = program.nests[2].accesses[0];
  shifted.indices[0].offset = 1;
  program.nests[2].accesses.push_back(shifted);
  EXPECT_EQ(connections(program).size(), 2u);
  shifted.indices[0].scale = 1;
  program.nests[2].accesses.push_back(shifted);
  EXPECT_EQ(connections(program).size(), 3u);
}

struct Mistake {
  std::string found;
  std::function<void(LoopProgram&)> make;
};

TEST(LoopNest, EveryMistakeIsNamed) {
  const std::vector<Mistake> mistakes = {
      {"nest 'Node2': it has 0 operations", [](LoopProgram& p) { p.nests[2].operations = 0; }},
      {"array 'A': a dimension of 0", [](LoopProgram& p) { p.arrays[0].shape[0] = 0; }},
      {"2^48 elements",
       [](LoopProgram& p) {
         p.arrays[0].shape = {1 << 30, 1 << 30};
       }},
      {"elements of 0 bits", [](LoopProgram& p) { p.arrays[1].element_bits = 0; }},
      {"array 'A': the name is used twice", [](LoopProgram& p) { p.arrays[1].name = "A"; }},
      {"array 2: it has no name", [](LoopProgram& p) { p.arrays[2].name = ""; }},
      {"nest 1: it has no name", [](LoopProgram& p) { p.nests[1].name = ""; }},
      {"nest 'Node2', loop 'i': the name is used twice",
       [](LoopProgram& p) { p.nests[2].loops[1].name = "i"; }},
      {"nest 'Node1', loop 'k': an extent of -1", [](LoopProgram& p) { p.nests[1].loops[0].extent = -1; }},
      {"2^48 operations", [](LoopProgram& p) { p.nests[2].operations = std::int64_t{1} << 40; }},
      {"2^48 operations", [](LoopProgram& p) { p.nests[2].operations = INT64_MAX; }},
      {"array 9, which does not exist", [](LoopProgram& p) { p.nests[0].accesses[0].array = 9; }},
      {"1 indices for 2 dimensions", [](LoopProgram& p) { p.nests[0].accesses[0].indices.pop_back(); }},
      {"indexed by loop 7", [](LoopProgram& p) { p.nests[0].accesses[0].indices[1].loop = 7; }},
      {"with scale 0", [](LoopProgram& p) { p.nests[0].accesses[0].indices[1].scale = 0; }},
      {"dimension 0 is indexed from 0 to 45, but has 32",
       [](LoopProgram& p) { p.nests[2].accesses[0].indices[0].scale = 3; }},
      {"but has 32", [](LoopProgram& p) { p.nests[2].accesses[0].indices[0].scale = INT64_MAX; }},
      {"but has 32", [](LoopProgram& p) { p.nests[2].accesses[0].indices[0].offset = INT64_MAX; }},
      {"indexed from -1", [](LoopProgram& p) { p.nests[2].accesses[0].indices[0].offset = -1; }},
      {"array 'C': it is written by every iteration of the parallel loop 'k'",
       [](LoopProgram& p) { p.nests[2].loops[2].kind = LoopKind::Parallel; }},
  };
  for (const Mistake& mistake : mistakes) {
    LoopProgram program = hidaListing();
    mistake.make(program);
    const Diagnostics found = check(program);
    EXPECT_THAT(text(found), HasSubstr(mistake.found));
    for (const Diagnostic& diagnostic : found) EXPECT_FALSE(diagnostic.fix.empty());
  }
}

TEST(LoopNestFile, IndicesAreReadInAllForms) {
  const auto program = parseLoopProgram(R"({"arrays": [{"name": "a", "shape": [40, 9, 8], "element_bits": 8}],
    "nests": [{"name": "n", "operations": 2, "loops": [{"name": "i", "extent": 8, "kind": "reduction"}],
               "accesses": [{"array": "a", "index": ["3 * i + 4", 7, "i"], "write": true},
                            {"array": "a", "index": ["2*i", "i+1", "5"]}]}]})",
                                        "test");
  ASSERT_TRUE(program) << text(program.diagnostics());
  EXPECT_EQ(program->arrays[0].element_bits, 8);
  const LoopNest& nest = program->nests[0];
  EXPECT_EQ(nest.operations, 2);
  EXPECT_EQ(nest.loops[0], (NestLoop{"i", 8, LoopKind::Reduction}));
  EXPECT_EQ(nest.accesses[0], (ArrayAccess{0, true, {{0, 3, 4}, {std::nullopt, 1, 7}, {0, 1, 0}}}));
  EXPECT_EQ(nest.accesses[1], (ArrayAccess{0, false, {{0, 2, 0}, {0, 1, 1}, {std::nullopt, 1, 5}}}));
}

TEST(LoopNestFile, RefusalsSayWhere) {
  const auto refused = [](const std::string& loop, const std::string& access) {
    const auto program = parseLoopProgram(
        "{\"arrays\": [{\"name\": \"a\", \"shape\": [8]}],\n\"nests\": [{\"name\": \"n\", "
        "\"loops\": [" +
            loop + "],\n\"accesses\": [" + access + "]}]}",
        "test");
    return program ? std::string("accepted") : text(program.diagnostics());
  };
  const std::string loop = R"({"name": "row", "extent": 8})";
  const std::string access = R"({"array": "a", "index": ["row"]})";
  EXPECT_EQ(refused(loop, access), "accepted");
  EXPECT_THAT(refused(loop, R"({"array": "a", "index": ["rwo"]})"), HasSubstr("did you mean 'row'"));
  EXPECT_THAT(refused(loop, R"({"array": "b", "index": ["row"]})"), HasSubstr("there is no array 'b'"));
  for (const char* index : {"\"row*2\"", "\"2*\"", "\"\"", "\"row+-1\"", "\"-1\"", "\"row+row\"", "1.5",
                            "null", "\"99999999999999999999*row\"", "[1]", "true"})
    EXPECT_NE(refused(loop, std::string(R"({"array": "a", "index": [)") + index + "]}"), "accepted") << index;
  EXPECT_THAT(refused(R"({"name": "row", "extent": 8, "kind": "serial"})", access),
              HasSubstr("'serial' is no kind of loop"));
  EXPECT_THAT(refused(R"({"name": "row"})", access), HasSubstr("extent"));
  EXPECT_THAT(refused(R"({"name": "row", "extent": 9})", access), HasSubstr("but has 8 elements"));
  EXPECT_THAT(text(loadLoopProgram("/nowhere/nests.json").diagnostics()), HasSubstr("/nowhere/nests.json"));
}

}  // namespace sluice::loop_nest_test
