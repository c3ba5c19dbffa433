// Elaboration: what a document means as a flat graph, and what is said of documents that mean nothing.

#include "engine/program/elaborate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/program/file_format.h"
#include "tests/engine/program_catalog.h"
#include "tests/engine/support/growth.h"

namespace sluice::program_elaborate_test {

FlatGraph elaborated(const Document& document, const KnobValues& knobs = {}) {
  Result<FlatGraph> graph = elaborate(document, knobs, test::programCatalog());
  EXPECT_TRUE(graph) << text(graph.diagnostics());
  return graph ? *graph : FlatGraph{};
}

std::vector<std::string> operatorNames(const FlatGraph& graph) {
  std::vector<std::string> names;
  for (const FlatOperator& op : graph.operators) names.push_back(op.name);
  return names;
}

std::vector<std::string> streamNames(const FlatGraph& graph) {
  std::vector<std::string> names;
  for (const FlatStream& stream : graph.streams)
    names.push_back(stream.name + " x" + std::to_string(stream.depth) + " " + stream.origin);
  std::sort(names.begin(), names.end());
  return names;
}

using Names = std::vector<std::string>;

/// Every end is connected, and both ends of a stream agree.
void expectWhole(const FlatGraph& graph) {
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    const FlatOperator& op = graph.operators[id];
    for (std::size_t port = 0; port < op.inputs.size(); ++port) {
      ASSERT_LT(op.inputs[port], graph.streams.size()) << op.name;
      EXPECT_EQ(graph.streams[op.inputs[port]].consumer, id);
      EXPECT_EQ(graph.streams[op.inputs[port]].consumer_port, port);
    }
    for (std::size_t port = 0; port < op.outputs.size(); ++port) {
      ASSERT_LT(op.outputs[port], graph.streams.size()) << op.name;
      EXPECT_EQ(graph.streams[op.outputs[port]].producer, id);
      EXPECT_EQ(graph.streams[op.outputs[port]].producer_port, port);
    }
    for (const ParameterSpec& parameter : op.spec->parameters)
      EXPECT_TRUE(op.parameters.values().contains(parameter.name)) << op.name << " " << parameter.name;
  }
  for (const FlatStream& stream : graph.streams) EXPECT_GE(stream.depth, 1u) << stream.name;
}

const char* const map = R"("kind": "Map", "parameters": {"function": "exp"})";

TEST(ProgramElaborate, ConnectsAPlainChain) {
  const FlatGraph graph = elaborated(test::programOf(
      R"({"name": "a", "kind": "Source"}, {"name": "m", "kind": "Map", "parameters": {"function": "silu"}}, {"name": "c", "kind": "Consumer"})",
      R"({"from": "a.out", "to": "m.in", "depth": 7}, {"from": "m.out", "to": "c.in"})"));
  EXPECT_EQ(operatorNames(graph), (Names{"a", "m", "c"}));
  EXPECT_EQ(streamNames(graph), (Names{"a.out -> m.in x7 #m.in", "m.out -> c.in x2 #c.in"}));
  EXPECT_EQ(graph.operators[1].parameters.string("function"), "silu");
  EXPECT_EQ(graph.operators[1].parameters.integer("compute_bw"), 64) << "the default";
  EXPECT_FALSE(graph.operators[1].parameters.boolean("write_back"));
  expectWhole(graph);
}

TEST(ProgramElaborate, ExpandsRegionsOperatorByOperator) {
  const std::string body = std::string(R"({"name": "p", )") + map + R"(}, {"name": "q", )" + map + "}";
  const FlatGraph graph = elaborated(test::programOf(
      R"({"name": "a", "kind": "Source"}, {"name": "s", "kind": "Split", "parameters": {"ways": "E"}}, {"name": "sel", "kind": "Source"},
         {"name": "r", "kind": "Region", "count": "E", "inputs": ["x"], "outputs": ["y"], "program": {"nodes": [)" +
          body +
          R"(], "streams": [{"from": "region.x", "to": "p.in"}, {"from": "p.out", "to": "q.in", "depth": 5}, {"from": "q.out", "to": "region.y", "depth": 6}]}},
         {"name": "g", "kind": "Gather", "parameters": {"ways": 3}}, {"name": "sel2", "kind": "Source"}, {"name": "c", "kind": "Consumer"})",
      R"({"from": "a.out", "to": "s.in"}, {"from": "sel.out", "to": "s.control"}, {"from": "s.out", "to": "r.x", "depth": 3},
         {"from": "r.y", "to": "g.in", "depth": 9}, {"from": "sel2.out", "to": "g.control"}, {"from": "g.out", "to": "c.in"})",
      R"("constants": {"E": 3}, )"));
  EXPECT_EQ(operatorNames(graph), (Names{"a", "s", "sel", "r[0].p", "r[1].p", "r[2].p", "r[0].q", "r[1].q",
                                         "r[2].q", "g", "sel2", "c"}));
  EXPECT_EQ(graph.operators[4].origin, "r.p");
  const Names streams = streamNames(graph);
  const auto has = [&](const char* name) {
    return std::find(streams.begin(), streams.end(), name) != streams.end();
  };
  EXPECT_TRUE(has("s.out[1] -> r[1].p.in x3 #r.x")) << testing::PrintToString(streams);
  EXPECT_TRUE(has("r[2].p.out -> r[2].q.in x5 r#q.in"));
  EXPECT_TRUE(has("r[0].q.out -> g.in[0] x6 r#region.y")) << "the producer's depth wins";
  const FlatStream& crossing = graph.streams[graph.operators[3].inputs[0]];
  EXPECT_EQ(crossing.also, (Names{"r#p.in"}));
  expectWhole(graph);
}

TEST(ProgramElaborate, IndexNumbersTheInstances) {
  const FlatGraph graph = elaborated(test::programOf(
      R"({"name": "r", "kind": "Region", "count": 2, "index": "i", "program": {"nodes": [
           {"name": "s", "kind": "Region", "count": "i + 1", "index": "j", "program": {"nodes": [
             {"name": "a", "kind": "Source", "parameters": {"size": "10*i + j + k", "shape": ["k", "j + 1"]}}, {"name": "c", "kind": "Consumer"}],
             "streams": [{"from": "a.out", "to": "c.in", "depth": "i + j + 1"}]}}], "streams": []}})",
      "", R"("knobs": [{"name": "k", "kind": "Range", "minimum": 1, "maximum": 9, "default": 4}], )"));
  EXPECT_EQ(operatorNames(graph), (Names{"r[0].s[0].a", "r[1].s[0].a", "r[1].s[1].a", "r[0].s[0].c",
                                         "r[1].s[0].c", "r[1].s[1].c"}));
  EXPECT_EQ(graph.operators[0].parameters.integer("size"), 4);
  EXPECT_EQ(graph.operators[2].parameters.integer("size"), 15);
  EXPECT_EQ(graph.operators[2].parameters.symbolic("size"), Expr(11) + Expr::symbol("k"))
      << "knobs stay symbols, indices do not";
  EXPECT_EQ(graph.operators[2].parameters.list("shape")[1].value, 2);
  EXPECT_EQ(graph.operators[2].parameters.list("shape")[0].symbolic, Expr::symbol("k"));
  EXPECT_EQ(graph.streams[graph.operators[2].outputs[0]].depth, 3u);
  expectWhole(graph);
}

TEST(ProgramElaborate, ConstantsMayUseEachOtherAndKnobs) {
  const Document document = test::programOf(
      R"({"name": "a", "kind": "Source", "parameters": {"size": "A"}}, {"name": "c", "kind": "Consumer"})",
      R"({"from": "a.out", "to": "c.in", "depth": "k"})",
      R"("constants": {"A": "B*2", "B": "Z/k", "Z": 60}, "knobs": [{"name": "k", "kind": "List", "values": [2, 7], "default": 2}], )");
  const FlatGraph graph = elaborated(document);
  EXPECT_EQ(graph.operators[0].parameters.integer("size"), 60);
  EXPECT_EQ(graph.operators[0].parameters.symbolic("size"), Expr(2) * floorDiv(Expr(60), Expr::symbol("k")));
  const FlatGraph other = elaborated(document, {{"k", 7}});
  EXPECT_EQ(other.operators[0].parameters.integer("size"), 16);
  EXPECT_EQ(other.streams[0].depth, 7u);
}

TEST(ProgramElaborate, ChoiceKnobsGiveTexts) {
  const Document document = test::programOf(
      R"({"name": "a", "kind": "Source"}, {"name": "m", "kind": "Map", "parameters": {"function": "=f"}}, {"name": "c", "kind": "Consumer"})",
      R"({"from": "a.out", "to": "m.in"}, {"from": "m.out", "to": "c.in"})",
      R"("knobs": [{"name": "f", "kind": "Choice", "choices": ["silu", "exp"], "default": "silu"}], )");
  EXPECT_EQ(elaborated(document).operators[1].parameters.string("function"), "silu");
  EXPECT_EQ(elaborated(document, {{"f", 1}}).operators[1].parameters.string("function"), "exp");
}

TEST(ProgramElaborate, FanOutIsBroadcastInTheOrderOfTheStreams) {
  const FlatGraph graph = elaborated(test::programOf(
      R"({"name": "a", "kind": "Source"}, {"name": "j", "kind": "Join"}, {"name": "c", "kind": "Consumer"}, {"name": "d", "kind": "Consumer"})",
      R"({"from": "a.out", "to": "d.in", "depth": 9}, {"from": "a.out", "to": "j.in2"}, {"from": "j.out", "to": "c.in"}, {"from": "a.out", "to": "j.in1", "depth": 3})",
      R"("machine": {"fifo_depth": 5}, )"));
  ASSERT_EQ(operatorNames(graph), (Names{"a", "j", "c", "d", "a.out.broadcast"}));
  EXPECT_EQ(graph.operators[4].origin, "a");
  EXPECT_EQ(graph.operators[4].parameters.integer("ways"), 3);
  EXPECT_EQ(streamNames(graph),
            (Names{"a.out -> a.out.broadcast.in x5 #d.in", "a.out.broadcast.out[0] -> d.in x9 #d.in",
                   "a.out.broadcast.out[1] -> j.in2 x5 #j.in2", "a.out.broadcast.out[2] -> j.in1 x3 #j.in1",
                   "j.out -> c.in x5 #c.in"}));
  expectWhole(graph);
}

TEST(ProgramElaborate, BundlesAreBroadcastElementByElement) {
  const FlatGraph graph = elaborated(test::programOf(
      R"({"name": "a", "kind": "Source"}, {"name": "b", "kind": "Broadcast", "parameters": {"ways": 2}}, {"name": "g", "kind": "Gather", "parameters": {"ways": 2}},
         {"name": "sel", "kind": "Source"}, {"name": "c", "kind": "Consumer"}, {"name": "d", "kind": "Consumer"})",
      R"({"from": "a.out", "to": "b.in"}, {"from": "b.out", "to": "g.in"}, {"from": "b.out[1]", "to": "d.in"}, {"from": "sel.out", "to": "g.control"}, {"from": "g.out", "to": "c.in"})"));
  EXPECT_EQ(operatorNames(graph).back(), "b.out[1].broadcast");
  EXPECT_EQ(graph.operators.size(), 7u);
  expectWhole(graph);
}

TEST(ProgramElaborate, FanOutAtABoundaryIsBroadcastThere) {
  const FlatGraph graph = elaborated(test::programOf(
      R"({"name": "a", "kind": "Source"}, {"name": "b", "kind": "Broadcast", "parameters": {"ways": 2}},
         {"name": "r", "kind": "Region", "count": 2, "inputs": ["x"], "outputs": ["y"], "program": {"nodes": [{"name": "j", "kind": "Join"}],
           "streams": [{"from": "region.x", "to": "j.in1"}, {"from": "region.x", "to": "j.in2"}, {"from": "j.out", "to": "region.y"}]}},
         {"name": "c0", "kind": "Consumer"}, {"name": "c1", "kind": "Consumer"}, {"name": "c2", "kind": "Consumer"})",
      R"({"from": "a.out", "to": "b.in"}, {"from": "b.out", "to": "r.x", "depth": 8}, {"from": "r.y[0]", "to": "c0.in"}, {"from": "r.y[1]", "to": "c1.in"}, {"from": "r.y[0]", "to": "c2.in"})"));
  const Names names = operatorNames(graph);
  ASSERT_EQ(names.size(), 10u);
  EXPECT_EQ(Names(names.begin() + 7, names.end()),
            (Names{"r[0].region.x.broadcast", "r[1].region.x.broadcast", "r[0].region.y.broadcast"}));
  EXPECT_EQ(graph.operators[7].origin, "r");
  const FlatStream& into = graph.streams[graph.operators[7].inputs[0]];
  EXPECT_EQ(into.name, "b.out[0] -> r[0].region.x.broadcast.in");
  EXPECT_EQ(into.depth, 8u) << "a stream of the document keeps its depth";
  expectWhole(graph);
}

TEST(ProgramElaborate, WiresThroughNestedRegionsAreOneStream) {
  // a -> outer.x -> inner.x -> inner.y -> outer.y -> c, without an operator in between.
  const auto wires = [](const char* in, const char* through, const char* out) {
    return elaborated(test::programOf(
        std::string(
            R"({"name": "a", "kind": "Source"}, {"name": "outer", "kind": "Region", "inputs": ["x"], "outputs": ["y"], "program": {"nodes": [
             {"name": "inner", "kind": "Region", "inputs": ["x"], "outputs": ["y"], "program": {"nodes": [], "streams": [{"from": "region.x", "to": "region.y")") +
            through +
            R"(}]}}], "streams": [{"from": "region.x", "to": "inner.x"}, {"from": "inner.y", "to": "region.y"}]}}, {"name": "c", "kind": "Consumer"})",
        std::string(R"({"from": "a.out", "to": "outer.x")") + in + R"(}, {"from": "outer.y", "to": "c.in")" +
            out + "}"));
  };
  EXPECT_EQ(streamNames(wires("", "", "")), (Names{"a.out -> c.in x2 #outer.x"}));
  EXPECT_EQ(streamNames(wires(R"(, "depth": 3)", R"(, "depth": 4)", R"(, "depth": 5)")),
            (Names{"a.out -> c.in x3 #outer.x"}));
  EXPECT_EQ(streamNames(wires("", R"(, "depth": 4)", R"(, "depth": 5)")),
            (Names{"a.out -> c.in x4 outer.inner#region.y"}));
  const FlatGraph last = wires("", "", R"(, "depth": 5)");
  EXPECT_EQ(streamNames(last), (Names{"a.out -> c.in x5 #c.in"}));
  EXPECT_EQ(last.streams[0].also,
            (Names{"#outer.x", "outer#inner.x", "outer.inner#region.y", "outer#region.y"}));
}

TEST(ProgramElaborate, ARegionOfOneIsASingleStream) {
  const std::string region =
      R"(, "inputs": ["x"], "program": {"nodes": [{"name": "c", "kind": "Consumer"}], "streams": [{"from": "region.x", "to": "c.in"}]}})";
  const std::string stream = R"({"from": "a.out", "to": "r.x"})";
  EXPECT_EQ(operatorNames(elaborated(test::programOf(
                R"({"name": "a", "kind": "Source"}, {"name": "r", "kind": "Region")" + region, stream))),
            (Names{"a", "r.c"}));
  EXPECT_EQ(operatorNames(elaborated(test::programOf(
                R"({"name": "a", "kind": "Source"}, {"name": "r", "kind": "Region", "count": "E")" + region,
                stream, R"("constants": {"E": 1}, )"))),
            (Names{"a", "r[0].c"}));
}

TEST(ProgramElaborate, TheMachineIsBound) {
  const FlatGraph graph = elaborated(test::programOf(
      "", "",
      R"("constants": {"C": 8}, "machine": {"hbm_channels": "C*2", "hbm_request_bytes": 32, "mock_bf16": false}, )"));
  EXPECT_EQ(graph.machine.hbm_channels, 16u);
  EXPECT_FALSE(graph.machine.mock_bf16);
  EXPECT_DOUBLE_EQ(graph.machine.offChipBandwidth(), 256.0);
}

// Against brute force: random nested programs, elaborated by name and followed backwards.

struct RandomProgram {
  explicit RandomProgram(unsigned seed) : random(seed) {}

  std::mt19937 random;
  int count = 0;
  int below(int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

  /// A body in which every input is fed and every output consumed: sources and region outputs are handed to
  /// maps, joins, nested regions of count 1 and consumers until none is left.
  Graph graph(int depth, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
    Graph graph;
    std::vector<Endpoint> open;
    for (const std::string& input : inputs) open.push_back({"region", input, {}});
    const auto name = [&](const char* stem) { return std::string(stem) + std::to_string(count++); };
    const auto feed = [&](const Endpoint& to) {
      std::shuffle(open.begin(), open.end(), random);
      if (open.empty()) {
        graph.nodes.push_back({name("src"), "Source", {}, {}, {}});
        open.push_back({graph.nodes.back().name, "out", {}});
      }
      graph.streams.push_back(
          {open.back(), to, below(2) ? std::optional<Value>(1 + below(9)) : std::nullopt});
      if (below(3) > 0) open.pop_back();  // else it is read again: a fan-out
    };
    for (int steps = 1 + below(4); steps > 0; --steps) {
      const std::string node = name("n");
      if (depth < 3 && below(3) == 0) {
        Region region;
        region.count = below(2) ? Value(1) : Value("one");
        for (int i = below(3); i > 0; --i) region.inputs.push_back(name("x"));
        for (int i = below(3); i > 0; --i) region.outputs.push_back(name("y"));
        region.body = this->graph(depth + 1, region.inputs, region.outputs);
        for (const std::string& input : region.inputs) feed({node, input, {}});
        for (const std::string& output : region.outputs) open.push_back({node, output, {}});
        graph.nodes.push_back({node, "Region", {}, {}, std::move(region)});
      } else {
        feed({node, "in1", {}});
        feed({node, "in2", {}});
        graph.nodes.push_back({node, "Join", {}, {}, {}});
        open.push_back({node, "out", {}});
      }
    }
    for (const std::string& output : outputs) feed({"region", output, {}});
    for (const Endpoint& end : open) {
      graph.nodes.push_back({name("sink"), "Consumer", {}, {}, {}});
      graph.streams.push_back({end, {graph.nodes.back().name, "in", {}}, {}});
    }
    std::shuffle(graph.nodes.begin(), graph.nodes.end(), random);
    return graph;
  }
};

/// Destination -> source by full names, boundaries as "PREFIX>port" (seen inside for inputs, outside for
/// outputs).
void naiveEdges(const Graph& graph, const std::string& prefix, const std::string& boundary,
                std::map<std::string, std::string>& edges) {
  const auto nameOf = [&](const Endpoint& end) {
    const Node* node = graph.find(end.node);
    if (!node) return boundary + ">" + end.port;
    if (!node->body) return prefix + end.node + "." + end.port;
    return prefix + end.node + ">" + end.port;
  };
  for (const Stream& stream : graph.streams) edges[nameOf(stream.to)] = nameOf(stream.from);
  for (const Node& node : graph.nodes) {
    if (!node.body) continue;
    const std::string inner = prefix + node.name + (node.body->count == Value(1) ? "" : "[0]");
    naiveEdges(node.body->body, inner + ".", prefix + node.name, edges);
  }
}

TEST(ProgramElaborate, RandomProgramsAgreeWithBruteForce) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomProgram random(seed);
    Document document;
    document.constants["one"] = 1;
    document.program = random.graph(0, {}, {});
    const FlatGraph graph = elaborated(document);
    ASSERT_FALSE(graph.operators.empty()) << seed << "\n" << writeDocument(document);
    expectWhole(graph);

    std::map<std::string, std::string> edges;
    naiveEdges(document.program, "", "", edges);
    std::size_t checked = 0;
    for (const FlatOperator& op : graph.operators) {
      if (op.spec->kind == "Broadcast") continue;
      for (std::size_t port = 0; port < op.inputs.size(); ++port, ++checked) {
        const FlatStream* stream = &graph.streams[op.inputs[port]];
        while (graph.operators[stream->producer].spec->kind == "Broadcast")
          stream = &graph.streams[graph.operators[stream->producer].inputs[0]];
        std::string expected = op.name + "." + op.spec->inputs[port].name;
        while (edges.contains(expected)) expected = edges[expected];
        EXPECT_EQ(graph.operators[stream->producer].name + ".out", expected) << "seed " << seed;
      }
    }
    EXPECT_GT(checked, 0u);
    EXPECT_FALSE(hasErrors(check(document, test::programCatalog())));
  }
}

TEST(ProgramCatalog, FindsKindsAndSpellings) {
  const Catalog& catalog = test::programCatalog();
  ASSERT_NE(catalog.find("Map"), nullptr);
  EXPECT_EQ(catalog.find("Map")->parameter("function")->kind, ParameterKind::Choice);
  EXPECT_EQ(catalog.find("Map")->parameter("nothing"), nullptr);
  EXPECT_EQ(catalog.find("map"), nullptr);
  EXPECT_EQ(catalog.closest("map"), (Names{"Map"}));
  EXPECT_EQ(catalog.closest("Brodcast"), (Names{"Broadcast"}));
  EXPECT_EQ(catalog.closest("Zzzzzzzz"), Names{});
}

/// Experts of 20 operators.
Document manyExperts(std::size_t experts) {
  Document document;
  document.constants = {{"E", Value(static_cast<std::int64_t>(experts))}, {"F", Value(768)}};
  document.knobs = {{"f", KnobKind::PowerOfTwo, 16, 64, 1, {}, {}, 32, ""}};
  Region region;
  region.count = "E";
  region.index = "e";
  for (int i = 0; i < 20; ++i) {
    const std::string name = "n" + std::to_string(i);
    if (i == 0) {
      region.body.nodes.push_back(
          {name, "Source", {{"size", "F/f"}, {"shape", std::vector<Value>{"F/f", "f", 1}}}, {}, {}});
    } else {
      region.body.nodes.push_back(
          {name, "Map", {{"function", "exp"}, {"compute_bw", i == 7 ? "64*e + f" : "64*f"}}, {}, {}});
      region.body.streams.push_back({{"n" + std::to_string(i - 1), "out", {}}, {name, "in", {}}, {}});
    }
  }
  region.body.nodes.push_back({"sink", "Consumer", {}, {}, {}});
  region.body.streams.push_back({{"n19", "out", {}}, {"sink", "in", {}}, {}});
  document.program.nodes.push_back({"expert", "Region", {}, {}, std::move(region)});
  return document;
}

/// What a sweep pays at every point.
TEST(ProgramElaborate, TimeGrowsAsTheExperts) {
  EXPECT_TRUE(testing_support::growsSlowly(64, [](std::size_t experts) {
    EXPECT_EQ(elaborated(manyExperts(experts)).operators.size(), experts * 21);
  }));
}

}  // namespace sluice::program_elaborate_test
