// What nothing tells apart: FIFOs that get one depth, and knobs whose values may be exchanged.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/explorer/explore.h"
#include "engine/explorer/search/knob_exchange.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/colour_refinement.h"
#include "engine/schedule/graph_hash.h"
#include "engine/schedule/proposals.h"
#include "engine/schedule/schedule.h"
#include "tests/engine/support/documents.h"

namespace sluice::what_is_alike_test {

using namespace testing_support;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

const std::filesystem::path samples = std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads";

/// A source into three maps, each into a sink of its own: the first two alike, the third twice as fast. The
/// FIFOs into the sinks are as deep as the knobs a, b and c say.
Document fanDocument() {
  Document document;
  document.program.nodes.push_back(
      node("source", "TileGen",
           {{"shape", std::vector<Value>{Value(12)}}, {"tile", std::vector<Value>{Value(16), Value(16)}}}));
  for (const std::string name : {"a", "b", "c"}) {
    const std::int64_t compute = name == "c" ? 512 : 256;
    document.program.nodes.push_back(
        node("map_" + name, "Map", {{"function", Value("silu")}, {"compute_bw", Value(compute)}}));
    document.program.nodes.push_back(node("sink_" + name, "Consumer", {}));
    document.program.streams.push_back(stream("source", "map_" + name));
    document.program.streams.push_back(stream("map_" + name, "sink_" + name));
    document.program.streams.back().depth = Value(name);
    Knob& knob = document.knobs.emplace_back();
    knob.name = name;
    knob.maximum = 4;
  }
  return document;
}

KnobValues at(std::int64_t a, std::int64_t b, std::int64_t c) {
  return {{"a", a}, {"b", b}, {"c", c}};
}

std::map<std::string, std::string> depthsOf(const Document& document) {
  std::map<std::string, std::string> depths;
  for (const Stream& stream : document.program.streams)
    depths[stream.to.node] = stream.depth ? text(*stream.depth) : "";
  return depths;
}

TEST(Symmetry, FifosThatNothingTellsApartGetOneDepth) {
  const std::shared_ptr<const Workload> workload = workloadOf(fanDocument());
  const auto proposals = proposalsFor(workload->document, workload->inputs, at(2, 2, 2));
  ASSERT_TRUE(proposals) << text(proposals.diagnostics());
  std::set<std::string> one, alike;
  for (const Proposal& proposal : proposals->legal) {
    if (proposal.step.transformation != "fifo_depth") continue;
    const bool several = proposal.step.arguments.contains("which");
    (several ? alike : one).insert(*proposal.step.arguments.at("to").string());
  }
  EXPECT_THAT(alike, UnorderedElementsAre("map_a.in", "sink_a.in"));
  EXPECT_THAT(one, UnorderedElementsAre("*", "map_c.in", "sink_c.in"));

  Document document = workload->document;
  document.schedule = {{"fifo_depth", {{"to", "sink_b.in"}, {"depth", 7}, {"which", "alike"}}, true}};
  const auto both = applySchedule(document, {}, at(2, 2, 2));
  ASSERT_TRUE(both) << text(both.diagnostics());
  EXPECT_EQ(depthsOf(both->document).at("sink_a"), "7");
  EXPECT_EQ(depthsOf(both->document).at("sink_b"), "7");
  EXPECT_EQ(depthsOf(both->document).at("sink_c"), "c");
  EXPECT_EQ(depthsOf(both->document).at("map_a"), "");
  document.schedule.front().arguments.erase("which");
  const auto single = applySchedule(document, {}, at(2, 2, 2));
  ASSERT_TRUE(single);
  EXPECT_EQ(depthsOf(single->document).at("sink_a"), "a");
  EXPECT_EQ(depthsOf(single->document).at("sink_b"), "7");
  // Of different depths they are no more alike.
  document.schedule.front().arguments["which"] = "alike";
  const auto parted = applySchedule(document, {}, at(2, 3, 2));
  ASSERT_TRUE(parted);
  EXPECT_EQ(depthsOf(parted->document).at("sink_a"), "a");
}

/// The experts of a layer written out, each with the place of its weights: as those of one region, though no
/// two of their operators are equal.
TEST(Symmetry, ExpertsThatAreWrittenOutAreAlike) {
  Document document = sampleWorkload(samples / "simple_moe.sluice")->document;
  Graph& program = document.program;
  const Node expert = *program.find("expert");
  std::erase_if(program.nodes, [](const Node& each) { return each.name == "expert"; });
  std::vector<Stream> streams;
  std::int64_t count = 2;
  for (std::int64_t e = 0; e < count; ++e) {
    Node& copy = program.nodes.emplace_back(expert);
    copy.name = "expert_" + std::to_string(e);
    copy.body->count = 1;
    for (Node& inside : copy.body->body.nodes)
      if (inside.parameters.contains("tensor_origin"))
        inside.parameters["tensor_origin"] = std::vector<Value>{Value(e * 64), Value(0)};
  }
  for (const Stream& each : program.streams) {
    if (each.from.node != "expert" && each.to.node != "expert") {
      streams.push_back(each);
      continue;
    }
    for (std::int64_t e = 0; e < count; ++e) {
      Stream& copy = streams.emplace_back(each);
      const bool into = each.to.node == "expert";
      (into ? copy.to : copy.from).node = "expert_" + std::to_string(e);
      (into ? copy.from : copy.to).index = Value(e);
    }
  }
  program.streams = std::move(streams);
  const KnobValues knobs = defaultKnobs(document);
  const Result<FlatGraph> graph = elaborate(document, knobs, builtInCatalog());
  ASSERT_TRUE(graph) << text(graph.diagnostics());
  const auto into = [&](Likeness likeness, const std::string& origin) {
    const ColourRefinement colours(*graph, {}, likeness);
    std::vector<ColourRefinement::Colour> found;
    for (const FlatStream& stream : graph->streams)
      if (graph->operators[stream.consumer].origin == origin) found.push_back(colours.streamColour(stream));
    std::ranges::sort(found);
    return found;
  };
  ASSERT_FALSE(into(Likeness::Equal, "expert_0.up").empty());
  EXPECT_EQ(into(Likeness::Exchangeable, "expert_0.up"), into(Likeness::Exchangeable, "expert_1.up"));
  EXPECT_NE(into(Likeness::Exchangeable, "expert_0.up"), into(Likeness::Exchangeable, "expert_0.gate"));
  EXPECT_NE(into(Likeness::Equal, "expert_0.up"), into(Likeness::Equal, "expert_1.up"));
}

TEST(Symmetry, KnobsThatHaveTheSamePartAreExchanged) {
  const std::shared_ptr<const Workload> workload = workloadOf(fanDocument());
  KnobExchange exchange(*workload, workload->document.knobs);
  EXPECT_THAT(exchange.names(), ElementsAre(ElementsAre("a", "b")));
  EXPECT_EQ(exchange.size(), 10u * 4u);
  const Numbering numbering(workload->document.knobs);
  const auto index = [&](const KnobValues& knobs) { return numbering.indexOf(knobs).value(); };
  EXPECT_EQ(exchange.representative(index(at(3, 1, 2))), index(at(1, 3, 2)));
  EXPECT_EQ(exchange.representative(index(at(1, 3, 2))), index(at(1, 3, 2)));
  // One of them has another part as well: the machine's.
  Document other = fanDocument();
  other.machine.hbm_channels = Value("8*a");
  EXPECT_TRUE(KnobExchange(*workloadOf(other), other.knobs).groups().empty());
}

/// A search that meets no point twice by another name finds all there is with the budget of the different
/// ones.
TEST(Symmetry, PointsThatAreTheSameAreEvaluatedOnce) {
  const std::shared_ptr<const Workload> workload = workloadOf(fanDocument());
  ExploreOptions options;
  options.objectives = {"cycles", "fifo_bytes"};
  const auto valuesOf = [&](const Exploration& found) {
    std::set<std::vector<double>> values;
    for (const std::size_t i : found.frontier)
      values.insert({metric(found.points[i], "cycles"), metric(found.points[i], "fifo_bytes")});
    return values;
  };
  const std::unique_ptr<Executor> executor = makeExecutor(2);
  const Result<Exploration> all = explore(*workload, *executor, options);
  ASSERT_TRUE(all) << text(all.diagnostics());
  EXPECT_EQ(all->points.size(), 64u);
  for (const std::string strategy : {"random", "latin-hypercube", "nsga2", "nspso", "motpe", "ehvi"}) {
    SCOPED_TRACE(strategy);
    options.strategy = strategy;
    options.budget = 40;
    const Result<Exploration> found = explore(*workload, *executor, options);
    ASSERT_TRUE(found) << text(found.diagnostics());
    std::set<KnobValues> seen;
    for (const DesignPoint& point : found->points) {
      KnobValues mirrored = point.knobs;
      std::swap(mirrored.at("a"), mirrored.at("b"));
      EXPECT_TRUE(mirrored == point.knobs || !seen.contains(mirrored));
      seen.insert(point.knobs);
    }
    if (strategy == "random" || strategy == "motpe" || strategy == "ehvi") {
      EXPECT_EQ(found->points.size(), 40u);
      EXPECT_EQ(valuesOf(*found), valuesOf(*all));
    }
  }
}

}  // namespace sluice::what_is_alike_test
