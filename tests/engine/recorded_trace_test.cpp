// The recorded run as a Chrome trace and as a value change dump: read back by readers that know only the
// formats, and compared with the timeline at many cycles.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "engine/interchange/chrome_trace.h"
#include "engine/interchange/vcd.h"
#include "engine/operators/simulate.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/random_graphs.h"

namespace sluice::recorded_trace_test {

std::shared_ptr<const Timeline> record(const FlatGraph& graph, const InputSet& inputs) {
  SimulationOptions options;
  options.mode = RecordMode::Timeline;
  return simulate(graph, inputs, options).timeline;
}

/// What a viewer makes of a trace: for each thread its slices, for each counter its values.
struct ChromeReader {
  std::map<int, std::string> threads;
  std::map<int, std::map<std::uint64_t, std::pair<std::uint64_t, std::string>>>
      slices;  ///< begin -> end, name
  std::map<std::string, std::map<std::uint64_t, std::uint64_t>> counters;

  explicit ChromeReader(const std::string& text) {
    const auto trace = nlohmann::json::parse(text);
    for (const auto& event : trace.at("traceEvents")) {
      const std::string phase = event.at("ph");
      if (phase == "M" && event.at("name") == "thread_name") threads[event.at("tid")] = event["args"]["name"];
      if (phase == "X") {
        const std::uint64_t begin = event.at("ts");
        slices[event.at("tid")][begin] = {begin + event.at("dur").get<std::uint64_t>(), event.at("name")};
      }
      if (phase == "C") counters[event.at("name")][event.at("ts")] = event["args"]["tokens"];
    }
  }
  std::string stateAt(int thread, std::uint64_t cycle) const {
    const auto of = slices.find(thread);
    if (of == slices.end()) return "done";
    const auto after = of->second.upper_bound(cycle);
    if (after == of->second.begin()) return "done";
    const auto& [end, name] = std::prev(after)->second;
    return cycle < end ? name : "done";
  }
  std::uint64_t levelAt(const std::string& counter, std::uint64_t cycle) const {
    const auto of = counters.find(counter);
    if (of == counters.end()) return 0;
    const auto after = of->second.upper_bound(cycle);
    return after == of->second.begin() ? 0 : std::prev(after)->second;
  }
};

TEST(ChromeTrace, SaysWhatTheTimelineSays) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomGraph random = randomGraph(seed);
    const auto timeline = record(random.graph, random.inputs);
    if (timeline->end() == 0) continue;
    const ChromeReader read(chromeTrace(random.graph, *timeline));
    std::mt19937_64 dice(seed);
    for (OperatorId id = 0; id < random.graph.operators.size(); ++id) {
      EXPECT_EQ(read.threads.at(static_cast<int>(id)), random.graph.operators[id].name);
      for (int i = 0; i < 20; ++i) {
        const Cycles cycle = dice() % timeline->end();
        ASSERT_EQ(read.stateAt(static_cast<int>(id), cycle), text(timeline->stateAt(id, cycle).state))
            << "seed " << seed << " operator " << id << " cycle " << cycle;
      }
    }
    for (StreamId id = 0; id < random.graph.streams.size(); ++id) {
      for (int i = 0; i < 20; ++i) {
        const Cycles cycle = dice() % timeline->end();
        ASSERT_EQ(read.levelAt(random.graph.streams[id].name, cycle), timeline->occupancyAt(id, cycle))
            << "seed " << seed << " stream " << id << " cycle " << cycle;
      }
    }
  }
}

/// A value change dump as IEEE 1364 has it.
struct VcdReader {
  std::map<std::string, std::string> codes;                               ///< "scope.scope.name" -> code
  std::map<std::string, std::map<std::uint64_t, std::uint64_t>> changes;  ///< by code
  std::uint64_t end = 0;

  explicit VcdReader(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> scopes;
    std::string word;
    while (in >> word && word != "$enddefinitions") {
      if (word == "$scope") {
        in >> word >> word;
        scopes.push_back(word);
      } else if (word == "$upscope") {
        EXPECT_FALSE(scopes.empty());
        scopes.pop_back();
      } else if (word == "$var") {
        std::string type, bits, code, name, path;
        in >> type >> bits >> code >> name;
        for (const std::string& scope : scopes) path += scope + ".";
        EXPECT_TRUE(codes.emplace(path + name, code).second) << path + name << " is declared twice";
      } else if (word == "$comment" || word == "$version") {
        while (in >> word && word != "$end") {
        }
      }
    }
    EXPECT_TRUE(scopes.empty());
    in >> word;
    std::uint64_t time = 0;
    while (in >> word) {
      if (word[0] == '#') {
        const std::uint64_t next = std::stoull(word.substr(1));
        EXPECT_GE(next, time);
        end = time = next;
      } else if (word[0] == 'b') {
        std::string code;
        in >> code;
        changes[code][time] = std::stoull(word.substr(1), nullptr, 2);
      } else {
        changes[word.substr(1)][time] = word[0] == '1' ? 1 : 0;
      }
    }
  }
  std::uint64_t at(const std::string& path, std::uint64_t cycle) const {
    const auto& of = changes.at(codes.at(path));
    const auto after = of.upper_bound(cycle);
    return after == of.begin() ? 0 : std::prev(after)->second;
  }
};

TEST(ValueChangeDump, SaysWhatTheTimelineSays) {
  const auto workload = testing_support::workloadOf(testing_support::chainDocument(3, 60, 2));
  const auto result = evaluate(*workload, {}, RecordMode::Timeline);
  ASSERT_TRUE(result);
  const FlatGraph& graph = result->symbolic.graph;
  const Timeline& timeline = *result->simulation.timeline;
  const VcdReader read(valueChangeDump(graph, timeline));
  EXPECT_EQ(read.end, timeline.end());
  for (Cycles cycle = 0; cycle < timeline.end(); ++cycle) {
    for (OperatorId id = 0; id < graph.operators.size(); ++id) {
      const std::string scope = "operators." + graph.operators[id].name + ".";
      const ProcessState state = timeline.stateAt(id, cycle).state;
      ASSERT_EQ(read.at(scope + "state", cycle), static_cast<std::uint64_t>(state))
          << scope << " at " << cycle;
      EXPECT_EQ(read.at(scope + "running", cycle), state == ProcessState::Running ? 1u : 0u);
      EXPECT_EQ(read.at(scope + "blocked", cycle), state == ProcessState::Blocked ? 1u : 0u);
      EXPECT_EQ(read.at(scope + "starved", cycle), state == ProcessState::Starved ? 1u : 0u);
    }
    for (StreamId id = 0; id < graph.streams.size(); ++id) {
      std::string scope = graph.streams[id].name;
      for (char& c : scope)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
      scope = "streams." + scope + ".";
      const std::uint32_t level = timeline.occupancyAt(id, cycle);
      ASSERT_EQ(read.at(scope + "tokens", cycle), level) << scope << " at " << cycle;
      EXPECT_EQ(read.at(scope + "full", cycle), level == graph.streams[id].depth ? 1u : 0u);
      EXPECT_EQ(read.at(scope + "empty", cycle), level == 0 ? 1u : 0u);
    }
  }
}

TEST(ValueChangeDump, NamesThatComeToTheSameAreToldApart) {
  const auto workload = testing_support::workloadOf(testing_support::chainDocument(3, 10, 2));
  const auto result = evaluate(*workload, {}, RecordMode::Timeline);
  ASSERT_TRUE(result);
  FlatGraph graph = result->symbolic.graph;
  ASSERT_GE(graph.operators.size(), 3u);
  graph.operators[0].name = "expert[1].mm", graph.operators[1].name = "expert_1.mm";
  graph.streams[0].name = "a.b", graph.streams[1].name = "a:b";
  const VcdReader read(valueChangeDump(graph, *result->simulation.timeline));  // which refuses a second one
  for (const char* path : {"operators.expert_1.mm.state", "operators.expert_1.mm_2.state",
                           "streams.a_b.tokens", "streams.a_b_2.tokens"})
    EXPECT_TRUE(read.codes.contains(path)) << path;
}

TEST(ValueChangeDump, RegionsAreScopes) {
  const auto workload = testing_support::sampleWorkload(std::filesystem::path(SLUICE_SOURCE_DIR) /
                                                        "sample_workloads" / "simple_moe.sluice");
  const auto result = evaluate(*workload, defaultKnobs(workload->document), RecordMode::Timeline);
  ASSERT_TRUE(result);
  const VcdReader read(valueChangeDump(result->symbolic.graph, *result->simulation.timeline));
  EXPECT_TRUE(read.codes.contains("operators.expert_0.gate.state"));
  EXPECT_TRUE(read.codes.contains("operators.expert_1.gate.running"));
}

}  // namespace sluice::recorded_trace_test
