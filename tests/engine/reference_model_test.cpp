// The simulator against the executable reference model on random small graphs, written as fixtures and
// imported: every token must arrive at the same cycle with the same stop, every operator end at the same
// cycle.
//
// What the model does otherwise: it leaves out the cycles in which memory drains (ours: 3 after the last
// memory operator), so not its total but tokens and operators are compared; it lets the assertions of a wrong
// token end the run, where we give a fault; its EagerMerge looks first whenever the host happens to run it
// (here it is made to wait until everything before that clock has happened), and it goes on polling when
// nothing can happen any more: a deadlock beside one never ends there. It also takes a run for done when
// memory is and operators are not, which is a deadlock.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/explorer/evaluate.h"
#include "engine/interchange/step_fixture.h"
#include "engine/operators/simulate.h"
#include "engine/program/elaborate.h"
#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/step_fixture_writer.h"

namespace sluice {
namespace {

using nlohmann::json;

const std::filesystem::path model =
    std::filesystem::path(SLUICE_SOURCE_DIR) / "../shared/oracle/reference_model_exact.py";

/// Runs every fixture of a file in one interpreter and prints a line for each: the final clocks of its
/// operators and [arrival, stop] of every token, or what ended it.
constexpr const char* driver = R"(
import collections, contextlib, io, json, signal, sys, types
source, first_look = open(sys.argv[1]).read(), '# lockstep peek\n'
assert source.count(first_look) == 1
model = types.ModuleType('reference_model')
exec(compile(source.replace(first_look, "c.blk='EM'; yield 'lock'\n"), sys.argv[1], 'exec'), model.__dict__)
build, built = model.build, []
def remember(graph, hbm):
    built[:] = [build(graph, hbm)]
    return built[0]
model.build = remember
class Fifo(collections.deque):
    def __init__(self): self.log = []
    def append(self, item):
        self.log.append([item[0], item[1][1]])
        super().append(item)
class Channel(model.Chan):
    __slots__ = ()
    def __init__(self, capacity):
        super().__init__(capacity)
        if capacity is not None: self.q = Fifo()
model.Chan = Channel
class Endless(Exception): pass
def alarm(*_): raise Endless()
signal.signal(signal.SIGALRM, alarm)
for line in open(sys.argv[2]):
    case = json.loads(line)
    model.PMU = case['pmu']
    model.OPT['par'] = 2 + case['controller_wait']
    signal.setitimer(signal.ITIMER_REAL, case['seconds'])
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            done = model.simulate(case['graph'], tuple(case['hbm']))
        simulation, memory, channels = built[0]
        done = done and all(c.done for c in simulation.ctxs if c is not memory.c)
        clocks = [c.t for c in simulation.ctxs if c is not memory.c]
        tokens = {'%d.%d' % (k[0], k[1] or 0): channel.q.log for k, channel in channels.items()}
        print(json.dumps({'end': 'done' if done else 'deadlock', 'clocks': clocks, 'requests': memory.nreq,
                          'tokens': tokens}))
    except Endless:
        print(json.dumps({'end': 'deadlock'}))
    except Exception as problem:
        print(json.dumps({'end': 'fault', 'why': repr(problem)}))
)";

struct Case {
  std::uint64_t seed = 0;
  RandomGraph random;
  std::string fixture;
  bool polls_forever = false;  ///< ours deadlocks, and there is an EagerMerge
};

json settingsOf(const Case& one) {
  const BoundMachine& m = one.random.graph.machine;
  return {{"graph", json::parse(one.fixture)},
          {"seconds", one.polls_forever ? 0.15 : 10},
          {"pmu", m.on_chip_bandwidth},
          {"controller_wait", one.seed % 2},
          {"hbm", {m.hbm_channels, m.hbm_latency, m.hbm_initiation_interval, m.hbm_start_up}}};
}

/// A folder of its own, gone afterwards.
class ReferenceModel : public testing::Test {
 protected:
  ReferenceModel()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("sluice_reference_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ReferenceModel() override { std::filesystem::remove_all(folder_); }

  std::vector<json> answers(const std::vector<Case>& cases) {
    std::ofstream(folder_ / "driver.py") << driver;
    {
      std::ofstream file(folder_ / "cases");
      for (const Case& one : cases) file << settingsOf(one).dump() << "\n";
    }
    const std::string command = "python3 '" + (folder_ / "driver.py").string() + "' '" + model.string() +
                                "' '" + (folder_ / "cases").string() + "' > '" +
                                (folder_ / "answers").string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::vector<json> lines;
    std::ifstream file(folder_ / "answers");
    for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
    return lines;
  }

 private:
  std::filesystem::path folder_;
};

struct Ours {
  FlatGraph graph;
  SimulationResult result;
};

/// The fixture as a user gets it: imported, elaborated, run on the case's machine.
Ours ours(const Case& one) {
  Result<Document> document = importStepFixture(one.fixture, "case");
  if (!document) throw std::runtime_error(text(document.diagnostics()));
  const BoundMachine& m = one.random.graph.machine;
  const auto number = [](std::uint64_t value) { return Value(static_cast<std::int64_t>(value)); };
  document->machine.on_chip_bandwidth = number(m.on_chip_bandwidth);
  document->machine.hbm_channels = number(m.hbm_channels);
  document->machine.hbm_latency = number(m.hbm_latency);
  document->machine.hbm_initiation_interval = number(m.hbm_initiation_interval);
  document->machine.hbm_start_up = number(m.hbm_start_up);
  document->machine.hbm_controller_wait = number(one.seed % 2);
  const auto workload = makeWorkload(*document, ".");
  if (!workload) throw std::runtime_error(text(workload.diagnostics()));
  const Result<FlatGraph> graph = elaborate((*workload)->document, {}, builtInCatalog());
  if (!graph) throw std::runtime_error(text(graph.diagnostics()));
  SimulationOptions options;
  for (StreamId stream = 0; stream < graph->streams.size(); ++stream) options.capture.push_back(stream);
  return {*graph, simulate(*graph, (*workload)->inputs, options)};
}

/// Whether the model may poll forever.
bool polls(const FlatGraph& graph) {
  return std::any_of(graph.operators.begin(), graph.operators.end(),
                     [](const FlatOperator& op) { return op.spec->kind == "EagerMerge"; });
}

void compare(const Ours& fast, const json& slow) {
  const FlatGraph& graph = fast.graph;
  EXPECT_EQ(fast.result.hbm_requests, slow.at("requests").get<std::uint64_t>());
  const auto clocks = slow.at("clocks").get<std::vector<Cycles>>();
  for (OperatorId op = 0; op < graph.operators.size(); ++op)
    EXPECT_EQ(fast.result.operators[op].finished, clocks.at(op))
        << "end of operator " << op << " " << graph.operators[op].spec->kind;
  for (StreamId id = 0; id < graph.streams.size(); ++id) {
    const FlatStream& stream = graph.streams[id];
    json tokens = json::array();
    for (const CapturedToken& token : fast.result.captured[id]) tokens.push_back({token.arrival, token.stop});
    const std::string key = std::to_string(stream.producer) + "." + std::to_string(stream.producer_port);
    EXPECT_EQ(tokens, slow.at("tokens").at(key)) << stream.name;
  }
}

std::string endOf(const SimulationResult& result) {
  return result.fault ? "fault" : result.deadlock ? "deadlock" : "done";
}

TEST_F(ReferenceModel, EveryOperatorOfRandomGraphsEndsAtTheSameCycle) {
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "no reference model here: " << model;
  if (std::system("python3 --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "no python3 here to run the reference model";
  std::vector<Case> cases;
  std::vector<Ours> results;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Case one{seed, randomReferenceGraph(seed), {}, false};
    one.fixture = stepFixture(one.random, seed);
    results.push_back(ours(one));
    one.polls_forever = results.back().result.deadlock && polls(one.random.graph);
    cases.push_back(std::move(one));
  }
  const std::vector<json> expected = answers(cases);
  ASSERT_EQ(expected.size(), cases.size());
  std::map<std::string, int> ends;
  std::map<std::string, int> kinds;
  for (std::size_t i = 0; i < cases.size() && !HasFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(cases[i].seed) + "\n" + text(cases[i].random.graph) + "\n" +
                 cases[i].fixture + "\nreference: " + expected[i].dump());
    const SimulationResult& result = results[i].result;
    ++ends[endOf(result)];
    ASSERT_EQ(endOf(result), expected[i].at("end").get<std::string>())
        << (result.fault ? result.fault->cause : "");
    if (endOf(result) != "done") continue;
    for (const FlatOperator& op : results[i].graph.operators) ++kinds[op.spec->kind];
    compare(results[i], expected[i]);
  }
  EXPECT_GT(ends["done"], 3000) << "most graphs must run to their end to tell anything";
  EXPECT_GT(ends["deadlock"], 10);
  for (const char* kind :
       {"LinearOffChipLoadRef", "RandomOffChipLoad", "RandomOffChipStore", "LinearOffChipStore", "Partition",
        "Reassemble", "EagerMerge", "Parallelize", "BinaryMapAccum", "Accum", "Reshape", "Expand", "Repeat",
        "FlatMap", "Streamify", "ExpertAddrGen", "CacheReadAddrGen", "FilterLastTile", "Promote"})
    EXPECT_GE(kinds[kind], 20) << kind;
}

}  // namespace
}  // namespace sluice
