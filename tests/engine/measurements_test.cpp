// Measurements read back: our own recordings give the run's own numbers; files of other tools, written by
// hand after their formats, give the numbers that are in them; and what is damaged or about something else is
// refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "engine/interchange/chrome_trace.h"
#include "engine/interchange/vcd.h"
#include "engine/measurements/measured_comparison.h"
#include "engine/measurements/measured_timeline.h"
#include "engine/measurements/registry.h"
#include "engine/operators/simulate.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/random_graphs.h"

namespace sluice::measurements_test {

using namespace testing_support;
using testing::ElementsAre;
using testing::HasSubstr;
using enum Activity;

const std::string samples = SLUICE_SOURCE_DIR "/sample_workloads/";

Result<Measurement> readText(const std::string& text, const ReadOptions& options = {}) {
  const MeasurementFormat* format = formatOf(text);
  if (!format) return error("wrong-format", "the text", "nobody knows it", "none");
  std::istringstream in(text);
  return format->read(in, "file", options);
}

MeasuredRun runIn(const std::string& text, const ReadOptions& options = {}) {
  const Result<Measurement> read = readText(text, options);
  EXPECT_TRUE(read) << sluice::text(read.diagnostics());
  return read ? read->runs.at(0) : MeasuredRun{};
}

std::string codeOf(const Result<Measurement>& read) {
  return read ? "accepted" : read.diagnostics().front().code;
}

PointResult recorded(const Workload& workload, const KnobValues& knobs) {
  Result<PointResult> result = evaluate(workload, knobs, RecordMode::Timeline);
  EXPECT_TRUE(result) << text(result.diagnostics());
  return *std::move(result);
}

/// What the file says of an operator is what the run says, cycle by cycle.
void expectTheRun(const FlatGraph& graph, const SimulationResult& run, const MeasuredRun& read) {
  EXPECT_EQ(read.cycles, static_cast<double>(run.cycles));
  const Result<Matching> matching = match(graph, read);
  ASSERT_TRUE(matching) << text(matching.diagnostics());
  EXPECT_TRUE(matching->unknown.empty());
  std::vector<bool> found(graph.operators.size());
  for (const Matched<OperatorId>& each : matching->operators) {
    ASSERT_EQ(each.ids.size(), 1u);
    const OperatorId id = each.ids.front();
    EXPECT_FALSE(found[id]) << graph.operators[id].name << " is found twice";
    found[id] = true;
    const ActivityCycles ours = modelCycles(run, id);
    for (const Activity activity : {Compute, Token, Slot, Memory})
      EXPECT_EQ(read.operators[each.measured].cycles[activity].value_or(0), *ours[activity])
          << graph.operators[id].name << " " << text(activity);
  }
  for (OperatorId id = 0; id < graph.operators.size(); ++id)
    EXPECT_TRUE(found[id] || modelCycles(run, id).sum() == 0) << graph.operators[id].name;
  for (const Matched<StreamId>& each : matching->streams) {
    double most = 0;
    for (const auto& sample : run.timeline->streams()[each.ids.front()].series().samples)
      most = std::max<double>(most, sample.last);
    EXPECT_EQ(read.streams[each.measured].most, most) << graph.streams[each.ids.front()].name;
  }
}

TEST(Measurements, OurOwnRecordingsGiveTheRunsOwnNumbers) {
  std::size_t checked = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const RandomGraph random = seed % 4 == 3 ? randomMemoryGraph(seed) : randomGraph(seed);
    SimulationOptions options;
    options.mode = RecordMode::Timeline;
    const SimulationResult run = simulate(random.graph, random.inputs, options);
    if (!run.timeline || run.timeline->end() == 0 || run.deadlock || run.fault) continue;
    expectTheRun(random.graph, run, runIn(valueChangeDump(random.graph, *run.timeline)));
    expectTheRun(random.graph, run, runIn(chromeTrace(random.graph, *run.timeline)));
    ++checked;
  }
  EXPECT_GT(checked, 10u);
}

/// A recording of ours read back over time is the run's own timeline, at every cycle.
TEST(Measurements, ComeBackOverTime) {
  std::size_t checked = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    const RandomGraph random = seed % 4 == 3 ? randomMemoryGraph(seed) : randomGraph(seed);
    SimulationOptions options;
    options.mode = RecordMode::Timeline;
    const SimulationResult result = simulate(random.graph, random.inputs, options);
    if (!result.timeline || result.timeline->end() == 0 || result.deadlock || result.fault) continue;
    const Timeline& run = *result.timeline;
    for (const std::string& text : {valueChangeDump(random.graph, run), chromeTrace(random.graph, run)}) {
      const MeasuredRun read = runIn(text, {.over_time = true});
      const Result<Matching> matching = match(random.graph, read);
      ASSERT_TRUE(matching);
      const auto over_time = measuredTimeline(random.graph, read, *matching);
      ASSERT_TRUE(over_time);
      EXPECT_EQ(over_time->end(), run.end());
      for (Cycles cycle = 0; cycle < run.end(); ++cycle) {
        for (OperatorId id = 0; id < random.graph.operators.size(); ++id) {
          ProcessState was = run.stateAt(id, cycle).state;
          if (was == ProcessState::Unit) was = ProcessState::Memory;  // a file's memory is either
          ASSERT_EQ(over_time->stateAt(id, cycle).state, was)
              << random.graph.operators[id].name << " at " << cycle;
        }
        for (StreamId id = 0; id < random.graph.streams.size(); ++id)
          ASSERT_EQ(over_time->occupancyAt(id, cycle), run.occupancyAt(id, cycle))
              << random.graph.streams[id].name << " at " << cycle;
      }
      EXPECT_FALSE(measuredTimeline(random.graph, runIn(text), *matching)) << "nobody asked for it";
    }
    ++checked;
  }
  EXPECT_GT(checked, 3u);
}

/// Hardware that is neither at work nor said to wait waits for a token; what was not measured is empty.
TEST(Measurements, IdleHardwareIsDrawnAsWaiting) {
  const auto workload = sampleWorkload(samples + "swiglu.sluice");
  const FlatGraph graph = recorded(*workload, defaultKnobs(workload->document)).symbolic.graph;
  const MeasuredRun read = runIn(
      R"([{"ph":"X","name":"gate","ts":10,"dur":5,"pid":1,"tid":1},{"ph":"X","name":"gate","ts":20,"dur":2,"pid":1,"tid":1},
          {"ph":"X","name":"up","ts":0,"dur":40,"pid":1,"tid":2}])",
      {.over_time = true});
  const Result<Matching> matching = match(graph, read);
  ASSERT_TRUE(matching);
  const auto over_time = measuredTimeline(graph, read, *matching);
  ASSERT_TRUE(over_time);
  const auto id = static_cast<OperatorId>(std::ranges::find(graph.operators, "gate", &FlatOperator::name) -
                                          graph.operators.begin());
  std::string states;
  for (const Cycles cycle : {0, 9, 10, 14, 15, 19, 20, 21, 22, 39})
    states += text(over_time->stateAt(id, cycle).state)[0];
  EXPECT_EQ(states, "ssrrssrrdd");
  EXPECT_EQ(over_time->stateAt(id == 0 ? 1 : 0, 5).state, ProcessState::Done);
}

/// Verilator's dump of a counter: a design of somebody else, with a clock and a count of cycles.
TEST(Measurements, ADesignOfSomebodyElseIsDoubted) {
  const MeasuredRun run = runIn(R"($version Generated by VerilatedVcd $end
$timescale 1ps $end
 $scope module TOP $end
  $scope module top $end
   $var wire  1 # clk $end
   $var wire 48 $ now [47:0] $end
  $upscope $end
 $upscope $end
$enddefinitions $end
#0
0#
b0 $
#1
1#
b1 $
#2
0#
)");
  const auto workload = sampleWorkload(samples + "swiglu.sluice");
  const FlatGraph graph = recorded(*workload, defaultKnobs(workload->document)).symbolic.graph;
  const Result<Matching> matching = match(graph, run);
  ASSERT_TRUE(matching);
  const auto doubt = likelyMismatch(*matching, run);
  ASSERT_TRUE(doubt);
  EXPECT_THAT(doubt->cause, HasSubstr("no signal in it belongs to an operator or a stream"));
  MeasuredRun table;  // a row of a table of runs has nothing but cycles
  table.cycles = 5;
  EXPECT_FALSE(likelyMismatch(*match(graph, table), table));
}

/// Chrome does not close the list; an event that is cut off is reported.
TEST(Measurements, ListsOfEventsNeedNoEnd) {
  const std::string events =
      R"([{"ph":"X","name":"gate","ts":0,"dur":4,"pid":1,"tid":1},
{"ph":"X","name":"up","ts":4,"dur":2,"pid":1,"tid":1})";
  for (const char* end : {"", ",", ",\n", "\n", "]"}) {
    SCOPED_TRACE(end);
    EXPECT_EQ(runIn(events + end).operators.size(), 2u);
  }
  for (std::size_t cut = events.find(",\n") + 3; cut < events.size(); cut += 5)
    EXPECT_EQ(codeOf(readText(events.substr(0, cut))), "json-syntax") << cut;
}

/// Waits at two ports of an operator are one wait while both hold; what it does not wait, it computes.
TEST(Measurements, WaitsOfRtlAreJoined) {
  const MeasuredRun run = runIn(R"($timescale 1ns $end
$scope module top_run $end
$var wire 48 n now [47:0] $end
$scope module add $end
$var wire 1 i ap_idle $end
$var wire 1 a waits_token_in1 $end
$var wire 1 b waits_token_in2 $end
$var wire 1 c waits_room_out $end
$var wire 1 d waits_memory_memory $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
b0 n
0i 1a 1b 0c 0d
#1
b11 n
0a
#2
b101 n
0b
#3
b1000 n
1c
#4
b1010 n
0c 1d
#5
b1011 n
1i 0d
#6
b1111 n
)");
  EXPECT_EQ(run.cycles, 15);
  ASSERT_EQ(run.operators.size(), 1u);
  const ActivityCycles& cycles = run.operators[0].cycles;
  EXPECT_EQ(cycles[Token], 5);
  EXPECT_EQ(cycles[Slot], 2);
  EXPECT_EQ(cycles[Memory], 1);
  EXPECT_EQ(cycles[Compute], 3) << "11 cycles at work, 8 of them waiting";
  EXPECT_EQ(run.operators[0].finished, 11);
}

TEST(Measurements, RegionsAndInferredBroadcastsComeBack) {
  const auto workload = sampleWorkload(samples + "simple_moe.sluice");
  const PointResult model = recorded(*workload, defaultKnobs(workload->document));
  const FlatGraph& graph = model.symbolic.graph;
  expectTheRun(graph, model.simulation, runIn(valueChangeDump(graph, *model.simulation.timeline)));
  expectTheRun(graph, model.simulation, runIn(chromeTrace(graph, *model.simulation.timeline)));
}

TEST(Measurements, AnAlteredMachineShowsInItsParts) {
  const auto workload = sampleWorkload(samples + "swiglu.sluice");
  const KnobValues knobs = defaultKnobs(workload->document);
  Workload other = *workload;
  other.document.machine.hbm_latency = 60;
  const PointResult model = recorded(*workload, knobs), device = recorded(other, knobs);
  const Result<ModelErrors> errors =
      modelErrors(model, runIn(valueChangeDump(device.symbolic.graph, *device.simulation.timeline)));
  ASSERT_TRUE(errors);
  EXPECT_EQ(errors->cycles.measured, static_cast<double>(device.simulation.cycles));
  EXPECT_LT(*errors->cycles.error(), 0);
  EXPECT_LT(*errors->of[static_cast<std::size_t>(Memory)].difference(), 0);
  EXPECT_EQ(errors->of[static_cast<std::size_t>(Compute)].difference(), 0);
  for (std::size_t i = 1; i < errors->operators.size(); ++i)
    EXPECT_GE(errors->operators[i - 1].distance(), errors->operators[i].distance());
  EXPECT_THAT(errorsCsv(*errors), HasSubstr("\r\ngate,BinaryMapAccum,1,name,compute,"));
}

/// A clock of two units, reset for two edges; a stream that moves two tokens, waits one edge for its reader
/// and one for its writer; an operator that is busy for three edges.
const std::string hardware = R"($date today $end
$timescale 1ns $end
$scope module top $end
$var wire 1 ! clk $end
$var wire 1 " rst_n $end
$scope module u_gate $end
$var wire 1 # busy $end
$var wire 1 $ stall_out $end
$upscope $end
$scope module link $end
$var wire 1 % valid $end
$var wire 1 & ready $end
$var wire 4 ' count [3:0] $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
$dumpvars 0! 0" x# 0$ 0% 1& b0 ' $end
#1
1!
#2
0!
#3
1!
1"
#4
0!
1#
#5
1!
1%
b10 '
#6
0!
#7
1!
#8
0!
#9
1!
0&
#10
0!
#11
1!
1&
0#
1$
b1 '
#12
0!
0%
#13
1!
0$
#14
0!
)";

TEST(Measurements, CyclesOfHardwareAreEdgesOutsideOfReset) {
  const MeasuredRun run = runIn(hardware);
  EXPECT_EQ(run.cycles, 5);  // those at 5, 7, 9, 11 and 13; reset ends at the edge at 3
  ASSERT_EQ(run.operators.size(), 1u);
  EXPECT_EQ(run.operators[0].names.front(), "top.u_gate");
  EXPECT_EQ(run.operators[0].cycles[Compute], 4);
  EXPECT_EQ(run.operators[0].cycles[Slot], 1);
  EXPECT_EQ(run.operators[0].finished, 5);
  ASSERT_EQ(run.streams.size(), 1u);
  EXPECT_EQ(run.streams[0].tokens, 2);    // sampled at 7 and 9: valid has risen at 5, ready falls at 9
  EXPECT_EQ(run.streams[0].no_slot, 1);   // at 11
  EXPECT_EQ(run.streams[0].no_token, 2);  // at 5, before valid; at 13, after it
  EXPECT_EQ(run.streams[0].most, 2);
}

TEST(Measurements, AGivenClockTurnsTimesIntoCycles) {
  EXPECT_DOUBLE_EQ(*runIn(hardware, {.clock_mhz = 2000}).cycles, 28);
}

/// A dump that Icarus Verilog wrote (tests/data/measurements/two_stages.v): unknown values, real numbers,
/// scopes of blocks, signals that share a code. The design counts 33 cycles, and prints that in 12 of them
/// the gate is busy, in 20 up.
TEST(Measurements, ADumpOfIcarusVerilog) {
  const Result<Measurement> read =
      readMeasurement(SLUICE_SOURCE_DIR "/tests/data/measurements/two_stages.vcd");
  ASSERT_TRUE(read) << text(read.diagnostics());
  const MeasuredRun& run = read->runs.at(0);
  EXPECT_FALSE(run.of_model);
  EXPECT_EQ(run.cycles, 33);
  ASSERT_EQ(run.operators.size(), 2u);
  EXPECT_EQ(run.operators[0].names.front(), "testbench.gate");
  EXPECT_EQ(run.operators[0].cycles[Compute], 12);
  EXPECT_EQ(run.operators[1].cycles[Compute], 20);
  std::map<std::string, double> tokens;
  for (const MeasuredStream& stream : run.streams) tokens[stream.names.front()] = stream.tokens.value_or(-1);
  EXPECT_EQ(tokens["testbench.link"], 4);
  EXPECT_EQ(tokens["testbench.source"], 4);
  EXPECT_EQ(tokens["testbench.up.out"], 4);
}

TEST(Measurements, TraceEventsOfOtherTools) {
  const MeasuredRun run = runIn(R"([
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 7, "args": {"name": "gate"}},
    {"ph": "X", "name": "whatever", "pid": 1, "tid": 7, "ts": 10, "dur": 4.5, "args": {"deep": {"name": [1]}}},
    {"ph": "B", "name": "up", "pid": 1, "tid": 8, "ts": 12},
    {"ph": "B", "name": "stall_in", "pid": 1, "tid": 8, "ts": 13},
    {"ph": "E", "pid": 1, "tid": 8, "ts": 15},
    {"ph": "E", "pid": 1, "tid": 8, "ts": 20},
    {"ph": "C", "name": "a -> b", "pid": 1, "ts": 11, "args": {"tokens": 3}},
    {"ph": "i", "name": "mark", "ts": 999}])",
                                {.clock_mhz = 100});
  EXPECT_EQ(run.cycles, 1000);  // 10 us at 100 MHz
  ASSERT_EQ(run.operators.size(), 3u);
  EXPECT_THAT(run.operators[0].names, ElementsAre("whatever", "gate.whatever", "gate"));
  EXPECT_EQ(run.operators[0].cycles[Compute], 450);
  EXPECT_EQ(run.operators[1].cycles[Token], 200);
  EXPECT_EQ(run.operators[2].cycles[Compute], 800);
  EXPECT_EQ(run.streams.at(0).most, 3);
}

TEST(Measurements, TablesOfOperators) {
  const MeasuredRun run = runIn(
      "# made by hand\noperator,cycles,token,slot,memory,tokens\n*,900,,,,\ngate,100,20,5,,\na.out -> "
      "b.in,,,,,12\n");
  EXPECT_EQ(run.cycles, 900);
  ASSERT_EQ(run.operators.size(), 1u);
  EXPECT_EQ(run.operators[0].cycles[Compute], 75);
  EXPECT_FALSE(run.operators[0].cycles[Memory]);
  EXPECT_EQ(run.streams.at(0).tokens, 12);
  EXPECT_EQ(runIn("kernel,cycles\r\ngate,100\r\n").operators.at(0).total, 100);
}

TEST(Measurements, ProfilesOfVitis) {
  const std::string summary =
      "Profile Summary\n\nCompute Unit Utilization\nDevice,Compute Unit,Kernel,Number Of Calls,Total Time "
      "(ms),"
      "Minimum Time (ms),Clock Frequency "
      "(MHz),\nu55c-0,gate_1,gate,1,0.5,0.5,300,\nu55c-0,up_1,up,1,0.25,0.25,300,\n"
      "\nCompute Units: Stall Information\nCompute Unit,Execution Count,Running Time (ms),Intra-Kernel "
      "Dataflow Stalls "
      "(ms),External Memory Stalls (ms),External Stream Stalls (ms),\ngate_1,1,0.5,0.1,0.2,0.05,\n\nTop Data "
      "Transfer\n"
      "Compute Unit,Kernel\nxx,1\n";
  const MeasuredRun run = runIn(summary);
  ASSERT_EQ(run.operators.size(), 2u);
  EXPECT_NEAR(*run.operators[0].cycles[Memory], 60000, 1e-6);
  EXPECT_NEAR(*run.operators[0].cycles[Stream], 45000, 1e-6);
  EXPECT_NEAR(*run.operators[0].cycles[Compute], 45000, 1e-6);
  EXPECT_NEAR(*run.operators[1].total, 75000, 1e-6);
  EXPECT_NEAR(*run.cycles, 150000, 1e-6);
  const std::string emulation =
      "Compute Units: Running Time and Stalls\nCompute Unit, Running Time (us), Intra-Kernel Dataflow Stalls "
      "(%), "
      "External Memory Stalls (%), External Stream Stalls "
      "(%)\ngate_1,100.000,10.000,25.000,0.000\n\nFunctions: Running "
      "Time and Stalls\n";
  EXPECT_EQ(codeOf(readText(emulation)), "missing-data");  // without a clock
  const MeasuredRun emulated = runIn(emulation, {.clock_mhz = 300});
  EXPECT_NEAR(*emulated.operators.at(0).cycles[Memory], 7500, 1e-6);
  EXPECT_NEAR(*emulated.operators.at(0).cycles[Stream], 3000, 1e-6);
}

TEST(Measurements, WhatIsDamagedIsRefused) {
  const auto workload = workloadOf(chainDocument(2, 6, 2));
  const PointResult model = recorded(*workload, {});
  const std::string dump = valueChangeDump(model.symbolic.graph, *model.simulation.timeline);
  const std::string trace = chromeTrace(model.symbolic.graph, *model.simulation.timeline);
  for (std::size_t cut = 20; cut < dump.size() - 1; cut += 37)
    if (dump[cut - 1] != '\n') {
      EXPECT_EQ(codeOf(readText(dump.substr(0, cut))), "text-syntax") << cut;
    }
  for (std::size_t cut = trace.find("traceEvents") + 20; cut < trace.size() - 4; cut += 37)
    EXPECT_EQ(codeOf(readText(trace.substr(0, cut))), "json-syntax") << cut;
  EXPECT_EQ(codeOf(readText("$date $end $enddefinitions $end #5\n#4\n")), "text-syntax");
  EXPECT_EQ(codeOf(readText("$date $end $enddefinitions $end #5\n" + std::string(70000, '1') + "\n")),
            "file-too-large");
  EXPECT_EQ(codeOf(readText("[{\"ph\": \"" + std::string(70000, 'X') + "\"}]")), "file-too-large");
  EXPECT_EQ(codeOf(readText("[{\"ph\": \"E\", \"ts\": 1, \"tid\": 1}]")), "text-syntax");
  EXPECT_EQ(codeOf(readText("[{\"ph\": \"X\"}]")), "text-syntax");
  EXPECT_EQ(codeOf(readText("operator,cycles\ngate,many\n")), "csv-syntax");
  EXPECT_EQ(codeOf(readText("operator,cycles\ngate,-5\n")), "csv-syntax");
  EXPECT_EQ(codeOf(readText("operator,cycles,token\ngate,5,6\n")), "csv-syntax");
  EXPECT_EQ(codeOf(readText("operator,cycles\ngate,1,2,3\n")), "csv-syntax");
  EXPECT_EQ(codeOf(readText("operator,price\ngate,5\n")), "csv-syntax");
  EXPECT_EQ(codeOf(readText("tile,time\n5,7\n")), "csv-syntax");
  const auto fixOf = [](const std::string& table) { return readText(table).diagnostics().front().fix; };
  EXPECT_EQ(fixOf("tile,time\n5,7\n"),
            "give --cycles-column with the name of the column that has them: one of tile, time");
  EXPECT_EQ(fixOf("\xEF\xBB\xBFtile, Cycles\r\n5,7\r\n"), "give --cycles-column 'Cycles'");
  EXPECT_EQ(fixOf("tile;cycles\n5;7\n"), "separate the columns by commas");
  EXPECT_EQ(codeOf(readText("\x7f"
                            "ELF and nothing else")),
            "wrong-format");
}

/// Few bytes of a file may name much: what is held of it has bounds of its own.
TEST(Measurements, HoldsNoMoreThanItsBounds) {
  const std::string path = "$date $end\n$scope module " + std::string(60'000, 'a') + " $end\n";
  std::string dump = path;
  for (int i = 0; i < 5000; ++i)
    dump += "$scope module s" + std::to_string(i) + " $end $var wire 1 ! running $end $upscope $end\n";
  EXPECT_EQ(codeOf(readText(dump + "$enddefinitions $end #5\n")), "file-too-large");
  EXPECT_EQ(codeOf(readText(path + path.substr(11) + "$enddefinitions $end #5\n")), "file-too-large");
  std::string events = "[";
  for (int i = 0; i < 5; ++i) events += R"({"ph": "B", "ts": 1, "name": "gate", "tid": 1},)";
  EXPECT_TRUE(readText(events + R"({"ph": "E", "ts": 2, "tid": 1}])")) << "events that nobody ended";
  const std::string row = std::string(999'999, ',') + "\n";
  EXPECT_EQ(codeOf(readText("operator,cycles\n" + row + row + row + row + row)), "file-too-large");
}

FlatGraph moeGraph() {
  const auto workload = sampleWorkload(samples + "simple_moe.sluice");
  return recorded(*workload, defaultKnobs(workload->document)).symbolic.graph;
}

MeasuredRun withOperators(const std::vector<std::string>& names) {
  MeasuredRun run;
  run.place = Location(Where::File, "run.csv");
  for (const std::string& name : names) run.operators.push_back({{name}, {}, 1.0, {}, {}});
  return run;
}

TEST(Measurements, AreMatchedByNamePlaceAndOrder) {
  const FlatGraph graph = moeGraph();
  // An operator of a region with more than one instance.
  const FlatOperator* inside = nullptr;
  std::size_t instances = 0;
  for (const FlatOperator& op : graph.operators) {
    if (op.inferred || op.name.find('[') == std::string::npos) continue;
    inside = &op;
    instances =
        static_cast<std::size_t>(std::ranges::count_if(graph.operators, [&](const FlatOperator& each) {
          return !each.inferred && each.origin == op.origin;
        }));
    break;
  }
  ASSERT_TRUE(inside);
  ASSERT_GE(instances, 2u);
  const auto only = [&](const std::vector<std::string>& names) {
    return *match(graph, withOperators(names));
  };
  const Matching by_name = only({"TOP.bench.dut/" + plainName(inside->name)});
  ASSERT_EQ(by_name.operators.size(), 1u);
  EXPECT_EQ(by_name.operators[0].by, MatchedBy::Name);
  EXPECT_EQ(graph.operators[by_name.operators[0].ids[0]].name, inside->name);
  const Matching by_place = only({inside->origin, "nonsense"});
  ASSERT_EQ(by_place.operators.size(), 1u);
  EXPECT_EQ(by_place.operators[0].by, MatchedBy::Place);
  EXPECT_EQ(by_place.operators[0].ids.size(), instances);
  EXPECT_THAT(by_place.unknown, ElementsAre("nonsense"));
  std::vector<std::string> numbered;
  for (std::size_t i = instances; i-- > 0;)
    numbered.push_back("dut." + plainName(inside->origin) + "_" + std::to_string(100 + i));
  const Matching by_order = only(numbered);
  ASSERT_EQ(by_order.operators.size(), instances);
  for (const auto& each : by_order.operators) EXPECT_EQ(each.by, MatchedBy::Order);
  EXPECT_GT(by_order.operators.front().ids.front(), by_order.operators.back().ids.front());
  const Result<Matching> nothing = match(graph, withOperators({"alpha", "beta"}));
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.diagnostics().front().code, "measurement-mismatch");
}

TEST(Measurements, StreamsAreMatchedByTheirTokens) {
  const auto workload = sampleWorkload(samples + "swiglu.sluice");
  const PointResult model = recorded(*workload, defaultKnobs(workload->document));
  std::map<std::uint64_t, std::vector<StreamId>> counts;
  std::vector<std::uint64_t> tokens;
  for (const StreamStats& stream : model.simulation.streams) {
    counts[stream.tokens].push_back(static_cast<StreamId>(tokens.size()));
    tokens.push_back(stream.tokens);
  }
  MeasuredRun run = withOperators({"gate"});
  std::size_t alone = 0;
  for (const auto& [count, ids] : counts) {
    run.streams.push_back({{"wire" + std::to_string(count)}, static_cast<double>(count), {}, {}, {}, {}});
    if (ids.size() == 1) ++alone;
  }
  ASSERT_GE(alone, 1u);
  const Result<Matching> matching = match(model.symbolic.graph, run, tokens);
  ASSERT_TRUE(matching);
  EXPECT_EQ(matching->streams.size(), alone);
  EXPECT_EQ(matching->unknown.size(), counts.size() - alone);
}

}  // namespace sluice::measurements_test
