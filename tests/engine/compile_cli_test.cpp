// sluice-cli compile and size-fifos as a user meets them: the real program, its exit code and what it prints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/tensor/sizing/timed_graph_file.h"
#include "tests/engine/support/command_line.h"

namespace sluice::compile_cli_test {

using nlohmann::json;
using testing::HasSubstr;

using testing_support::Outcome;

Outcome run(const std::string& arguments, bool with_errors = false) {
  return testing_support::runCommandLine(arguments, with_errors);
}

const std::string sample = "'" SLUICE_SOURCE_DIR "/sample_workloads/gpt2_block.sluice' ";
const std::string kernels = "'" SLUICE_SOURCE_DIR "/tests/data/streamtensor/fork_join.json' ";

TEST(CompileCli, TheSampleBlock) {
  const Outcome outcome = run("compile " + sample + "--set tile=64 --json");
  EXPECT_EQ(outcome.status, 0);
  const json object = outcome.object();
  ASSERT_TRUE(object.is_object()) << outcome.out;
  EXPECT_GT(object["kernels"].size(), 10u);
  EXPECT_GT(object["converters"].size(), 5u);
  EXPECT_EQ(object["groups"].size(), 1u);
  std::size_t bytes = 0;
  for (const json& fifo : object["fifos"]) {
    EXPECT_GE(fifo["depth"], 2);
    EXPECT_LE(fifo["simulated_peak"], fifo["depth"]);
    bytes += fifo["bytes"].get<std::size_t>();
  }
  EXPECT_EQ(object["memory"]["fifo_bytes"], bytes);
  EXPECT_EQ(object["simulated"]["state"], "done");
  const double ratio =
      object["simulated"]["cycles"].get<double>() / object["predicted"]["cycles"].get<double>();
  EXPECT_GT(ratio, 0.5);
  EXPECT_LT(ratio, 1.5);
  const json simulated = run("simulate " + sample + "--set tile=64 --json").object();
  EXPECT_EQ(simulated["cycles"], object["simulated"]["cycles"]) << "the same program";
}

/// The compiled design has two buffers in each transfer, the program one tile: the rest is the same memory.
TEST(CompileCli, OnChipMemoryIsTheProgramsWithASecondBufferInTransfers) {
  const std::string block = sample + "--set tokens=32 --json";
  const json compiled = run("compile " + block).object();
  const json simulated = run("simulate " + block).object();
  std::int64_t transfers = 0;
  const json shapes = run("shapes " + block).object();
  for (const json& op : shapes["operators"]) {
    const std::string kind = op["kind"];
    if (kind == "LinearOffChipLoad" || kind == "LinearOffChipStore")
      transfers += op["on_chip_bytes"]["value"].get<std::int64_t>();
  }
  EXPECT_GT(transfers, 0);
  EXPECT_EQ(compiled["memory"]["on_chip_bytes"],
            simulated["total_on_chip_bytes"].get<std::int64_t>() + transfers);
}

/// Every choice of the step can be set by name, and what was chosen is seen.
TEST(CompileCli, ChoicesByName) {
  const std::string small = "compile gpt2 --set tokens=32 --set tile=64 --json --set ";
  const json plain = run(small + "banks=65536").object();
  const auto most = [](const json& object) {
    std::int64_t banks = 1;
    for (const json& array : object["arrays"]) banks = std::max(banks, array["banks"].get<std::int64_t>());
    return banks;
  };
  EXPECT_GT(most(plain), 8);
  EXPECT_LE(most(run(small + "banks=8").object()), 8);
  const json limited = run(small + "parallelization=ia+ca --set unroll=64").object();
  EXPECT_GT(limited["kernels"].size(), 3u);
  for (const json& kernel : limited["kernels"]) EXPECT_LE(kernel["unrolled"], 64);
  std::size_t folded = 0, vectors = 0;
  const json free = run(small + "fold=free").object(), cut = run(small + "vectors=unroll").object();
  for (const json& fifo : free["fifos"]) {
    folded += fifo["folded"] ? 1 : 0;
    EXPECT_EQ(fifo["folded"], fifo["depth"].is_null());
  }
  for (const json& fifo : cut["fifos"]) vectors += !fifo["vector"].empty();
  EXPECT_GT(folded, 3u);
  EXPECT_GT(vectors, 3u);
  EXPECT_EQ(run(small + "blocks=2").object()["kernels"].size(), 2 * plain["kernels"].size());
  EXPECT_EQ(run(small + "parallelization=fast").status, 1);
}

/// More memory, less traffic: the plans that no other one beats.
TEST(CompileCli, TheFusionFront) {
  const json front = run("compile gpt2 --set tokens=64 --fusion-front --json").object()["front"];
  ASSERT_GT(front.size(), 2u);
  for (std::size_t at = 1; at < front.size(); ++at) {
    EXPECT_LT(front[at]["on_chip_bytes"], front[at - 1]["on_chip_bytes"]);
    EXPECT_GT(front[at]["external_bytes"], front[at - 1]["external_bytes"]);
  }
  EXPECT_EQ(front[0]["groups"], 1);
  EXPECT_THAT(run("compile gpt2 --set tokens=64 --fusion-front").out, HasSubstr("on-chip bytes"));
}

/// The list of rewrites says what can be passed on, and why the rest cannot.
TEST(CompileCli, RewritesAreListedAndApplied) {
  const std::string block = "compile gpt2 --set tokens=32 --set tile=64 ";
  const json listed = run(block + "--list-rewrites --refused --json").object();
  ASSERT_EQ(listed["rewrites"].size(), 19u);
  std::string fork;
  std::size_t refused = 0;
  for (const json& rewrite : listed["rewrites"]) {
    for (const json& place : rewrite["places"]) {
      if (place["legal"] && rewrite["name"] == "insert fork") fork = place["rewrite"];
      if (place["legal"]) continue;
      EXPECT_FALSE(place["cause"].get<std::string>().empty() || place["fix"].get<std::string>().empty());
      ++refused;
    }
  }
  EXPECT_GT(refused, 100u);
  ASSERT_FALSE(fork.empty());
  const json applied = run(block + "--rewrites \"" + fork + "\" \"fold everywhere\" --json").object();
  ASSERT_EQ(applied["rewrites"].size(), 2u);
  EXPECT_EQ(applied["rewrites"][0]["rewrite"], fork);
  EXPECT_THAT(applied["rewrites"][1]["difference"].get<std::string>(), HasSubstr("FIFO bytes"));
  EXPECT_THAT(run(block + "--list-rewrites").out, HasSubstr("materialise converter: a task"));
  const Outcome wrong = run(block + "--rewrites \"melt everywhere\" --json");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.out, HasSubstr("there is no transformation 'melt_everywhere'"));
  EXPECT_EQ(listed["rewrites"][0]["transformation"], "fuse_groups");
  EXPECT_EQ(run(block + "--refused").status, 2);
}

TEST(CompileCli, ModelsByName) {
  for (const std::string model : {"gpt2", "qwen", "llama", "gemma"}) {
    const Outcome outcome =
        run("compile " + model + " --set tile=64 --set phase=decode --set tokens=64 --json");
    EXPECT_EQ(outcome.status, 0) << model;
    EXPECT_EQ(outcome.object()["program"], model);
  }
  const json prompt = run("compile gpt2 --set tile=64 --json").object(),
             few = run("compile gpt2 --set tile=64 --set unroll=256 --json").object(),
             small = run("compile gpt2 --set tile=64 --set on_chip_kib=1500 --json").object();
  EXPECT_GT(few["simulated"]["cycles"], prompt["simulated"]["cycles"]);
  EXPECT_GT(small["groups"].size(), 1u);
  EXPECT_THAT(run("compile gpt2 --set tile=64").out, HasSubstr("predicted cycles"));
}

TEST(CompileCli, RefusesWithReasons) {
  EXPECT_THAT(run("compile gpt2 --set colour=3", true).out, HasSubstr("'colour' is nothing that can be set"));
  EXPECT_THAT(run("compile gpt2 --set tiel=3", true).out, HasSubstr("tile"));
  EXPECT_EQ(run("compile gpt2 --set colour=3").status, 1);
  EXPECT_EQ(run("compile gpt2 --set tile=0").status, 1);
  EXPECT_EQ(run("compile gpt2 --set unroll=2").status, 1);
  EXPECT_THAT(run("compile gpt2 --set on_chip_kib=1 --set memory=local", true).out, HasSubstr("kernel"));
  EXPECT_EQ(run("compile").status, 2);
  const Outcome other = run("compile '" SLUICE_SOURCE_DIR "/sample_workloads/swiglu.sluice'", true);
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.out, HasSubstr("compile_tensors"));
  EXPECT_EQ(run("compile gpt2 --set colour=3 --json").object()["diagnostics"].size(), 1u);
}

TEST(SizeFifosCli, FourModesOfKernelsFromAFile) {
  std::size_t closed = ~std::size_t{0};
  for (const std::string mode : {"paper", "start-time", "asap"}) {
    const Outcome outcome = run("size-fifos " + kernels + "--json --mode " + mode);
    EXPECT_EQ(outcome.status, 0);
    const json object = outcome.object();
    ASSERT_TRUE(object.is_object()) << outcome.out;
    EXPECT_EQ(object["mode"], mode);
    EXPECT_EQ(object["simulated"]["slowdown"], 1.0);
    EXPECT_EQ(object["stall"], json());
    EXPECT_GE(object["fifos"][2]["depth"], 60) << "beside a pipeline of 60";
    EXPECT_LE(object["fifos"][2]["simulated_peak"], object["fifos"][2]["depth"]);
    EXPECT_EQ(object["fifos"][2]["producer_stalls"], 0);
    closed = std::min(closed, object["total_bytes"].get<std::size_t>());
  }
  const json searched = run("size-fifos " + kernels + "--mode simulated --front --json").object();
  EXPECT_LE(searched["total_bytes"], closed);
  EXPECT_EQ(searched["minimal"], true);
  EXPECT_EQ(searched["simulated"]["slowdown"], 1.0);
  ASSERT_GT(searched["front"].size(), 1u);
  EXPECT_LT(searched["front"].back()["bytes"], searched["front"].front()["bytes"]);
}

TEST(SizeFifosCli, ACompiledBlock) {
  const Outcome outcome = run("size-fifos " + sample + "--set tile=64 --mode asap --json");
  EXPECT_EQ(outcome.status, 0);
  const json object = outcome.object(),
             start = run("size-fifos " + sample + "--set tile=64 --mode start-time --json").object();
  EXPECT_GT(object["total_bytes"], start["total_bytes"]);
  const json searched =
      run("size-fifos " + sample + "--set tile=64 --set tokens=32 --mode simulated --tolerance 0.01 --json")
          .object();
  EXPECT_LE(searched["simulated"]["slowdown"], 1.01);
  EXPECT_LT(searched["total_bytes"], start["total_bytes"]);
  EXPECT_THAT(run("size-fifos gpt2 --set tile=64 --mode paper").out, HasSubstr("most at once"));
}

TEST(SizeFifosCli, ExactDepthsOfASmallProgramAndItsDataflowGraph) {
  const std::string small = "'" SLUICE_SOURCE_DIR "/resources/templates/tensor_program.sluice' ";
  const json exact = run("size-fifos " + small + "--mode exact --json").object();
  EXPECT_EQ(exact["long_run_cycles"], "16384");
  EXPECT_EQ(exact["simulated"]["slowdown"], 1.0);
  EXPECT_LT(exact["total_bytes"], run("size-fifos " + small + "--json").object()["total_bytes"]);
  const json large = run("size-fifos gpt2 --mode exact --json").object();
  EXPECT_EQ(large["diagnostics"][0]["code"], "too-many");
}

/// What needs no curves sizes any program.
TEST(SizeFifosCli, AProgramWithoutTensors) {
  const std::string swiglu = "'" SLUICE_SOURCE_DIR "/sample_workloads/swiglu.sluice' ";
  const json peaks = run("size-fifos " + swiglu + "--mode peaks --json").object();
  EXPECT_LE(peaks["cycles_after"], peaks["cycles_before"]);
  const json least = run("size-fifos " + swiglu + "--mode simulated --json").object();
  EXPECT_LT(least["cycles_after"], peaks["cycles_after"]);
  EXPECT_FALSE(least["changes"].empty());
  EXPECT_THAT(run("size-fifos " + swiglu + "--mode unlimited").out, HasSubstr("with these depths"));
  const json front = run("size-fifos " + swiglu + "--mode simulated --front --json").object()["front"];
  ASSERT_FALSE(front.empty());
  EXPECT_EQ(front[0]["cycles"], least["cycles_after"]);
  EXPECT_FALSE(front[0]["depths"].empty());
  EXPECT_EQ(run("size-fifos " + swiglu + "--mode peaks --front").status, 2);
  EXPECT_EQ(run("size-fifos " + kernels + "--mode paper --front").status, 2);
  const std::string locked = "'" SLUICE_SOURCE_DIR "/sample_workloads/deadlock_fork_join.sluice' ";
  EXPECT_EQ(run("size-fifos " + locked + "--mode peaks").status, 3);
  const json freed = run("size-fifos " + locked + "--mode unlock --json").object();
  EXPECT_EQ(freed["cycles_before"], json());
  EXPECT_EQ(freed["changes"].size(), 1u);
}

/// A frontier that is read and taken: its depths are in the text, and the file of a point runs as it says.
TEST(SizeFifosCli, APointOfTheFrontierBecomesAFile) {
  const std::string program = "'" SLUICE_SOURCE_DIR "/sample_workloads/softmax_depths.sluice' ";
  const std::string out = testing::TempDir() + "size_fifos_" + std::to_string(::getpid()) + ".sluice";
  const Outcome told = run("size-fifos " + program + "--mode simulated --front");
  EXPECT_EQ(told.status, 0);
  EXPECT_THAT(told.out,
              testing::AllOf(HasSubstr("The frontier:"), HasSubstr("new depth"), HasSubstr("--pick N")));
  const json front = run("size-fifos " + program + "--mode simulated --front --json").object()["front"];
  ASSERT_GT(front.size(), 1u);
  const Outcome picked =
      run("size-fifos " + program + "--mode simulated --front --pick 2 -o " + out + " --json");
  ASSERT_EQ(picked.status, 0) << picked.out;
  const json simulated = run("simulate " + out + " --json").object();
  EXPECT_EQ(simulated["cycles"], front[1]["cycles"]);
  EXPECT_EQ(simulated["fifo_bytes"], front[1]["bytes"]);
  EXPECT_EQ(picked.object()["bytes_after"], front[1]["bytes"]);
  const json none =
      run("size-fifos " + program + "--mode simulated --front --pick 99 -o " + out + " --json").object();
  EXPECT_EQ(none["diagnostics"][0]["code"], "out-of-range");
  EXPECT_EQ(run("size-fifos " + program + "--mode simulated --pick 1").status, 2);
  EXPECT_EQ(run("size-fifos " + kernels + "--mode simulated -o " + out).status, 2);
  std::filesystem::remove(out);
}

/// What `size-fifos` and `simulate` say of the memory of FIFOs is one number; also of a compiled program.
TEST(SizeFifosCli, WritesAProgramWithTheMemoryThatItSays) {
  const std::string out = testing::TempDir() + "sized_" + std::to_string(::getpid()) + ".sluice";
  for (const std::string words : {"moe_three_ways.sluice' --mode peaks",
                                  "gpt2_block.sluice' --mode asap --set tokens=32 --set tile=64"}) {
    const json sized =
        run("size-fifos '" SLUICE_SOURCE_DIR "/sample_workloads/" + words + " -o " + out + " --json")
            .object();
    ASSERT_TRUE(sized.contains("bytes_after")) << sized;
    const std::string knobs =
        words.find("--set") == std::string::npos ? "" : words.substr(words.find("--set"));
    const json simulated = run("simulate " + out + " " + knobs + " --json").object();
    EXPECT_EQ(simulated["fifo_bytes"], sized["bytes_after"]) << words;
    EXPECT_EQ(simulated["cycles"], sized["cycles_after"]) << words;
  }
  std::filesystem::remove(out);
}

TEST(SizeFifosCli, RefusesWithReasons) {
  EXPECT_EQ(run("size-fifos " + kernels + "--mode fastest").status, 2);
  EXPECT_EQ(run("size-fifos /nowhere.json").status, 1);
  EXPECT_EQ(run("size-fifos '" SLUICE_SOURCE_DIR "/sample_workloads/swiglu.sluice' --mode asap").status, 1);
  const Outcome usual = run("size-fifos '" SLUICE_SOURCE_DIR "/sample_workloads/swiglu.sluice' --json");
  EXPECT_EQ(usual.status, 0);
  EXPECT_EQ(usual.object()["mode"], "simulated");
}

std::string refusal(const std::string& text_of_file) {
  const Result<TimedGraph> graph = parseTimedGraph(text_of_file, "file");
  return graph ? "" : text(graph.diagnostics());
}

TEST(TimedGraphFile, MistakesAreToldByPlace) {
  const auto kernel = [](const std::string& more) {
    return R"({"kernels": [{"name": "a", "tokens": 4)" + more +
           R"(}, {"name": "b", "tokens": 4}], "streams": [)";
  };
  EXPECT_EQ(refusal(kernel("") + R"({"from": "a", "to": "b"}]})"), "");
  EXPECT_EQ(refusal(kernel(R"(, "interval": [3, 2])") + "]}"), "");
  EXPECT_THAT(refusal(kernel("") + R"({"from": "a", "to": "bb"}]})"), HasSubstr("there is no kernel 'bb'"));
  EXPECT_THAT(refusal(kernel("") + R"({"from": "a"}]})"), HasSubstr("to"));
  EXPECT_THAT(refusal(kernel(R"(, "interval": [3])") + "]}"), HasSubstr("an interval of 1 numbers"));
  EXPECT_THAT(refusal(kernel(R"(, "interval": 0)") + "]}"), HasSubstr("not positive"));
  EXPECT_THAT(refusal(kernel(R"(, "colour": 0)") + "]}"), HasSubstr("colour"));
  EXPECT_THAT(refusal(kernel("") + R"({"from": "a", "to": "b"}, {"from": "b", "to": "a"}]})"),
              HasSubstr("cycle"));
  EXPECT_THAT(refusal("[]"), HasSubstr("file"));
}

}  // namespace sluice::compile_cli_test
