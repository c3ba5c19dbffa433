// Graphviz DOT in and out: every sample survives the way there and back, Graphviz can lay out what is
// written, and what is no program is refused by name.

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/core/atomic_file.h"
#include "engine/interchange/dot.h"
#include "engine/program/file_format.h"
#include "tests/engine/support/command_line.h"

namespace sluice::dot_test {

void roundTrip(const Document& document, const std::string& name) {
  const std::string dot = writeDot(document);
  const Result<Document> read = readDot(dot, name);
  ASSERT_TRUE(read) << name << ": " << text(read.diagnostics());
  EXPECT_EQ(writeDocument(*read), writeDocument(document)) << name;
  EXPECT_EQ(writeDot(*read), dot) << name;
}

TEST(Dot, EverySampleSurvives) {
  std::size_t samples = 0;
  const std::filesystem::path folder = std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".sluice") continue;
    const Result<Document> document = loadDocument(entry.path());
    ASSERT_TRUE(document) << entry.path();
    roundTrip(*document, entry.path().string());
    ++samples;
  }
  EXPECT_GE(samples, 30u);
}

TEST(Dot, OddTextsSurvive) {
  Document document;
  document.title = "a \"title\" with \\ and \\\" and a\nline; 16";
  document.description = "{\"looks\": \"like JSON\"} <b>&amp;</b> \xC3\xA9 \\";
  document.constants["N"] = Value("max(2, 3)");
  document.program.nodes.push_back({"digraph", "Counter", {{"max", Value("N")}}, Position{1.5, -2}, {}});
  document.program.nodes.push_back({"node", "Consumer", {}, {}, {}});
  document.program.nodes.push_back({"true", "Consumer", {}, {}, {}});
  document.program.streams.push_back({{"digraph", "out", {}}, {"node", "in", {}}, Value("N + 1")});
  document.program.streams.push_back({{"digraph", "out", {}}, {"true", "in", {}}, Value(3)});
  roundTrip(document, "odd");
}

TEST(Dot, OrderOfNodesAndStreamsSurvives) {
  Document document;
  Region region;
  region.inputs = {"x"};
  region.outputs = {"y"};
  region.body.nodes.push_back({"inner", "PromoteOuter", {}, {}, {}});
  region.body.streams.push_back({{"region", "x", {}}, {"inner", "in", {}}, {}});
  region.body.streams.push_back({{"inner", "out", {}}, {"region", "y", {}}, {}});
  document.program.nodes.push_back({"last", "Consumer", {}, {}, {}});
  document.program.nodes.push_back({"middle", "Region", {}, {}, region});
  document.program.nodes.push_back({"first", "Counter", {{"max", Value(4)}}, {}, {}});
  document.program.streams.push_back({{"middle", "y", {}}, {"last", "in", {}}, {}});
  document.program.streams.push_back({{"first", "out", {}}, {"middle", "x", Value(0)}, Value(9)});
  roundTrip(document, "order");
}

TEST(Dot, WrittenByHand) {
  const Result<Document> read = readDot(R"(digraph {
    rankdir=LR; node [color=red];
    subgraph cluster_sources { label="sources"; count [kind=Counter, parameters="{\"max\": 5}"]; }
    { rank=same; split [kind=Broadcast, parameters="{\"ways\": 2}"] }
    count -> split;
    split:"out[0]" -> one [depth=4];
    split -> two [from="split.out[1]"];
    one, two [kind=Consumer];
  })",
                                        "hand");
  ASSERT_TRUE(read) << text(read.diagnostics());
  ASSERT_EQ(read->program.nodes.size(), 4u);
  ASSERT_EQ(read->program.streams.size(), 3u);
  EXPECT_EQ(text(read->program.streams[0].from), "count.out");
  EXPECT_EQ(text(read->program.streams[1].from), "split.out[0]");
  EXPECT_EQ(read->program.streams[1].depth, Value(4));
  EXPECT_EQ(text(read->program.streams[2].from), "split.out[1]");
  EXPECT_EQ(text(read->program.streams[2].to), "two.in");
}

std::string refusal(const std::string& dot) {
  const Result<Document> read = readDot(dot, "x.dot");
  return read ? "accepted" : text(read.diagnostics());
}

TEST(Dot, WhatIsNoProgramIsRefused) {
  EXPECT_NE(refusal("digraph { a -> ").find("not one DOT graph"), std::string::npos);
  EXPECT_NE(refusal("").find("holds no graph"), std::string::npos);
  EXPECT_NE(refusal("graph { a -- b }").find("undirected"), std::string::npos);
  EXPECT_NE(refusal("digraph { a -> b }").find("node \"a\" has no attribute kind"), std::string::npos);
  EXPECT_NE(refusal("digraph { a [kind=Map, parameters=\"{rubbish\"] }").find("parameters"),
            std::string::npos);
  EXPECT_NE(refusal("digraph { \"not a name\" [kind=Map] }").find("name"), std::string::npos);
  EXPECT_NE(refusal("digraph { sluice=\"[]\"; a [kind=Map] }").find("no JSON object"), std::string::npos);
  EXPECT_NE(refusal("digraph a { x [kind=Consumer] } digraph b { }").find("a second graph"),
            std::string::npos);
  EXPECT_NE(refusal("digraph a { x [kind=Consumer] } }}} <<<").find("not one DOT graph"), std::string::npos);
  EXPECT_NE(refusal(std::string("digraph a { x [kind=Consumer] }\0 rubbish", 38)).find("zero byte"),
            std::string::npos);
  EXPECT_EQ(refusal("digraph a { x [kind=Consumer] } // the end\n\n"), "accepted");
  EXPECT_EQ(refusal("digraph a { x [kind=Consumer] };\r\n\f\x1a"), "accepted");
  const std::string brackets(100'000, '[');  // to read them is easy, to copy what was read ends the stack
  EXPECT_NE(refusal("digraph { a [kind=Map, parameters=\"" + brackets + "\"] }").find("nested deeper"),
            std::string::npos);
  EXPECT_NE(
      refusal("digraph { a [kind=\"" + brackets + std::string(100'000, ']') + "\"] }").find("nested deeper"),
      std::string::npos);
  std::string deep = "digraph {", path;
  for (int i = 0; i < 40; ++i) {
    path += (path.empty() ? "" : "/") + std::string("r");
    deep += "subgraph \"cluster_" + path +
            "\" { region=\"{\\\"name\\\": \\\"r\\\", \\\"kind\\\": \\\"Region\\\"}\"; n" + std::to_string(i) +
            " [kind=Consumer];";
  }
  EXPECT_NE(refusal(deep + std::string(41, '}')).find("too deep"), std::string::npos);
}

TEST(Dot, TheCommandLineWritesAndReadsIt) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "sluice_dot_test";
  std::filesystem::create_directories(folder);
  const std::string sample = std::string(SLUICE_SOURCE_DIR) + "/sample_workloads/simple_moe.sluice";
  const std::string dot = (folder / "moe.dot").string(), back = (folder / "moe.sluice").string();
  ASSERT_EQ(testing_support::runCommandLine("dot " + sample + " -o " + dot).status, 0);
  ASSERT_EQ(testing_support::runCommandLine("import " + dot + " -o " + back).status, 0);
  EXPECT_EQ(*readFile(back), *readFile(sample));
  const auto scheduled = testing_support::runCommandLine("dot " + std::string(SLUICE_SOURCE_DIR) +
                                                         "/sample_workloads/gpt2_block.sluice --scheduled");
  EXPECT_EQ(scheduled.status, 0);
  EXPECT_NE(scheduled.out.find("kind=\"LayoutConverter\""), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace sluice::dot_test
