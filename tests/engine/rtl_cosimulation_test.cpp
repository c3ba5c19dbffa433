// Emitted RTL beside the simulator: many programs in one test bench, which Verilator compiles and runs once.
// Skipped where Verilator is not installed. `./dev rtl` runs all samples and 200 random graphs and prints a
// table (SLUICE_RTL_TABLE).

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <memory>
#include <sstream>

#include "engine/core/atomic_file.h"
#include "engine/explorer/evaluate.h"
#include "engine/fifo/unlock.h"
#include "engine/figures/published.h"
#include "engine/measurements/errors.h"
#include "engine/measurements/registry.h"
#include "engine/operators/registry.h"
#include "engine/operators/simulate.h"
#include "engine/rtl/rtl_project.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/random_graphs.h"
#include "tests/engine/support/slow_model.h"

namespace sluice::rtl_cosimulation_test {

namespace fs = std::filesystem;

struct Case {
  std::string name;
  FlatGraph graph;
  Inference inference;
  InputSet inputs;
  SimulationResult run;
};

/// What a test bench printed of each program: lines without the program's name, sorted.
using Printed = std::map<std::string, std::vector<std::string>>;

Printed readPrinted(const fs::path& file) {
  Printed printed;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t run = line.find("testbench.top");
    if (run == std::string::npos) continue;
    const std::size_t end = line.find("_run", run);
    const std::string program = line.substr(run + 10, end - run - 10);
    const std::size_t word = line.find(' ');
    std::string rest = line.substr(end + 4);
    constexpr std::string_view inner = ".inner_operator";  // that another module is made of
    if (const std::size_t at = rest.find(inner); at != std::string::npos) rest.erase(at, inner.size());
    if (line.starts_with("fault")) rest.clear();  // in its own words
    printed[program].push_back(line.substr(0, word) + rest);
  }
  for (auto& [program, lines] : printed) std::ranges::sort(lines);
  return printed;
}

bool hasVerilator() {
  return std::system("verilator --version >/dev/null 2>&1") == 0;
}

/// A test bench of these programs, in a folder that goes with it.
class Bench {
 public:
  explicit Bench(const std::vector<Case>& cases) {
    static int number = 0;
    folder_ =
        fs::path(testing::TempDir()) / ("rtl_" + std::to_string(::getpid()) + "_" + std::to_string(number++));
    std::vector<RtlProgram> programs;
    for (const Case& one : cases) programs.push_back({one.graph, one.inference, one.inputs, &one.run});
    const Result<std::vector<ProjectFile>> files = rtlProject(programs);
    EXPECT_TRUE(files) << text(files.diagnostics());
    if (!files) return;
    const auto written = writeProjectFolder(folder_, *files, "emit rtl");
    EXPECT_TRUE(written) << text(written.diagnostics());
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() {
    if (std::getenv("SLUICE_RTL_KEEP") == nullptr) fs::remove_all(folder_);
  }

  /// Compiles and runs it: the exit code. Others may do so meanwhile. Words are not taken apart, which makes
  /// a quarter less C++.
  int run(const std::string& optimisation) const {
    const std::string make =
        "cd '" + folder_.string() +
        "' && make -s out/result.txt VERILATOR='verilator -fno-expand' JOBS=1 OPTIMISATION=" + optimisation +
        " 1>&2";
    return std::system(make.c_str());
  }
  Printed expected() const { return readPrinted(folder_ / "expected.txt"); }
  Printed printed() const { return readPrinted(folder_ / "out/result.txt"); }

 private:
  fs::path folder_;
};

std::string programOf(std::size_t index, std::size_t count) {
  return count == 1 ? "top" : "top" + std::to_string(index);
}

std::optional<Case> made(std::string name, FlatGraph graph, InputSet inputs) {
  Result<Inference> inference = infer(graph, inputs);
  if (!inference) return {};
  SimulationResult run = simulate(graph, inputs);
  if (run.fault) return {};
  Case one{std::move(name), std::move(graph), *std::move(inference), std::move(inputs), std::move(run)};
  if (!rtlPlan({one.graph, one.inference, one.inputs, &one.run})) return {};
  return one;
}

Case sample(const std::string& name, const KnobValues& values = {}) {
  const auto workload =
      testing_support::sampleWorkload(fs::path(SLUICE_SOURCE_DIR) / "sample_workloads" / (name + ".sluice"));
  KnobValues knobs = defaultKnobs(workload->document);
  for (const auto& [knob, value] : values) knobs[knob] = value;
  const Result<SymbolicResult> symbolic = evaluateSymbolic(*workload, knobs);
  EXPECT_TRUE(symbolic) << name << text(symbolic.diagnostics());
  const InputSet inputs = symbolic->scheduled ? symbolic->scheduled->inputs : workload->inputs;
  std::optional<Case> one = made(name, symbolic->graph, inputs);
  EXPECT_TRUE(one) << name;
  return *std::move(one);
}

/// Random graphs that have RTL, from this seed on; with an operator of this kind.
std::vector<Case> randomCases(std::uint64_t first, std::size_t count, RandomGraph (*random)(std::uint64_t),
                              const std::string& kind = {}) {
  std::vector<Case> cases;
  for (std::uint64_t seed = first; cases.size() < count; ++seed) {
    RandomGraph graph = random(seed);
    const auto wanted = [&](const FlatOperator& op) { return kind.empty() || op.spec->kind == kind; };
    if (std::ranges::none_of(graph.graph.operators, wanted)) continue;
    if (std::optional<Case> one =
            made("random graph " + std::to_string(seed), std::move(graph.graph), std::move(graph.inputs)))
      cases.push_back(*std::move(one));
  }
  return cases;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// What the slow model says of hardware, where nobody learns of another one's clock: an end and the tokens.
std::vector<std::string> slowLines(const Case& one) {
  const slow::SlowResult slow = slow::simulateSlowly(one.graph, one.inputs, slow::Shows::Clock);
  const RtlPlan plan = *rtlPlan({one.graph, one.inference, one.inputs, &one.run});
  std::vector<std::string> lines{slow.deadlocked() ? "deadlock" : "cycles " + std::to_string(slow.cycles)};
  for (StreamId stream = 0; stream < slow.streams.size(); ++stream)
    lines.push_back("tokens." + streamPath(plan, stream) + " " +
                    std::to_string(slow.streams[stream].tokens.size()));
  std::ranges::sort(lines);
  return lines;
}

/// The operator by which hardware and reference part: it chooses by arrival, or gives something when a stream
/// has ended.
std::string parting(const FlatGraph& graph) {
  for (const FlatOperator& op : graph.operators)
    if (const Arrival arrival = definitionOf(op).arrival;
        arrival == Arrival::Chooses || arrival == Arrival::WatchesAll)
      return "arrival order: " + op.spec->kind;
  for (const FlatOperator& op : graph.operators)
    if (!op.inputs.empty() && op.parameters.values().contains("pad"))
      return "padding at the end of a stream: " + op.spec->kind;
  return "the end of a stream";
}

struct Outcome {
  std::string engine, rtl, reason;
  bool right = false;
};

std::string endOf(const std::vector<std::string>& lines) {
  for (const std::string& line : lines)
    if (!line.starts_with("tokens") && !line.starts_with("waits")) return line;
  return "nothing";
}

/// The same in every line, or the same as the slow model where it goes by clocks alone.
Outcome judge(const Case& one, const std::vector<std::string>& expected, std::vector<std::string> actual) {
  constexpr std::uint64_t most_hops = 20000;  // that the slow model takes
  Outcome outcome{endOf(expected), endOf(actual), {}, expected == actual};
  if (outcome.right) return outcome;
  outcome.reason = parting(one.graph);
  if (one.run.token_hops > most_hops) {
    outcome.right = outcome.reason != "the end of a stream" &&
                    outcome.engine.starts_with("cycles") == outcome.rtl.starts_with("cycles");
    outcome.reason += " (by kind of operator: too large for the slow model)";
    return outcome;
  }
  std::erase_if(actual, [](const std::string& line) { return line.starts_with("waits"); });
  outcome.right = slowLines(one) == actual;
  if (!outcome.right) outcome.reason = "NOT EXPLAINED";
  return outcome;
}

std::vector<Outcome> outcomesOf(const std::vector<Case>& cases, const Bench& bench) {
  const Printed expected = bench.expected(), actual = bench.printed();
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string program = programOf(i, cases.size());
    const auto said = expected.find(program), found = actual.find(program);
    if (said == expected.end() || found == actual.end()) {
      outcomes.push_back({"?", "nothing", "NOT EXPLAINED", false});
      continue;
    }
    outcomes.push_back(judge(cases[i], said->second, found->second));
    EXPECT_TRUE(outcomes.back().right) << cases[i].name << " (" << program << "): the simulator\n"
                                       << joined(said->second) << "RTL\n"
                                       << joined(found->second);
  }
  return outcomes;
}

/// The program with the depths that free it.
Case repairedSample(const std::string& name) {
  const auto workload =
      testing_support::sampleWorkload(fs::path(SLUICE_SOURCE_DIR) / "sample_workloads" / (name + ".sluice"));
  const Result<PointResult> point = evaluate(*workload, defaultKnobs(workload->document), RecordMode::Count);
  const Unlock unlocked = unlock(*workload, *point, SearchBudget{});
  FlatGraph graph = point->symbolic.graph;
  EXPECT_TRUE(unlocked.repair) << name;
  for (const Repair::Change& change : unlocked.repair->changes)
    for (FlatStream& stream : graph.streams)
      if (stream.origin == change.origin) stream.depth = change.to;
  const InputSet inputs = point->symbolic.scheduled ? point->symbolic.scheduled->inputs : workload->inputs;
  return *made(name + ", repaired", std::move(graph), inputs);
}

/// Where a difference is explained by arrival, the same program without it has none: most of these must be
/// equal.
TEST(RtlCosimulation, ProgramsTakeTheCyclesOfTheSimulator) {
  if (!hasVerilator()) GTEST_SKIP() << "verilator is not installed";
  std::vector<Case> cases = randomCases(1, 8, randomGraph);
  for (Case& one : randomCases(1, 2, randomGraph, "Shuffle")) cases.push_back(std::move(one));
  for (const char* name :
       {"simple_moe", "deadlock_fork_join", "deadlocks/buffer_beside_path", "deadlocks/unmatched_stops"})
    cases.push_back(sample(name));
  cases.push_back(sample("swiglu", {{"tile_m", 64}, {"tile_n", 256}}));  // of Figure 8
  cases.push_back(repairedSample("deadlock_fork_join"));
  const Bench bench(cases);
  ASSERT_EQ(bench.run("-O0"), 0);
  const std::vector<Outcome> outcomes = outcomesOf(cases, bench);
  std::size_t equal = 0;
  for (const Outcome& outcome : outcomes) equal += outcome.engine == outcome.rtl ? 1 : 0;
  EXPECT_GE(equal, cases.size() - 2);
  EXPECT_EQ(outcomes.back().engine.substr(0, 6), "cycles");
}

/// A folder with the project, which goes with it.
class Project {
 public:
  explicit Project(const std::vector<ProjectFile>& files)
      : path_(fs::path(testing::TempDir()) / ("rtl_synthesis_" + std::to_string(::getpid()))) {
    const auto written = writeProjectFolder(path_, files, "emit rtl");
    EXPECT_TRUE(written) << text(written.diagnostics());
  }
  ~Project() { fs::remove_all(path_); }
  void write(const std::string& name, const std::string& content) const {
    EXPECT_TRUE(writeFileAtomically(path_ / name, content));
  }
  const fs::path& path() const { return path_; }
  /// What the command, which is run there, printed; behind it its exit code.
  std::string said(const std::string& command) const {
    const std::string shell = "cd '" + path_.string() + "' && (" + command + ") > said.txt 2>&1";
    const int code = std::system(shell.c_str());
    return *readFile(path_ / "said.txt") + "exit " + std::to_string(code == 0 ? 0 : 1);
  }

 private:
  fs::path path_;
};

bool hasYosys() {
  return std::system("yosys -V >/dev/null 2>&1") == 0;
}

/// Of one project with all modules: each operator's by itself, without latches, loops and undriven wires.
TEST(RtlSynthesis, YosysReadsTheModuleOfEveryOperator) {
  if (!hasYosys()) GTEST_SKIP() << "yosys is not installed";
  const Case program = sample("simple_moe");
  const Project project(*rtlProject({program.graph, program.inference, program.inputs, &program.run}));
  for (const char* numbers : {"tokens.hex", "degrees.hex", "neighbours.hex"})
    project.write(numbers, "0000000000000001\n");
  std::string plain = " sizes.sv lib/sluice_types.sv", boxes, script;
  for (const RtlModule& module : rtlModules()) {
    if (!module.simulation && module.file != "sluice_types")
      (module.black_box ? boxes : plain) += " lib/" + std::string(module.file) + ".sv";
    if (module.kinds.empty()) continue;
    script += "design -load all\nhierarchy -check -top " + module.name() +
              "\nproc\nopt\nmemory\nopt\ncheck -assert\nselect -assert-none t:$dlatch\nlog read " +
              module.name() + "\n";
  }
  project.write("all.ys", "read_verilog -sv -defer" + plain + "\nread_verilog -sv -lib" + boxes +
                              "\ndesign -save all\n" + script);
  const std::string said = project.said("yosys all.ys");
  EXPECT_TRUE(said.ends_with("exit 0")) << said.substr(said.size() > 2000 ? said.size() - 2000 : 0);
  for (const RtlModule& module : rtlModules()) {
    if (module.kinds.empty()) continue;
    EXPECT_NE(said.find("\nread " + module.name() + "\n"), std::string::npos) << module.name();
  }
  // A latch is found.
  project.write("latch.sv",
                "module latch(input logic a, b, output logic q); always_comb if (a) q = b; endmodule\n");
  EXPECT_TRUE(project.said("yosys -p 'read_verilog -sv latch.sv; proc; select -assert-none t:$dlatch'")
                  .ends_with("exit 1"));
}

/// Yosys misreads some of what it accepts; so its netlist takes the program's place in the test bench.
TEST(RtlSynthesis, TheNetlistTakesTheCyclesOfTheSimulator) {
  if (!hasYosys() || !hasVerilator()) GTEST_SKIP() << "yosys or verilator is not installed";
  const Case program = sample("simple_moe");
  const Project project(*rtlProject({program.graph, program.inference, program.inputs, &program.run}));
  EXPECT_EQ(project.said("make -s check-synth JOBS=1 OPTIMISATION=-O0"), "the same\nexit 0");
  project.write("expected.txt", "cycles testbench.top_run 1\n");
  EXPECT_TRUE(project.said("make -s check-synth JOBS=1 OPTIMISATION=-O0").ends_with("exit 1"));
}

/// A load that is faster than the function behind it, whose results are stored: the load waits for room, the
/// store for tokens, both for memory.
TEST(RtlRecording, TellsForWhatEachOperatorWaits) {
  if (!hasVerilator()) GTEST_SKIP() << "verilator is not installed";
  FlatBuilder builder;
  const Output tiles = builder.through("LinearOffChipLoad", {{"tile", std::vector<std::int64_t>{8, 16}},
                                                             {"out_shape", std::vector<std::int64_t>{2, 6}}});
  const Output flat =
      builder.through("Flatten", {{"min", std::int64_t{0}}, {"max", std::int64_t{1}}}, {tiles});
  const Output mapped =
      builder.through("Map", {{"function", "silu"}, {"compute_bw", std::int64_t{8}}}, {flat});
  builder.add("LinearOffChipStore", {{"tile", std::vector<std::int64_t>{8, 16}}}, {mapped});
  const FlatGraph graph = builder.build();
  const InputSet none;
  const Result<Inference> inference = infer(graph, none);
  ASSERT_TRUE(inference) << text(inference.diagnostics());
  SimulationOptions options;
  options.mode = RecordMode::Timeline;
  const SimulationResult run = simulate(graph, none, options);
  const Project project(*rtlProject({graph, *inference, none, &run}));
  ASSERT_EQ(project.said("make -s vcd JOBS=1 OPTIMISATION=-O0"), "exit 0");
  std::istringstream recorded(*readFile(project.path() / "out/run.vcd"));
  const MeasurementFormat* const format = formatOf(recorded.str());
  ASSERT_NE(format, nullptr);
  const Result<Measurement> read = format->read(recorded, "run.vcd", {});
  ASSERT_TRUE(read) << text(read.diagnostics());
  const MeasuredRun& measured = read->runs.front();
  EXPECT_EQ(measured.cycles, static_cast<double>(run.cycles));
  const Result<Matching> matching = match(graph, measured);
  ASSERT_TRUE(matching) << text(matching.diagnostics());
  EXPECT_EQ(matching->operators.size(), graph.operators.size());
  EXPECT_EQ(measured.streams.size(), graph.streams.size());
  double room = 0;
  for (const Matched<OperatorId>& each : matching->operators) {
    const ActivityCycles ours = modelCycles(run, each.ids.front());
    for (const Activity activity : {Activity::Compute, Activity::Token, Activity::Slot, Activity::Memory})
      EXPECT_EQ(measured.operators[each.measured].cycles[activity].value_or(0), *ours[activity])
          << graph.operators[each.ids.front()].name << " " << text(activity);
    room += *ours[Activity::Slot];
  }
  EXPECT_GT(room, 1000);
  for (const MeasuredStream& stream : measured.streams) EXPECT_EQ(stream.tokens, 12);
}

/// The table of `./dev rtl`.
class Table {
 public:
  explicit Table(const std::string& file) : out_(file) {
    out_ << "| program | simulator | RTL | reason of the difference |\n| --- | --- | --- | --- |\n";
  }
  void add(const std::vector<Case>& cases, const std::vector<Outcome>& outcomes) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      ++all_;
      equal_ += outcomes[i].engine == outcomes[i].rtl && outcomes[i].reason.empty() ? 1 : 0;
      out_ << "| " << cases[i].name << " | " << outcomes[i].engine << " | " << outcomes[i].rtl << " | "
           << outcomes[i].reason << " |" << std::endl;
    }
  }
  ~Table() { out_ << "\n" << equal_ << " of " << all_ << " equal in every number.\n"; }

 private:
  std::ofstream out_;
  std::size_t all_ = 0, equal_ = 0;
};

/// A few to a test bench, as the compiler's time grows faster than what it reads, and two test benches at a
/// time.
void addBatches(Table& table, std::vector<Case> cases, std::size_t batch, const std::string& optimisation) {
  std::vector<std::vector<Case>> batches;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (i % batch == 0) batches.emplace_back();
    batches.back().push_back(std::move(cases[i]));
  }
  for (std::size_t i = 0; i < batches.size(); i += 2) {
    const std::size_t end = std::min(i + 2, batches.size());
    std::vector<std::unique_ptr<Bench>> benches;
    std::vector<std::future<int>> runs;
    for (std::size_t at = i; at < end; ++at) {
      benches.push_back(std::make_unique<Bench>(batches[at]));
      runs.push_back(std::async(std::launch::async, &Bench::run, benches.back().get(), optimisation));
    }
    for (std::size_t at = i; at < end; ++at) {
      EXPECT_EQ(runs[at - i].get(), 0);
      table.add(batches[at], outcomesOf(batches[at], *benches[at - i]));
    }
  }
}

TEST(RtlCosimulation, Table) {
  const char* file = std::getenv("SLUICE_RTL_TABLE");
  if (file == nullptr) GTEST_SKIP() << "asked for by ./dev rtl";
  ASSERT_TRUE(hasVerilator()) << "verilator is not installed";
  Table table(file);
  const char* const what = std::getenv("SLUICE_RTL_ONLY");
  const auto wanted = [&](const std::string& name) {
    return what == nullptr || *what == '\0' || name == what;
  };
  if (wanted("deadlocks")) {
    std::vector<Case> cases;
    for (const auto& entry :
         fs::directory_iterator(fs::path(SLUICE_SOURCE_DIR) / "sample_workloads/deadlocks")) {
      const std::string name = entry.path().stem().string();
      if (entry.path().extension() == ".sluice" && name != "lp_sized")  // of kernels, which have no RTL
        cases.push_back(sample("deadlocks/" + name));
    }
    std::ranges::sort(cases, {}, &Case::name);
    for (const char* name :
         {"deadlock_fork_join", "softmax_depths", "deadlocks/shallow_branch", "deadlocks/three_branches",
          "deadlocks/interlocking", "deadlocks/series_of_fifos"})
      cases.push_back(repairedSample(name));
    addBatches(table, std::move(cases), 4, "-O0");
  }
  if (wanted("figure 8")) {
    std::vector<Case> cases;
    for (const PublishedRow& row : publishedTable("fig8")) {
      cases.push_back(sample("swiglu", {{"tile_m", static_cast<std::int64_t>(row.number("tile_m"))},
                                        {"tile_n", static_cast<std::int64_t>(row.number("tile_n"))}}));
      cases.back().name = "swiglu " + row.text("tile_m") + " x " + row.text("tile_n") +
                          " (published RTL: " + row.text("rtl_cycles") + ")";
    }
    addBatches(table, std::move(cases), 5, "-O1");
  }
  std::vector<Case> samples;
  for (const char* name : {"deadlock_fork_join", "softmax_depths", "simple_moe", "wavefront", "gnn",
                           "attention_qwen", "moe_mixtral", "deepseek_moe", "moe_three_ways"})
    if (wanted("samples") || wanted(name)) samples.push_back(sample(name));
  addBatches(table, std::move(samples), 1, "-O1");
  const auto number = [](const char* name, std::uint64_t usual) {
    const char* const given = std::getenv(name);
    return given != nullptr ? std::stoul(given) : usual;
  };
  const std::uint64_t first = number("SLUICE_RTL_SEED", 1);
  if (wanted("random"))
    addBatches(table, randomCases(first, number("SLUICE_RTL_GRAPHS", 200), randomGraph), 5, "-O0");
  if (wanted("memory"))
    addBatches(table, randomCases(first, number("SLUICE_RTL_GRAPHS", 20), randomMemoryGraph), 5, "-O0");
}

}  // namespace sluice::rtl_cosimulation_test
