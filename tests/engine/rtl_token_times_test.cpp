// When every token arrives: emitted RTL, the simulator, and the slow model where everybody sees a clock
// itself. RTL and simulator part at a token that follows the end of a stream, which the reference lets be
// seen as of its sender's last wait. Skipped where Verilator is not installed.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "engine/core/atomic_file.h"
#include "engine/explorer/evaluate.h"
#include "engine/operators/simulate.h"
#include "engine/rtl/rtl_project.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/slow_model.h"

namespace sluice::rtl_token_times_test {

namespace fs = std::filesystem;

struct TokenTime {
  Cycles arrival = 0;
  std::uint64_t stop = 0, targets = 0;  ///< of a selector, a bit each
  bool operator==(const TokenTime&) const = default;
};
void PrintTo(const TokenTime& token, std::ostream* out) {
  *out << "cycle " << token.arrival << ", stop " << token.stop << ", targets " << token.targets;
}

/// Parallel to the graph's streams.
using Times = std::vector<std::vector<TokenTime>>;

struct Case {
  FlatGraph graph;
  Inference inference;
  InputSet inputs;
  SimulationResult run;
  Times simulator;
};

std::uint64_t bits(const std::vector<std::uint32_t>& targets) {
  std::uint64_t set = 0;
  for (const std::uint32_t target : targets) set |= std::uint64_t{1} << target;
  return set;
}

/// A sample of that structure, but of eight tokens and four experts.
Case shrunk(const std::string& name, std::map<std::string, std::int64_t> constants, std::int64_t regions) {
  Document document = *loadDocument(fs::path(SLUICE_SOURCE_DIR) / "sample_workloads" / (name + ".sluice"));
  for (const auto& [constant, value] : constants) document.constants[constant] = Value(value);
  Input& routing = document.inputs.front();
  routing.counts = {6, 5, 4, 1};
  routing.tokens = 8, routing.experts = 4, routing.top_k = 2;
  for (Knob& knob : document.knobs) {
    if (knob.name == "regions") knob.list = {1, 2, 4}, knob.initial = regions;
    if (knob.name == "tile" || knob.name == "shared_tile")
      knob.list = {4, 8}, knob.initial = knob.name == "tile" ? 4 : 8;
  }
  const auto workload = testing_support::workloadOf(std::move(document), {});
  const Result<SymbolicResult> symbolic = evaluateSymbolic(*workload, defaultKnobs(workload->document));
  EXPECT_TRUE(symbolic) << text(symbolic.diagnostics());
  Case one{symbolic->graph,
           symbolic->inference,
           symbolic->scheduled ? symbolic->scheduled->inputs : workload->inputs,
           {},
           {}};
  SimulationOptions options;
  for (StreamId stream = 0; stream < one.graph.streams.size(); ++stream) options.capture.push_back(stream);
  one.run = simulate(one.graph, one.inputs, options);
  for (const std::vector<CapturedToken>& stream : one.run.captured) {
    one.simulator.emplace_back();
    for (const CapturedToken& token : stream)
      one.simulator.back().push_back({token.arrival, token.stop, bits(token.selected)});
  }
  return one;
}

Times slowTimes(const Case& one) {
  Times times;
  for (const slow::SlowStream& stream :
       slow::simulateSlowly(one.graph, one.inputs, slow::Shows::Clock).streams) {
    times.emplace_back();
    for (const slow::SlowToken& token : stream.tokens)
      times.back().push_back({token.arrival, token.stop, bits(token.value.selected)});
  }
  return times;
}

/// What `make tokens` writes.
Times rtlTimes(const Case& one) {
  const fs::path folder = fs::path(testing::TempDir()) / ("rtl_tokens_" + std::to_string(::getpid()));
  const RtlProgram program{one.graph, one.inference, one.inputs, &one.run};
  EXPECT_TRUE(writeProjectFolder(folder, *rtlProject(program), "emit rtl"));
  const std::string make =
      "cd '" + folder.string() +
      "' && make -s tokens VERILATOR='verilator -fno-expand' JOBS=1 OPTIMISATION=-O0 1>&2";
  EXPECT_EQ(std::system(make.c_str()), 0);
  const RtlPlan plan = *rtlPlan(program);
  std::map<std::string, StreamId> streams;
  for (StreamId stream = 0; stream < one.graph.streams.size(); ++stream)
    streams["testbench.top_run." + streamPath(plan, stream)] = stream;
  Times times(one.graph.streams.size());
  std::istringstream lines(*readFile(folder / "out/tokens.txt"));
  std::string header, path;
  std::getline(lines, header);
  EXPECT_EQ(header, "fifo number cycle stop targets");
  std::uint64_t number = 0;
  TokenTime token;
  while (lines >> path >> std::dec >> number >> token.arrival >> token.stop >> std::hex >> token.targets) {
    EXPECT_TRUE(streams.contains(path)) << path;
    std::vector<TokenTime>& stream = times[streams[path]];
    EXPECT_EQ(number, stream.size()) << path;
    stream.push_back(token);
  }
  fs::remove_all(folder);
  return times;
}

struct Difference {
  StreamId stream = 0;
  std::size_t token = 0;
  Cycles arrival = 0;  ///< the earlier of the two
};

/// Of the tokens that `differ`, the one that comes first.
template <typename Differ>
std::optional<Difference> first(const Times& a, const Times& b, Differ differ) {
  std::optional<Difference> found;
  for (StreamId stream = 0; stream < a.size(); ++stream)
    for (std::size_t i = 0; i < std::min(a[stream].size(), b[stream].size()); ++i) {
      const Cycles arrival = std::min(a[stream][i].arrival, b[stream][i].arrival);
      if (differ(a[stream][i], b[stream][i]) && (!found || arrival < found->arrival))
        found = Difference{stream, i, arrival};
    }
  return found;
}

/// RTL and simulator agree up to a token that its operator gives when its input has ended: in RTL it comes
/// `later` cycles later.
void expectToPartAtAnEnd(const Case& one, const Times& rtl, Cycles later) {
  const auto parts =
      first(one.simulator, rtl, [](const TokenTime& a, const TokenTime& b) { return !(a == b); });
  ASSERT_TRUE(parts);
  const TokenTime& ours = one.simulator[parts->stream][parts->token];
  const FlatOperator& by = one.graph.operators[one.graph.streams[parts->stream].producer];
  EXPECT_EQ(by.spec->kind, "Reshape") << by.name;
  EXPECT_EQ(rtl[parts->stream][parts->token], (TokenTime{ours.arrival + later, ours.stop, ours.targets}));
  // Its input has brought its last token, from a Partition that then still works on others.
  const FlatStream& input = one.graph.streams[by.inputs.front()];
  EXPECT_EQ(one.graph.operators[input.producer].spec->kind, "Partition");
  EXPECT_LT(rtl[by.inputs.front()].back().arrival, ours.arrival);
}

TEST(RtlTokenTimes, PartFromTheSimulatorAtTheEndOfAStream) {
  if (std::system("verilator --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "verilator is not installed";
  const Case one =
      shrunk("moe_three_ways", {{"B", 8}, {"D", 64}, {"E", 4}, {"F", 64}, {"compute", 64}, {"f", 32}}, 2);
  const Times rtl = rtlTimes(one), slow = slowTimes(one);
  ASSERT_EQ(rtl.size(), slow.size());
  for (StreamId stream = 0; stream < rtl.size(); ++stream) EXPECT_EQ(rtl[stream], slow[stream]) << stream;
  expectToPartAtAnEnd(one, rtl, 4);
  // Later, and because of that, groups are chosen in another order.
  const auto other = first(one.simulator, rtl,
                           [](const TokenTime& a, const TokenTime& b) { return a.targets != b.targets; });
  ASSERT_TRUE(other);
  const FlatStream& chosen = one.graph.streams[other->stream];
  EXPECT_EQ(one.graph.operators[chosen.producer].spec->kind, "EagerMerge");
}

/// The slow model stands for the RTL, token by token, as the test above shows.
TEST(RtlTokenTimes, PartTheSameWayInAProgramWithoutEagerMerge) {
  const Case one =
      shrunk("deepseek_moe",
             {{"B", 8}, {"D", 64}, {"E", 4}, {"F", 64}, {"K", 2}, {"S", 1}, {"compute", 256}, {"f", 32}}, 4);
  expectToPartAtAnEnd(one, slowTimes(one), 4);
}

}  // namespace sluice::rtl_token_times_test
