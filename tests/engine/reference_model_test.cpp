// The simulator against the executable reference model on random small graphs, written as fixtures and
// imported: every token must arrive at the same cycle with the same stop, every operator end at the same
// cycle. What the model answered on 700 of them is recorded (tests/data/step); with the model beside the
// checkout it is asked about thousands more.
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
#include "tests/engine/support/temporary_folder.h"

namespace sluice::reference_model_test {

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

constexpr std::uint64_t recorded_seeds = 700, all_seeds = 5000;

/// A line of the recording, or of what the driver is asked: seed, fixture ("graph") and machine, and, once
/// it is known, the model's "answer".
using Case = json;

/// The runs that are recorded.
std::vector<Case> recordedCases() {
  std::vector<Case> cases;
  std::ifstream file(std::filesystem::path(SLUICE_BINARY_DIR) / "model_runs" / "runs.jsonl");
  for (std::string line; std::getline(file, line);) cases.push_back(json::parse(line));
  return cases;
}

Case caseOf(std::uint64_t seed) {
  const RandomGraph random = randomReferenceGraph(seed);
  const BoundMachine& m = random.graph.machine;
  return {{"seed", seed},
          {"graph", json::parse(stepFixture(random, seed))},
          {"pmu", m.on_chip_bandwidth},
          {"controller_wait", seed % 2},
          {"hbm", {m.hbm_channels, m.hbm_latency, m.hbm_initiation_interval, m.hbm_start_up}}};
}

class ReferenceModel : public testing_support::FolderTest {
 protected:
  /// Asks the model, and notes its answers.
  void answer(std::vector<Case>& cases) {
    std::ofstream(folder_ / "driver.py") << driver;
    {
      std::ofstream file(folder_ / "cases");
      for (const Case& one : cases) file << one.dump() << "\n";
    }
    const std::string command = "python3 '" + (folder_ / "driver.py").string() + "' '" + model.string() +
                                "' '" + (folder_ / "cases").string() + "' > '" +
                                (folder_ / "answers").string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    std::ifstream file(folder_ / "answers");
    std::string line;
    for (Case& one : cases) {
      ASSERT_TRUE(std::getline(file, line)) << "no answer to seed " << one.at("seed");
      one["answer"] = json::parse(line);
    }
  }
};

struct Ours {
  FlatGraph graph;
  SimulationResult result;
};

/// The fixture as a user gets it: imported, elaborated, run on the case's machine.
Ours ours(const Case& one) {
  Result<Document> document = importStepFixture(one.at("graph").dump(), "case");
  if (!document) throw std::runtime_error(text(document.diagnostics()));
  const auto number = [](const json& value) { return Value(value.get<std::int64_t>()); };
  const json& hbm = one.at("hbm");
  document->machine.on_chip_bandwidth = number(one.at("pmu"));
  document->machine.hbm_channels = number(hbm.at(0));
  document->machine.hbm_latency = number(hbm.at(1));
  document->machine.hbm_initiation_interval = number(hbm.at(2));
  document->machine.hbm_start_up = number(hbm.at(3));
  document->machine.hbm_controller_wait = number(one.at("controller_wait"));
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

struct Seen {
  std::map<std::string, int> ends;
  std::map<std::string, int> kinds;  ///< operators of the graphs that ran to their end
};

void compare(const Case& one, Seen& seen) {
  const Ours fast = ours(one);
  const json& slow = one.at("answer");
  SCOPED_TRACE("seed " + one.at("seed").dump() + "\n" + text(fast.graph) + "\n" + one.at("graph").dump() +
               "\nreference: " + slow.dump());
  const SimulationResult& result = fast.result;
  ++seen.ends[endOf(result)];
  ASSERT_EQ(endOf(result), slow.at("end").get<std::string>()) << (result.fault ? result.fault->cause : "");
  if (endOf(result) != "done") return;
  for (const FlatOperator& op : fast.graph.operators) ++seen.kinds[op.spec->kind];
  compare(fast, slow);
}

TEST_F(ReferenceModel, EveryOperatorOfRandomGraphsEndsAtTheSameCycle) {
  std::vector<Case> cases = recordedCases();
  ASSERT_EQ(cases.size(), recorded_seeds);
  if (std::filesystem::exists(model) && std::system("python3 --version > /dev/null 2>&1") == 0) {
    std::vector<Case> more;
    for (std::uint64_t seed = recorded_seeds; seed < all_seeds; ++seed) {
      more.push_back(caseOf(seed));
      const Ours fast = ours(more.back());
      more.back()["seconds"] = fast.result.deadlock && polls(fast.graph) ? 0.15 : 10;
    }
    ASSERT_NO_FATAL_FAILURE(answer(more));
    cases.insert(cases.end(), more.begin(), more.end());
  }
  Seen seen;
  for (std::size_t i = 0; i < cases.size() && !HasFailure(); ++i) compare(cases[i], seen);
  EXPECT_GT(seen.ends["done"], static_cast<int>(cases.size() * 3 / 5))
      << "most graphs must run to their end to tell anything";
  EXPECT_GT(seen.ends["deadlock"], 10);
  for (const char* kind :
       {"LinearOffChipLoadRef", "RandomOffChipLoad", "RandomOffChipStore", "LinearOffChipStore", "Partition",
        "Reassemble", "EagerMerge", "Parallelize", "BinaryMapAccum", "Accum", "Reshape", "Expand", "Repeat",
        "FlatMap", "Streamify", "ExpertAddrGen", "CacheReadAddrGen", "FilterLastTile", "Promote"})
    EXPECT_GE(seen.kinds[kind], 20) << kind;
}

}  // namespace sluice::reference_model_test
