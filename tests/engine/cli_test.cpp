// sluice-cli as a user meets it: the real program, its exit code, stdout and stderr.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/explorer/evaluate.h"
#include "engine/figures/published.h"
#include "engine/interchange/numpy.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/npy.h"
#include "tests/engine/support/temporary_folder.h"

extern char** environ;

namespace sluice::cli_test {

using namespace testing_support;
using nlohmann::json;
using testing::HasSubstr;

const std::filesystem::path program = std::filesystem::path(SLUICE_BINARY_DIR) / "bin" / "sluice-cli";

std::string sample(const std::string& name) {
  return (std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads" / (name + ".sluice")).string();
}

std::string readAll(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

class Cli : public FolderTest {
 protected:
  /// Starts the program; its output goes to files of the folder.
  pid_t start(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, (folder_ / "out").c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, (folder_ / "err").c_str(), flags, 0600);
    pid_t child = 0;
    const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(error, 0) << program << " does not start";
    return child;
  }

  struct Outcome {
    int status = 0;  ///< exit code; 1000 + signal if one killed it
    std::string out, err;
  };
  Outcome wait(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), readAll(folder_ / "out"),
            readAll(folder_ / "err")};
  }
  Outcome run(const std::vector<std::string>& arguments) { return wait(start(arguments)); }

  /// Runs with --json; stdout must be exactly one object.
  json runJson(std::vector<std::string> arguments, int status) {
    arguments.push_back("--json");
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    const json parsed = json::parse(outcome.out, nullptr, false);
    EXPECT_TRUE(parsed.is_object()) << "stdout is not one JSON object: " << outcome.out;
    return parsed;
  }

  std::string write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }
  std::string write(const std::string& name, const Document& document) {
    return write(name, writeDocument(document));
  }
};

void expectDiagnostics(const json& object) {
  ASSERT_TRUE(object.contains("diagnostics"));
  ASSERT_FALSE(object["diagnostics"].empty());
  for (const json& diagnostic : object["diagnostics"]) {
    EXPECT_THAT(diagnostic["severity"].get<std::string>(), testing::AnyOf("error", "warning", "note"));
    for (const char* field : {"code", "place", "cause", "fix"})
      EXPECT_FALSE(diagnostic[field].get<std::string>().empty()) << field;
  }
}

TEST_F(Cli, EveryCommandSpeaksTextAndNothingElseFails) {
  for (const char* command : {"check", "shapes", "simulate", "explore"}) {
    const Outcome outcome = run({command, sample("simple_moe")});
    EXPECT_EQ(outcome.status, 0) << command << ": " << outcome.err;
    EXPECT_FALSE(outcome.out.empty()) << command;
  }
}

const std::string fixture = R"({"depth":2,"cfg":{},"fb":2,"ops":[
    {"T":"OffChipLoad","id":1,"out":[4,2],"tile_row":2,"tile_col":8,"par":1},
    {"T":"UnaryMap","id":2,"inp":[1,null],"fn":{"name":"Silu"},"bw":16,"wb":false},
    {"T":"PrinterContext","id":3,"inp":[2,null]}]})";

TEST_F(Cli, ImportedGraphsAreTakenByEveryCommand) {
  const std::string out = (folder_ / "graph.sluice").string();
  const json object = runJson({"import", write("graph.json", fixture), "-o", out}, 0);
  EXPECT_EQ(object["operators"], 3);
  EXPECT_EQ(object["streams"], 2);
  EXPECT_EQ(object["output"], out);
  EXPECT_EQ(runJson({"check", out}, 0)["ok"], true);
  EXPECT_EQ(runJson({"shapes", out}, 0)["totals"]["off_chip_bytes"]["value"], 256);
  // 2 requests a tile: 20 cycles; the last tile arrives at 161, 128 FLOPs at 16 a cycle, a cycle to the sink
  // and one in it.
  EXPECT_EQ(runJson({"simulate", out}, 0)["cycles"], 8 * 20 + 1 + 8 + 2);
}

TEST_F(Cli, AFailedImportLeavesTheOldFileAlone) {
  const std::string out = write("graph.sluice", "precious");
  const std::vector<std::string> files = {
      write("broken.json", "{"), write("empty.json", "{}"),
      write("depth.json", R"({"depth":0,"cfg":{},"fb":2,"ops":[]})"),
      write("teleport.json", R"({"depth":1,"cfg":{},"fb":2,"ops":[{"T":"Teleport","id":1}]})"),
      "/no/such/file.json"};
  for (const std::string& file : files) {
    expectDiagnostics(runJson({"import", file, "-o", out}, 1));
    EXPECT_EQ(readAll(out), "precious") << file;
  }
  expectDiagnostics(
      runJson({"import", write("graph.json", fixture), "-o", (folder_ / "no" / "where.sluice").string()}, 1));
}

TEST_F(Cli, OnChipMemoryIsCountedAsAsked) {
  const std::string out = (folder_ / "graph.sluice").string();
  run({"import", write("graph.json", fixture), "-o", out});
  const auto bytes = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"shapes", out});
    return runJson(options, 0)["totals"]["on_chip_bytes"]["value"].get<int>();
  };
  EXPECT_EQ(bytes({}), 32);
  EXPECT_EQ(bytes({"--count-fifos"}), 32 + 2 * 64);
  EXPECT_EQ(bytes({"--equations", "paper"}), 64);
  EXPECT_EQ(bytes({"--equations", "paper", "--count-fifos"}), 64);
  EXPECT_EQ(run({"shapes", out, "--equations", "guessed"}).status, 2);
}

TEST_F(Cli, ASpaceThatFitsNowhereIsToldTheLeastThatItNeeds) {
  Result<Document> document = parseDocument(readAll(sample("simple_moe")), "simple_moe");
  ASSERT_TRUE(document);
  document->machine.on_chip_capacity = Value(1000);
  const std::string small = write("small.sluice", *document);
  const Outcome none = run({"explore", small});
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.err.find("[memory-exceeded]"), std::string::npos) << none.err;
  EXPECT_NE(none.err.find("the least is 28288 bytes"), std::string::npos) << none.err;
  // The run of one point has its numbers, with a warning.
  const Outcome one = run({"simulate", small});
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(
      one.err,
      HasSubstr("warning: machine, on_chip_capacity: needs 55936 bytes on chip; the machine has 1000"));
  EXPECT_THAT(one.err, HasSubstr("[memory-exceeded]"));
  const json told = runJson({"simulate", small}, 0);
  EXPECT_EQ(told["state"], "infeasible");
  ASSERT_EQ(told["diagnostics"].size(), 1u);
  EXPECT_EQ(told["diagnostics"][0]["severity"], "warning");
  EXPECT_EQ(told["diagnostics"][0]["code"], "memory-exceeded");
  document->machine.on_chip_capacity = Value(28'288);
  EXPECT_EQ(run({"explore", write("large.sluice", *document)}).status, 0);
}

/// Three buffers of as many tiles as an input says, of 2^50 bytes each: only the run finds out that they come
/// to more than can be counted.
TEST_F(Cli, ARunWithoutNumbersHasACodeAndIsAnError) {
  json nodes = {
      {{"name", "lengths"}, {"kind", "MetadataGen"}, {"parameters", {{"input", "lengths"}}}},
      {{"name", "count"}, {"kind", "FlatmapCounter"}},
      {{"name", "tile"},
       {"kind", "TileGen"},
       {"parameters", {{"shape", {1, 1}}, {"tile", {1 << 24, 1 << 24}}}}},
      {{"name", "many"}, {"kind", "Expand"}, {"parameters", {{"rank", 1}}}},
  };
  json streams = {{{"from", "lengths.out"}, {"to", "count.in"}},
                  {{"from", "tile.out"}, {"to", "many.in"}},
                  {{"from", "count.out"}, {"to", "many.ref"}}};
  for (const std::string i : {"0", "1", "2"}) {
    nodes.push_back({{"name", "buffer" + i}, {"kind", "Bufferize"}, {"parameters", {{"rank", 1}}}});
    nodes.push_back({{"name", "sink" + i}, {"kind", "Consumer"}});
    streams.push_back({{"from", "many.out"}, {"to", "buffer" + i + ".in"}});
    streams.push_back({{"from", "buffer" + i + ".out"}, {"to", "sink" + i + ".in"}});
  }
  const json inputs = {{{"name", "lengths"}, {"kind", "Tensor"}, {"data", {4000}}}};
  const json program = {
      {"sluice", 1}, {"program", {{"nodes", nodes}, {"streams", streams}}}, {"inputs", inputs}};
  const Result<Document> document = parseDocument(program.dump(), "huge");
  ASSERT_TRUE(document) << text(document.diagnostics());
  const std::string huge = write("huge.sluice", *document);
  for (const std::string command : {"simulate", "energy"}) {
    const Outcome told = run({command, huge});
    EXPECT_EQ(told.status, 1) << command;
    EXPECT_THAT(told.err, HasSubstr("more than 2^63 bytes on chip")) << command;
    EXPECT_THAT(told.err, HasSubstr("[overflow]")) << command;
  }
  EXPECT_EQ(runJson({"simulate", huge}, 1)["diagnostics"][0]["code"], "overflow");
  EXPECT_EQ(run({"explore", huge}).status, 1);
}

TEST_F(Cli, UsageErrorsAreTwo) {
  const std::vector<std::vector<std::string>> cases = {
      {},
      {"fly"},
      {"check"},
      {"simulate", sample("simple_moe"), "--no-such-flag"},
      {"simulate", sample("simple_moe"), "--set", "no_equals_sign"},
      {"explore", sample("simple_moe"), "--threads", "many"},
      {"explore", sample("simple_moe"), "--threads", "-1"}};
  for (const auto& arguments : cases) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << (arguments.empty() ? "no arguments" : arguments.back());
    EXPECT_TRUE(outcome.out.empty());
    EXPECT_FALSE(outcome.err.empty());
  }
}

TEST_F(Cli, AFileOfAnotherKindIsSentToWhatReadsIt) {
  const std::string root = SLUICE_SOURCE_DIR;
  const Outcome model = run({"simulate", root + "/tests/fuzz/corpus/onnx/reshape.onnx"});
  EXPECT_EQ(model.status, 1);
  EXPECT_THAT(model.err, HasSubstr("sluice-cli import " + root));
  EXPECT_THAT(run({"simulate", "none.onnx"}).err, HasSubstr("file-not-found"));
  const Outcome picture = run({"import", root + "/resources/window.png", "-o", "never.sluice"});
  EXPECT_EQ(picture.status, 1);
  EXPECT_THAT(picture.err, HasSubstr("no kind that is imported (give an ONNX model, "));
}

TEST_F(Cli, AMisspeltWordIsNamedWithTheOneThatWasMeant) {
  const std::string file = sample("simple_moe");
  const Outcome command = run({"simulte", file});
  EXPECT_THAT(command.err, HasSubstr("there is no command 'simulte' (did you mean 'simulate'?"));
  const Outcome with_option = run({"simulte", file, "--set", "tile=2", "--json"});
  EXPECT_THAT(with_option.err, HasSubstr("there is no command 'simulte' (did you mean 'simulate'?"));
  const Outcome form = run({"emit", "rlt", file, "-o", "rtl"});
  EXPECT_THAT(form.err, HasSubstr("there is no command 'rlt' (did you mean 'rtl'?"));
  const Outcome option = run({"simulate", file, "--stals"});
  EXPECT_THAT(option.err, HasSubstr("there is no option '--stals' (did you mean '--stalls'?"));
  EXPECT_THAT(run({"simulate", "--stals"}).err, HasSubstr("there is no option '--stals'"));
  const Outcome choice = run({"simulate", file, "--compute", "float33"});
  EXPECT_THAT(choice.err, HasSubstr("did you mean 'float32'?"));
  for (const Outcome& outcome : {command, option, choice}) EXPECT_EQ(outcome.status, 2);
}

TEST_F(Cli, ANumberThatIsTooSmallIsToldTheLeast) {
  const Outcome outcome = run({"points", "some.db", "--exploration", "0"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("give at least 1"));
}

TEST_F(Cli, HelpAndVersionAreDone) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"}, {"--version"}, {"explore", "--help"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_FALSE(outcome.out.empty());
  }
}

TEST_F(Cli, ABadFileIsADiagnosticEverywhere) {
  const std::vector<std::string> files = {write("broken.sluice", "{\"sluice\": 1,"),
                                          write("wrong.sluice", "[]"), "/no/such/file.sluice"};
  for (const std::string& file : files) {
    for (const char* command : {"check", "shapes", "simulate", "explore"}) {
      const json object = runJson({command, file}, 1);
      expectDiagnostics(object);
      const Outcome outcome = run({command, file});
      EXPECT_EQ(outcome.status, 1);
      EXPECT_TRUE(outcome.out.empty());
      EXPECT_THAT(outcome.err, HasSubstr("error: "));
    }
  }
}

TEST_F(Cli, AFixIsForWhatWasAsked) {
  const json missing = runJson({"check", "/no/such/file.sluice"}, 1)["diagnostics"][0];
  EXPECT_EQ(missing["fix"], "check the name and the folder");
  const json foreign =
      runJson({"import", write("run.json", "{\"cycles\": 7}"), "-o", (folder_ / "x.sluice").string()}, 1);
  EXPECT_EQ(foreign["diagnostics"][0]["cause"], "the field 'depth' is missing");
}

TEST_F(Cli, CheckTellsGoodFromBad) {
  for (const char* name : {"simple_moe", "swiglu", "moe_mixtral", "attention_qwen", "deepseek_moe", "gnn",
                           "moe_three_ways", "wavefront"}) {
    const json good = runJson({"check", sample(name)}, 0);
    EXPECT_EQ(good["ok"], true) << name;
    EXPECT_EQ(good["diagnostics"], json::array()) << name;
  }
  const json warned = runJson({"check", sample("deadlock_fork_join")}, 3);
  EXPECT_EQ(warned["ok"], false);
  ASSERT_EQ(warned["diagnostics"].size(), 1u);
  EXPECT_EQ(warned["diagnostics"][0]["severity"], "warning");
  Document document = chainDocument(2, 10, 2);
  document.program.streams.pop_back();
  const json bad = runJson({"check", write("unconnected.sluice", document)}, 1);
  EXPECT_EQ(bad["ok"], false);
  expectDiagnostics(bad);
}

TEST_F(Cli, ShapesHasFormulasAndValues) {
  const json object = runJson({"shapes", sample("simple_moe")}, 0);
  ASSERT_FALSE(object["streams"].empty());
  for (const json& stream : object["streams"]) {
    for (const char* field : {"name", "shape", "latex", "element", "elements"})
      EXPECT_TRUE(stream.contains(field)) << field;
    EXPECT_TRUE(stream["elements"]["value"].is_number()) << stream;
  }
  for (const json& op : object["operators"]) {
    for (const char* cost : {"off_chip_bytes", "on_chip_bytes", "flops"}) {
      for (const char* field : {"text", "latex", "value"})
        EXPECT_TRUE(op[cost].contains(field)) << cost << "." << field;
    }
  }
  const double flops = object["totals"]["flops"]["value"],
               bytes = object["totals"]["off_chip_bytes"]["value"];
  EXPECT_DOUBLE_EQ(object["totals"]["operational_intensity"]["value"], flops / bytes);
}

TEST_F(Cli, SimulateHasEveryField) {
  const json object = runJson({"simulate", sample("simple_moe")}, 0);
  for (const char* field : {"cycles", "off_chip_bytes", "on_chip_bytes", "flops", "compute_utilization",
                            "off_chip_bandwidth_utilization", "token_hops", "wall_seconds", "hbm_requests",
                            "operational_intensity"}) {
    EXPECT_TRUE(object.contains(field) && object[field].is_number()) << field;
  }
  EXPECT_TRUE(object.contains("deadlock") && object["deadlock"].is_null());
  ASSERT_FALSE(object["streams"].empty());
  std::uint64_t hops = 0;
  for (const json& stream : object["streams"]) {
    for (const char* field : {"name", "depth", "tokens", "max_occupancy"})
      EXPECT_TRUE(stream.contains(field)) << field;
    EXPECT_LE(stream["max_occupancy"], stream["depth"]);
    hops += stream["tokens"].get<std::uint64_t>();
  }
  EXPECT_EQ(object["token_hops"], hops);
  for (const json& op : object["operators"]) {
    for (const char* field :
         {"name", "kind", "busy_cycles", "blocked_on_input_cycles", "blocked_on_output_cycles"}) {
      EXPECT_TRUE(op.contains(field)) << field;
    }
  }
}

TEST_F(Cli, CountingAndRecordingAgree) {
  const json recorded = runJson({"simulate", sample("moe_mixtral")}, 0),
             counted = runJson({"simulate", sample("moe_mixtral"), "--count"}, 0);
  for (const char* field :
       {"cycles", "off_chip_bytes", "on_chip_bytes", "flops", "token_hops", "hbm_requests", "operators"}) {
    EXPECT_EQ(recorded[field], counted[field]) << field;
  }
  EXPECT_TRUE(counted["streams"][0]["max_occupancy"].is_null());
}

TEST_F(Cli, KnobsAreSet) {
  const json small = runJson({"simulate", sample("moe_mixtral"), "--set", "tile=8"}, 0);
  const json large = runJson({"simulate", "--set", "tile=64", sample("moe_mixtral")}, 0);
  EXPECT_EQ(small["knobs"]["tile"], 8);
  EXPECT_EQ(large["knobs"]["tile"], 64);
  EXPECT_GT(small["off_chip_bytes"], large["off_chip_bytes"]);
  EXPECT_LT(small["on_chip_bytes"], large["on_chip_bytes"]);
  const json last = runJson({"simulate", sample("moe_mixtral"), "--set", "tile=8", "--set", "tile=64"}, 0);
  EXPECT_EQ(last["cycles"], large["cycles"]);
}

TEST_F(Cli, BadKnobsAreDiagnostics) {
  for (const char* set : {"tile=7", "tile=many", "tile=16x", "tyle=16", "tile=99999999999999999999"}) {
    const json object = runJson({"simulate", sample("moe_mixtral"), "--set", set}, 1);
    expectDiagnostics(object);
  }
  expectDiagnostics(runJson({"simulate", sample("moe_mixtral"), "--set", "tile="}, 2));  // wrong use
  const json misspelt = runJson({"simulate", sample("moe_mixtral"), "--set", "tyle=16"}, 1);
  EXPECT_THAT(misspelt["diagnostics"][0]["fix"].get<std::string>(), HasSubstr("tile"));
}

TEST_F(Cli, DeadlockIsThree) {
  const json object = runJson({"simulate", sample("deadlock_fork_join")}, 3);
  ASSERT_EQ(object["diagnostics"].size(), 1u);
  EXPECT_EQ(object["diagnostics"][0]["code"], "deadlock");
  const json& deadlock = object["deadlock"];
  ASSERT_TRUE(deadlock.is_object());
  EXPECT_EQ(deadlock["kind"], "artificial");
  EXPECT_GT(deadlock["at"], 0);
  ASSERT_FALSE(deadlock["cycles"].empty());
  EXPECT_EQ(deadlock["cycles"][0]["members"].size(), deadlock["cycles"][0]["streams"].size());
  ASSERT_FALSE(deadlock["blocked"].empty());
  for (const json& blocked : deadlock["blocked"]) {
    for (const char* field : {"operator", "waits_on", "stream", "reason", "since"})
      EXPECT_TRUE(blocked.contains(field)) << field;
    EXPECT_THAT(blocked["reason"].get<std::string>(), testing::AnyOf("empty", "full", "memory"));
  }
  EXPECT_TRUE(deadlock["victims"].is_array());
  EXPECT_TRUE(object["on_chip_bytes"].is_null());
  EXPECT_EQ(run({"simulate", sample("deadlock_fork_join")}).status, 3);
  EXPECT_EQ(run({"simulate", sample("deadlock_fork_join"), "--set", "depth=16"}).status, 0);
}

TEST_F(Cli, ExploreListsEveryPoint) {
  const json object = runJson(
      {"explore", sample("moe_mixtral"), "--threads", "2", "--out", (folder_ / "result").string()}, 0);
  ASSERT_EQ(object["points"].size(), 4u);
  EXPECT_EQ(object["evaluated"], 4);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(object["points"][i]["knobs"]["tile"], 8 << i);
    EXPECT_TRUE(object["points"][i]["metrics"]["cycles"].is_number_integer());
  }
  ASSERT_FALSE(object["frontier"].empty());
  for (const json& index : object["frontier"]) EXPECT_LT(index, 4);
  EXPECT_GT(object["hypervolume"], 0);
  EXPECT_TRUE(object["wall_seconds"].is_number());
  const std::string csv = readAll(folder_ / "result" / "points.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
}

TEST_F(Cli, ExploreMindsObjectivesAndBudget) {
  const json object =
      runJson({"explore", sample("swiglu"), "--objectives", "cycles,off_chip_bytes,on_chip_bytes"}, 0);
  EXPECT_EQ(object["objectives"].size(), 3u);
  EXPECT_EQ(object["reference"].size(), 3u);
  expectDiagnostics(runJson({"explore", sample("swiglu"), "--objectives", "speed"}, 2));
  expectDiagnostics(runJson({"explore", sample("swiglu"), "--budget", "3"}, 1));
}

TEST_F(Cli, ATraceThatDoesNotFitIsADiagnostic) {
  expectDiagnostics(runJson({"simulate", sample("moe_mixtral"), "--input", "routing=/no/such/trace.npz"}, 1));
  expectDiagnostics(runJson({"simulate", sample("moe_mixtral"), "--input", "rooting=x.npz"}, 1));
  const std::string garbage = write("trace.npz", "PK\x03\x04 this is no archive");
  const json object = runJson({"explore", sample("moe_mixtral"), "--input", "routing=" + garbage}, 1);
  expectDiagnostics(object);
  EXPECT_THAT(object["diagnostics"][0]["place"].get<std::string>(), HasSubstr("trace.npz"));
}

/// A trace with as many tokens for each expert as the published one, in an order of ours.
TEST_F(Cli, ATraceGivesThePublishedPoints) {
  const std::vector<std::int64_t> counts =
      rowWith(figures::publishedTable("expert_tokens"), {{"model", "mixtral_b64"}}).integers("tokens");
  Input input;
  input.name = "routing";
  input.kind = InputKind::Routing;
  input.tokens = 64;
  input.experts = 8;
  input.top_k = 2;
  input.counts = counts;
  Document document;
  document.inputs = {input};
  const auto drawn = makeWorkload(document, ".");
  ASSERT_TRUE(drawn) << text(drawn.diagnostics());
  writeNpy(folder_ / "trace.npy", (*drawn)->inputs.at("routing").tensor);
  const json object = runJson(
      {"explore", sample("moe_mixtral"), "--input", "routing=" + (folder_ / "trace.npy").string()}, 0);
  const figures::PublishedTable cycles = figures::publishedTable("fig9");
  const figures::PublishedTable traffic = figures::publishedTable("fig19");
  for (std::size_t i = 0; i < 4; ++i) {
    const json& metrics = object["points"][i]["metrics"];
    EXPECT_NEAR(metrics["cycles"].get<double>() / cycles[i].number("cycles"), 1, 0.01) << "tile " << (8 << i);
    EXPECT_EQ(metrics["off_chip_bytes"], traffic[i].integer("off_chip_bytes"));
    EXPECT_EQ(metrics["on_chip_bytes"], traffic[i].integer("on_chip_bytes"));
  }
}

TEST_F(Cli, AnOutputFolderThatCannotBeIsADiagnostic) {
  const std::string file = write("a_file", std::string("not a folder"));
  expectDiagnostics(runJson({"explore", sample("simple_moe"), "--out", file + "/inside"}, 1));
}

TEST_F(Cli, SimulateWritesOccupancy) {
  EXPECT_EQ(run({"simulate", sample("simple_moe"), "--out", (folder_ / "run").string()}).status, 0);
  const std::string csv = readAll(folder_ / "run" / "occupancy.csv");
  EXPECT_TRUE(csv.starts_with("stream,time,low,high,last\r\n"));
  EXPECT_GT(std::count(csv.begin(), csv.end(), '\n'), 100);
}

/// Five tiles of 2 x 8, padded to chunks of three, the numbers 0 to 3, and selectors.
Document printingDocument() {
  Document document;
  Input input;
  input.name = "routing";
  input.kind = InputKind::Routing;
  input.experts = 4;
  input.data = IntTensor{{2, 2}, {0, 2, 3, 1}};
  document.inputs = {input};
  const std::vector<Value> size = {2, 8};
  document.program.nodes = {
      node("tiles", "TileGen", {{"shape", std::vector<Value>{5}}, {"tile", size}, {"interval", 10}}),
      node("chunks", "Reshape", {{"chunk", 3}, {"pad", size}}),
      node("tiles_seen", "Printer", {}),
      node("count", "Counter", {{"max", 4}}),
      node("numbers_seen", "Printer", {{"limit", 2}}),
      node("select", "SelectGen", {{"input", "routing"}}),
      node("selectors_seen", "Printer", {})};
  document.program.streams = {stream("tiles", "chunks"), stream("chunks", "tiles_seen"),
                              stream("count", "numbers_seen"), stream("select", "selectors_seen")};
  return document;
}

TEST_F(Cli, SimulateTellsWhatPrintersSaw) {
  const std::string file = write("printing.sluice", printingDocument());
  const json printed = runJson({"simulate", file}, 0)["printed"];
  ASSERT_EQ(printed.size(), 3u);
  EXPECT_EQ(printed[0]["operator"], "tiles_seen");
  EXPECT_EQ(printed[0]["element"], "tile[2, 8]:f32");
  ASSERT_EQ(printed[0]["tokens"].size(), 6u);
  // Made after 10 cycles, and one more for the Reshape; the third tile and the padding close chunks.
  EXPECT_EQ(printed[0]["tokens"][0],
            json({{"cycle", 11}, {"stop", 0}, {"rows", 2}, {"cols", 8}, {"valid", 2}}));
  EXPECT_EQ(printed[0]["tokens"][2]["stop"], 1);
  EXPECT_EQ(printed[0]["tokens"][5]["stop"], 2);
  EXPECT_EQ(printed[0]["tokens"][5]["valid"], 0);
  EXPECT_EQ(printed[1]["tokens"].size(), 2u) << "the limit";
  EXPECT_EQ(printed[1]["tokens"][1]["value"], 1);
  EXPECT_EQ(printed[2]["tokens"][1]["selected"], json({1, 3}));
  EXPECT_EQ(runJson({"simulate", sample("simple_moe")}, 0)["printed"], json::array());

  const std::string out = run({"simulate", file}).out;
  EXPECT_THAT(out, HasSubstr("Printed by tiles_seen, the first 6 of 6 tile[2, 8]:f32"));
  EXPECT_THAT(out, HasSubstr("2 x 8, 0 valid"));
  EXPECT_THAT(out, HasSubstr("Printed by numbers_seen, the first 2 of 4 tile[1, 1]:u64"));
  EXPECT_THAT(out, HasSubstr("{1, 3}"));
  EXPECT_THAT(run({"simulate", file, "--count"}).out, HasSubstr("{1, 3}"));
}

TEST_F(Cli, SimulateComputesTheStoredTensors) {
  const std::string dump = (folder_ / "dump").string();
  const Outcome outcome = run({"simulate", sample("simple_moe"), "--compute", "float32", "--dump", dump});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("Computed tensors"));
  const Result<TensorSet> dumped = loadTensors(folder_ / "dump" / "y.npy");
  ASSERT_TRUE(dumped);
  EXPECT_EQ(dumped->at("y").shape, (std::vector<std::size_t>{16, 64}));
  // What was dumped is of the right shape to be given again, as the contents of y.
  const json again =
      runJson({"simulate", sample("simple_moe"), "--compute", "float32", "--tensors", dump + "/y.npy"}, 0);
  EXPECT_EQ(again["tensors"][0]["name"], "y");
  expectDiagnostics(
      runJson({"simulate", sample("swiglu"), "--compute", "bfloat16", "--tensors", dump + "/y.npy"}, 1));
  EXPECT_EQ(run({"simulate", sample("swiglu"), "--compute", "float8"}).status, 2);
}

TEST_F(Cli, SimulateComputesWhatRequestsThatAreDealtOutStore) {
  const std::string file = (folder_ / "attention.sluice").string();
  run({"workload", "attention", "--size", "B=4", "N=32", "d=8", "q=2", "kv=16", "-o", file});
  const auto tensors = [&](const std::string& method) {
    return runJson({"simulate", file, "--compute", "float32", "--set", "method=" + method, "--set", "ways=2"},
                   0)["tensors"];
  };
  EXPECT_EQ(tensors("dynamic"), tensors("none"));
}

TEST_F(Cli, SimulateSaysWhereNothingComputedIsKept) {
  const std::string out = (folder_ / "graph.sluice").string();
  run({"import", write("graph.json", fixture), "-o", out});
  EXPECT_THAT(run({"simulate", out, "--compute", "float32"}).out, HasSubstr("no tensor is stored"));
}

}  // namespace sluice::cli_test
