// Values that the command line gives to an input, in place of the document's own: what does not fit is told
// at the input and its file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "engine/program/file_format.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/npy.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::given_inputs_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing_support::Outcome;
using testing_support::runCommandLine;
using testing_support::sample;

/// Arrays in a folder of their own; attention over a cache of 202 tiles of 32 tokens a request, 64 requests.
class GivenInputs : public testing_support::FolderTest {
 protected:
  void write(const std::string& name, std::vector<std::size_t> shape,
             std::vector<std::int64_t> values) const {
    writeNpy(folder_ / name, {std::move(shape), std::move(values)});
  }
  Outcome run(const std::string& words) const { return runCommandLine(words, true, folder_.string()); }
};

std::vector<std::int64_t> lengths(std::size_t count, std::int64_t last) {
  std::vector<std::int64_t> values(count, 100);
  values.back() = last;
  return values;
}

TEST_F(GivenInputs, ValuesThatNoOperatorTakesAreWarnedOf) {
  write("long.npy", {80}, lengths(80, 100));
  write("right.npy", {64}, lengths(64, 100));
  const std::string words = sample("attention_qwen") + " --input lengths=";
  for (const std::string command : {"simulate --count ", "check ", "shapes "}) {
    const Outcome told = run(command + words + "long.npy");
    EXPECT_EQ(told.status, 0) << told.out;
    EXPECT_THAT(told.out, HasSubstr("warning: input 'lengths' (")) << command;
    EXPECT_THAT(told.out, HasSubstr("long.npy): it has 80 values, of which operators take 64")) << command;
    EXPECT_THAT(told.out, HasSubstr("[trace-mismatch]"));
    EXPECT_THAT(run(command + words + "right.npy").out, Not(HasSubstr("warning"))) << command;
  }
}

/// The boundary is that at which functional mode leaves the tensor: a request's last token is appended.
TEST_F(GivenInputs, LengthsBeyondTheCacheAreWarnedOf) {
  write("fits.npy", {64}, lengths(64, 202 * 32 - 1));
  write("beyond.npy", {64}, lengths(64, 202 * 32));
  const std::string simulate = "simulate " + sample("attention_qwen") + " --count --input lengths=";
  EXPECT_THAT(run(simulate + "fits.npy").out, Not(HasSubstr("warning")));
  const Outcome beyond = run(simulate + "beyond.npy");
  EXPECT_EQ(beyond.status, 0);
  EXPECT_THAT(beyond.out,
              HasSubstr("beyond.npy): request 63 asks for 203 tiles of its cache, which has 202"));
  EXPECT_EQ(run(simulate + "fits.npy --compute float32").status, 0);
  EXPECT_THAT(run(simulate + "beyond.npy --compute float32").out, HasSubstr("[memory-out-of-bounds]"));

  std::vector<std::int64_t> two = lengths(64, 7000), third = lengths(64, 6464);
  const std::vector<std::int64_t> first = lengths(64, 1);
  two.insert(two.begin(), first.begin(), first.end());
  two.insert(two.end(), third.begin(), third.end());
  write("set.npy", {3, 64}, two);
  const std::string told = run("simulate " + sample("attention_qwen") + " --input lengths=set:set.npy").out;
  EXPECT_THAT(told, HasSubstr("'trace 1': request 63 asks for 219 tiles"));
  EXPECT_THAT(told, HasSubstr("likewise of 1 more trace ("));
  EXPECT_EQ(told.find("request 63"), told.rfind("request 63")) << "once";
  EXPECT_THAT(run(simulate + "set:set.npy,pick=0").out, HasSubstr("'trace 1'")) << "the set is given";
}

TEST_F(GivenInputs, WhatDoesNotFitTogetherIsToldAtTheFile) {
  write("short.npy", {8}, lengths(8, 100));
  write("square.npy", {8, 8}, lengths(64, 100));
  write("few.npy", {5}, {1, 1, 1, 1, 1});
  const auto refused = [&](const std::string& words, const std::string& file, const std::string& cause) {
    const Outcome told = run(words);
    EXPECT_EQ(told.status, 1) << told.out;
    EXPECT_THAT(told.out, testing::StartsWith("error: input '")) << words;
    EXPECT_THAT(told.out, HasSubstr(file + "): ")) << words;
    EXPECT_THAT(told.out, HasSubstr(cause)) << words;
    EXPECT_EQ(std::ranges::count(told.out, '\n'), 1) << told.out;
  };
  const std::string attention = sample("attention_qwen") + " --input lengths=";
  for (const std::string command : {"simulate ", "check ", "energy "}) {
    refused(command + attention + "short.npy", "short.npy", "which has 8; and 2 more like this");
    refused(command + attention + "square.npy", "square.npy",
            "its shape is 8 x 8; the document's input has 64");
  }
  refused("simulate " + sample("gnn") + " --input neighbours=few.npy", "few.npy",
          "the degrees sum to 1024, but 5 neighbours are listed");
  for (const std::string command : {"explore --budget 2 --strategy random ", "strategies --budget 2 "})
    refused(command + attention + "short.npy", "short.npy", "which has 8; and 2 more like this");
}

/// A file that the document itself names.
TEST_F(GivenInputs, FilesOfTheDocumentAreToldLikeThoseThatAreGiven) {
  Result<Document> document = loadDocument(SLUICE_SOURCE_DIR "/sample_workloads/attention_qwen.sluice");
  ASSERT_TRUE(document);
  write("short.npy", {8}, lengths(8, 100));
  write("beyond.npy", {64}, lengths(64, 9000));
  for (Input& input : document->inputs) input.data.reset();
  for (const std::string file : {"short.npy", "beyond.npy"}) {
    for (Input& input : document->inputs) input.file = file;
    ASSERT_TRUE(saveDocument(*document, folder_ / (file + ".sluice")));
  }
  for (const std::string command : {"simulate ", "check ", "explore --budget 2 --strategy random "}) {
    const Outcome told = run(command + "short.npy.sluice");
    EXPECT_EQ(told.status, 1) << command << told.out;
    EXPECT_THAT(told.out,
                testing::StartsWith("error: input 'lengths' (short.npy): the program does not fit"));
    EXPECT_EQ(std::ranges::count(told.out, '\n'), 1) << told.out;
    EXPECT_THAT(run(command + "beyond.npy.sluice").out,
                HasSubstr("warning: input 'lengths' (beyond.npy): request 63 asks for 282 tiles"));
  }
  const Outcome in_json = runCommandLine("simulate beyond.npy.sluice --json", false, folder_.string());
  ASSERT_FALSE(in_json.object().is_discarded()) << in_json.out;
  EXPECT_EQ(in_json.object()["diagnostics"][0]["code"], "trace-mismatch");
}

TEST_F(GivenInputs, TheServerTellsThem) {
  write("short.npy", {8}, lengths(8, 100));
  write("beyond.npy", {64}, lengths(64, 9000));
  const auto answers = [&](const std::string& file, const std::string& then) {
    std::ofstream(folder_ / "requests")
        << R"({"jsonrpc": "2.0", "id": 1, "method": "open", "params": {"file": ")"
        << SLUICE_SOURCE_DIR "/sample_workloads/attention_qwen.sluice"
        << R"(", "inputs": {"lengths": ")" << file << "\"}}}\n"
        << R"({"jsonrpc": "2.0", "id": 2, "method": ")" << then << "\"}\n";
    std::istringstream lines(run("serve --stdio < requests").out);
    std::vector<nlohmann::json> all;
    for (std::string line; std::getline(lines, line);)
      if (line.find("\"progress\"") == std::string::npos) all.push_back(nlohmann::json::parse(line));
    return all;
  };
  const auto beyond = answers("beyond.npy", "simulate");
  ASSERT_EQ(beyond.size(), 2u);
  for (const nlohmann::json& answer : beyond) {
    ASSERT_EQ(answer["result"]["diagnostics"].size(), 1u) << answer;
    const nlohmann::json& told = answer["result"]["diagnostics"][0];
    EXPECT_EQ(told["severity"], "warning");
    EXPECT_THAT(told["cause"], HasSubstr("request 63 asks for 282 tiles"));
  }
  for (const std::string method : {"simulate", "explore"}) {
    const auto refused = answers("short.npy", method);
    ASSERT_EQ(refused.size(), 2u);
    EXPECT_EQ(refused[0]["result"]["diagnostics"][0]["code"], "trace-mismatch") << refused[0];
    const nlohmann::json& told = refused[1]["error"]["data"];
    ASSERT_EQ(told.size(), 1u) << refused[1];
    EXPECT_THAT(told[0].dump(), HasSubstr("short.npy"));
    EXPECT_THAT(told[0]["cause"], HasSubstr("the program does not fit together with these values"));
  }
}

}  // namespace sluice::given_inputs_test
