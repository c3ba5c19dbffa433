// Elaboration: what a document means as a flat graph, and what is said of documents that mean nothing.

#include "engine/program/elaborate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "engine/program/file_format.h"
#include "tests/engine/program_catalog.h"

namespace sluice {
namespace {

Document documentOf(const std::string& json) {
  Result<Document> document = parseDocument(json, "test");
  EXPECT_TRUE(document) << text(document.diagnostics()) << json;
  return document ? *document : Document{};
}

/// A document around a program; `rest` are further keys of the document.
Document program(const std::string& nodes, const std::string& streams, const std::string& rest = "") {
  return documentOf("{\"sluice\": 1, " + rest + "\"program\": {\"nodes\": [" + nodes + "], \"streams\": [" + streams + "]}}");
}

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
  for (const FlatStream& stream : graph.streams) names.push_back(stream.name + " x" + std::to_string(stream.depth) + " " + stream.origin);
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
      EXPECT_TRUE(op.parameters.values.contains(parameter.name)) << op.name << " " << parameter.name;
  }
  for (const FlatStream& stream : graph.streams) EXPECT_GE(stream.depth, 1u) << stream.name;
}

const char* const map = R"("kind": "Map", "parameters": {"function": "exp"})";

TEST(ProgramElaborate, ConnectsAPlainChain) {
  const FlatGraph graph = elaborated(program(
      R"({"name": "a", "kind": "Source"}, {"name": "m", "kind": "Map", "parameters": {"function": "silu"}}, {"name": "c", "kind": "Consumer"})",
      R"({"from": "a.out", "to": "m.in", "depth": 7}, {"from": "m.out", "to": "c.in"})"));
  EXPECT_EQ(operatorNames(graph), (Names{"a", "m", "c"}));
  EXPECT_EQ(streamNames(graph), (Names{"a.out -> m.in x7 #0", "m.out -> c.in x2 #1"}));
  EXPECT_EQ(graph.operators[1].parameters.string("function"), "silu");
  EXPECT_EQ(graph.operators[1].parameters.integer("compute_bw"), 64) << "the default";
  EXPECT_FALSE(graph.operators[1].parameters.boolean("write_back"));
  expectWhole(graph);
}

TEST(ProgramElaborate, ExpandsRegionsOperatorByOperator) {
  const std::string body = std::string(R"({"name": "p", )") + map + R"(}, {"name": "q", )" + map + "}";
  const FlatGraph graph = elaborated(program(
      R"({"name": "a", "kind": "Source"}, {"name": "s", "kind": "Split", "parameters": {"ways": "E"}}, {"name": "sel", "kind": "Source"},
         {"name": "r", "kind": "Region", "count": "E", "inputs": ["x"], "outputs": ["y"], "program": {"nodes": [)" + body +
          R"(], "streams": [{"from": "region.x", "to": "p.in"}, {"from": "p.out", "to": "q.in", "depth": 5}, {"from": "q.out", "to": "region.y", "depth": 6}]}},
         {"name": "g", "kind": "Gather", "parameters": {"ways": 3}}, {"name": "sel2", "kind": "Source"}, {"name": "c", "kind": "Consumer"})",
      R"({"from": "a.out", "to": "s.in"}, {"from": "sel.out", "to": "s.control"}, {"from": "s.out", "to": "r.x", "depth": 3},
         {"from": "r.y", "to": "g.in", "depth": 9}, {"from": "sel2.out", "to": "g.control"}, {"from": "g.out", "to": "c.in"})",
      R"("constants": {"E": 3}, )"));
  EXPECT_EQ(operatorNames(graph), (Names{"a", "s", "sel", "r[0].p", "r[1].p", "r[2].p", "r[0].q", "r[1].q", "r[2].q", "g", "sel2", "c"}));
  EXPECT_EQ(graph.operators[4].origin, "r.p");
  const Names streams = streamNames(graph);
  const auto has = [&](const char* name) { return std::find(streams.begin(), streams.end(), name) != streams.end(); };
  EXPECT_TRUE(has("s.out[1] -> r[1].p.in x3 #2")) << testing::PrintToString(streams);
  EXPECT_TRUE(has("r[2].p.out -> r[2].q.in x5 r#1"));
  EXPECT_TRUE(has("r[0].q.out -> g.in[0] x6 r#2")) << "the producer's depth wins";
  const FlatStream& crossing = graph.streams[graph.operators[3].inputs[0]];
  EXPECT_EQ(crossing.also, (Names{"r#0"}));
  expectWhole(graph);
}

TEST(ProgramElaborate, IndexNumbersTheInstances) {
  const FlatGraph graph = elaborated(program(
      R"({"name": "r", "kind": "Region", "count": 2, "index": "i", "program": {"nodes": [
           {"name": "s", "kind": "Region", "count": "i + 1", "index": "j", "program": {"nodes": [
             {"name": "a", "kind": "Source", "parameters": {"size": "10*i + j + k", "shape": ["k", "j + 1"]}}, {"name": "c", "kind": "Consumer"}],
             "streams": [{"from": "a.out", "to": "c.in", "depth": "i + j + 1"}]}}], "streams": []}})",
      "", R"("knobs": [{"name": "k", "kind": "Range", "minimum": 1, "maximum": 9, "default": 4}], )"));
  EXPECT_EQ(operatorNames(graph), (Names{"r[0].s[0].a", "r[1].s[0].a", "r[1].s[1].a", "r[0].s[0].c", "r[1].s[0].c", "r[1].s[1].c"}));
  EXPECT_EQ(graph.operators[0].parameters.integer("size"), 4);
  EXPECT_EQ(graph.operators[2].parameters.integer("size"), 15);
  EXPECT_EQ(graph.operators[2].parameters.symbolic("size"), Expr(11) + Expr::symbol("k")) << "knobs stay symbols, indices do not";
  EXPECT_EQ(graph.operators[2].parameters.list("shape")[1].value, 2);
  EXPECT_EQ(graph.operators[2].parameters.list("shape")[0].symbolic, Expr::symbol("k"));
  EXPECT_EQ(graph.streams[graph.operators[2].outputs[0]].depth, 3u);
  expectWhole(graph);
}

TEST(ProgramElaborate, ConstantsMayUseEachOtherAndKnobs) {
  const Document document = program(
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
  const Document document = program(
      R"({"name": "a", "kind": "Source"}, {"name": "m", "kind": "Map", "parameters": {"function": "=f"}}, {"name": "c", "kind": "Consumer"})",
      R"({"from": "a.out", "to": "m.in"}, {"from": "m.out", "to": "c.in"})",
      R"("knobs": [{"name": "f", "kind": "Choice", "choices": ["silu", "exp"], "default": "silu"}], )");
  EXPECT_EQ(elaborated(document).operators[1].parameters.string("function"), "silu");
  EXPECT_EQ(elaborated(document, {{"f", 1}}).operators[1].parameters.string("function"), "exp");
}

TEST(ProgramElaborate, FanOutIsBroadcastInTheOrderOfTheStreams) {
  const FlatGraph graph = elaborated(program(
      R"({"name": "a", "kind": "Source"}, {"name": "j", "kind": "Join"}, {"name": "c", "kind": "Consumer"}, {"name": "d", "kind": "Consumer"})",
      R"({"from": "a.out", "to": "d.in", "depth": 9}, {"from": "a.out", "to": "j.in2"}, {"from": "j.out", "to": "c.in"}, {"from": "a.out", "to": "j.in1", "depth": 3})",
      R"("machine": {"fifo_depth": 5}, )"));
  ASSERT_EQ(operatorNames(graph), (Names{"a", "j", "c", "d", "a.out.broadcast"}));
  EXPECT_EQ(graph.operators[4].origin, "a");
  EXPECT_EQ(graph.operators[4].parameters.integer("ways"), 3);
  EXPECT_EQ(streamNames(graph), (Names{"a.out -> a.out.broadcast.in x5 #0", "a.out.broadcast.out[0] -> d.in x9 #0",
                                       "a.out.broadcast.out[1] -> j.in2 x5 #1", "a.out.broadcast.out[2] -> j.in1 x3 #3",
                                       "j.out -> c.in x5 #2"}));
  expectWhole(graph);
}

TEST(ProgramElaborate, BundlesAreBroadcastElementByElement) {
  const FlatGraph graph = elaborated(program(
      R"({"name": "a", "kind": "Source"}, {"name": "b", "kind": "Broadcast", "parameters": {"ways": 2}}, {"name": "g", "kind": "Gather", "parameters": {"ways": 2}},
         {"name": "sel", "kind": "Source"}, {"name": "c", "kind": "Consumer"}, {"name": "d", "kind": "Consumer"})",
      R"({"from": "a.out", "to": "b.in"}, {"from": "b.out", "to": "g.in"}, {"from": "b.out[1]", "to": "d.in"}, {"from": "sel.out", "to": "g.control"}, {"from": "g.out", "to": "c.in"})"));
  EXPECT_EQ(operatorNames(graph).back(), "b.out[1].broadcast");
  EXPECT_EQ(graph.operators.size(), 7u);
  expectWhole(graph);
}

TEST(ProgramElaborate, FanOutAtABoundaryIsBroadcastThere) {
  const FlatGraph graph = elaborated(program(
      R"({"name": "a", "kind": "Source"}, {"name": "b", "kind": "Broadcast", "parameters": {"ways": 2}},
         {"name": "r", "kind": "Region", "count": 2, "inputs": ["x"], "outputs": ["y"], "program": {"nodes": [{"name": "j", "kind": "Join"}],
           "streams": [{"from": "region.x", "to": "j.in1"}, {"from": "region.x", "to": "j.in2"}, {"from": "j.out", "to": "region.y"}]}},
         {"name": "c0", "kind": "Consumer"}, {"name": "c1", "kind": "Consumer"}, {"name": "c2", "kind": "Consumer"})",
      R"({"from": "a.out", "to": "b.in"}, {"from": "b.out", "to": "r.x", "depth": 8}, {"from": "r.y[0]", "to": "c0.in"}, {"from": "r.y[1]", "to": "c1.in"}, {"from": "r.y[0]", "to": "c2.in"})"));
  const Names names = operatorNames(graph);
  ASSERT_EQ(names.size(), 10u);
  EXPECT_EQ(Names(names.begin() + 7, names.end()), (Names{"r[0].region.x.broadcast", "r[1].region.x.broadcast", "r[0].region.y.broadcast"}));
  EXPECT_EQ(graph.operators[7].origin, "r");
  const FlatStream& into = graph.streams[graph.operators[7].inputs[0]];
  EXPECT_EQ(into.name, "b.out[0] -> r[0].region.x.broadcast.in");
  EXPECT_EQ(into.depth, 8u) << "a stream of the document keeps its depth";
  expectWhole(graph);
}

TEST(ProgramElaborate, WiresThroughNestedRegionsAreOneStream) {
  // a -> outer.x -> inner.x -> inner.y -> outer.y -> c, without an operator in between.
  const auto wires = [](const char* in, const char* through, const char* out) {
    return elaborated(program(
        std::string(R"({"name": "a", "kind": "Source"}, {"name": "outer", "kind": "Region", "inputs": ["x"], "outputs": ["y"], "program": {"nodes": [
             {"name": "inner", "kind": "Region", "inputs": ["x"], "outputs": ["y"], "program": {"nodes": [], "streams": [{"from": "region.x", "to": "region.y")") +
            through + R"(}]}}], "streams": [{"from": "region.x", "to": "inner.x"}, {"from": "inner.y", "to": "region.y"}]}}, {"name": "c", "kind": "Consumer"})",
        std::string(R"({"from": "a.out", "to": "outer.x")") + in + R"(}, {"from": "outer.y", "to": "c.in")" + out + "}"));
  };
  EXPECT_EQ(streamNames(wires("", "", "")), (Names{"a.out -> c.in x2 #0"}));
  EXPECT_EQ(streamNames(wires(R"(, "depth": 3)", R"(, "depth": 4)", R"(, "depth": 5)")), (Names{"a.out -> c.in x3 #0"}));
  EXPECT_EQ(streamNames(wires("", R"(, "depth": 4)", R"(, "depth": 5)")), (Names{"a.out -> c.in x4 outer.inner#0"}));
  const FlatGraph last = wires("", "", R"(, "depth": 5)");
  EXPECT_EQ(streamNames(last), (Names{"a.out -> c.in x5 #1"}));
  EXPECT_EQ(last.streams[0].also, (Names{"#0", "outer#0", "outer.inner#0", "outer#1"}));
}

TEST(ProgramElaborate, ARegionOfOneIsASingleStream) {
  const std::string region = R"(, "inputs": ["x"], "program": {"nodes": [{"name": "c", "kind": "Consumer"}], "streams": [{"from": "region.x", "to": "c.in"}]}})";
  const std::string stream = R"({"from": "a.out", "to": "r.x"})";
  EXPECT_EQ(operatorNames(elaborated(program(R"({"name": "a", "kind": "Source"}, {"name": "r", "kind": "Region")" + region, stream))), (Names{"a", "r.c"}));
  EXPECT_EQ(operatorNames(elaborated(program(R"({"name": "a", "kind": "Source"}, {"name": "r", "kind": "Region", "count": "E")" + region, stream, R"("constants": {"E": 1}, )"))),
            (Names{"a", "r[0].c"}));
}

TEST(ProgramElaborate, TheMachineIsBound) {
  const FlatGraph graph = elaborated(program("", "", R"("constants": {"C": 8}, "machine": {"hbm_channels": "C*2", "hbm_request_bytes": 32, "mock_bf16": false}, )"));
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

  /// A body in which every input is fed and every output consumed: sources and region outputs are handed to maps, joins, nested
  /// regions of count 1 and consumers until none is left.
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
      graph.streams.push_back({open.back(), to, below(2) ? std::optional<Value>(1 + below(9)) : std::nullopt});
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

/// Destination -> source by full names, boundaries as "PREFIX>port" (seen inside for inputs, outside for outputs).
void naiveEdges(const Graph& graph, const std::string& prefix, const std::string& boundary, std::map<std::string, std::string>& edges) {
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

// What is refused. Each case is a program around one mistake.

struct Mistake {
  const char* name;
  std::string nodes, streams, rest;
  const char* place;
  const char* cause;  ///< part of the cause
  const char* mend;   ///< part of the mend
};

const std::string source = R"({"name": "a", "kind": "Source"}, )", sink = R"(, {"name": "c", "kind": "Consumer"})";
const std::string chain = R"({"from": "a.out", "to": "m.in"}, {"from": "m.out", "to": "c.in"})";
std::string withMap(const std::string& parameters) {
  return source + R"({"name": "m", "kind": "Map", "parameters": {)" + parameters + "}}" + sink;
}
std::string withSize(const std::string& size) { return R"({"name": "a", "kind": "Source", "parameters": {"size": )" + size + "}}" + sink; }
std::string withRegion(const std::string& keys, const std::string& nodes, const std::string& streams) {
  return source + R"({"name": "r", "kind": "Region", )" + keys + R"("program": {"nodes": [)" + nodes + R"(], "streams": [)" + streams + "]}}";
}
const std::string direct = R"({"from": "a.out", "to": "c.in"})";
const std::string inner = R"({"name": "c", "kind": "Consumer"})", intoInner = R"({"from": "region.x", "to": "c.in"})", intoRegion = R"({"from": "a.out", "to": "r.x"})";

const std::vector<Mistake> mistakes{
    {"unknown kind", R"({"name": "a", "kind": "Sorce"})", "", "", "operator 'a'", "'Sorce'", "'Source'"},
    {"unknown kind in a region", withRegion("", R"({"name": "q", "kind": "Mapp"})", ""), "", "", "operator 'r.q'", "'Mapp'", "'Map'"},
    {"missing parameter", source + R"({"name": "m", "kind": "Map"})" + sink, chain, "", "operator 'm', parameter 'function'", "missing", "what to compute"},
    {"unknown parameter", withMap(R"("function": "exp", "compute_bv": 1)"), chain, "", "operator 'm', parameter 'compute_bv'", "Map has no", "'compute_bw'"},
    {"text where a choice is needed", withMap(R"("function": "exq")"), chain, "", "operator 'm', parameter 'function'", "'exq'", "'exp'"},
    {"number where a choice is needed", withMap(R"("function": 1)"), chain, "", "operator 'm', parameter 'function'", "the whole number 1", "silu"},
    {"number where true or false is needed", withMap(R"("function": "exp", "write_back": 1)"), chain, "", "parameter 'write_back'", "the whole number 1", "true or false"},
    {"true where a number is needed", withSize("true"), direct, "", "operator 'a', parameter 'size'", "found true", "E/2"},
    {"list where a number is needed", withSize("[1]"), direct, "", "operator 'a', parameter 'size'", "the list [1]", "E/2"},
    {"number where a list is needed", R"({"name": "a", "kind": "Source", "parameters": {"shape": 4}})" + sink, direct, "", "parameter 'shape'", "the whole number 4", "[1, N]"},
    {"list in a list", R"({"name": "a", "kind": "Source", "parameters": {"shape": [[4]]}})" + sink, direct, "", "parameter 'shape'", "the list [4]", "[1, N]"},
    {"below the minimum", withSize("0"), direct, "", "operator 'a', parameter 'size'", "below 1", "at least 1"},
    {"below the minimum by expression", withSize("\"D - 5\""), direct, R"("constants": {"D": 3}, )", "operator 'a', parameter 'size'", "'D - 5' = -2", "at least 1"},
    {"list element below the minimum", R"({"name": "a", "kind": "Source", "parameters": {"shape": [1, 0]}})" + sink, direct, "", "parameter 'shape'", "below 1", "at least 1"},
    {"unknown name in an expression", withSize("\"Dd\""), direct, R"("constants": {"Db": 3}, )", "operator 'a', parameter 'size'", "'Dd'", "'Db'"},
    {"syntax of an expression", withSize("\"2 +\""), direct, "", "operator 'a', parameter 'size'", "", ""},
    {"division by zero", withSize("\"4/(D-3)\""), direct, R"("constants": {"D": 3}, )", "operator 'a', parameter 'size'", "4/(D-3)", "constants"},
    {"too large for 64 bits", withSize("\"D*D\""), direct, R"("constants": {"D": 4294967296}, )", "operator 'a', parameter 'size'", "64 bits", "constants"},
    {"constants in a circle", withSize("\"A\""), direct, R"("constants": {"A": "B", "B": "C1", "C1": "A"}, )", "constant 'A'", "A -> B -> C1 -> A", "value of its own"},
    {"constant of itself", withSize("\"A\""), direct, R"("constants": {"A": "A + 1"}, )", "constant 'A'", "A -> A", "value of its own"},
    {"constant uses an unknown name", withSize("1"), direct, R"("constants": {"A": "Q"}, )", "constant 'A'", "'Q'", "'Q'"},
    {"constant named as a function", withSize("1"), direct, R"("constants": {"max": 1}, )", "constant 'max'", "name", "function"},
    {"knob default is no value", withSize("1"), direct, R"("knobs": [{"name": "k", "kind": "List", "values": [1, 2], "default": 3}], )", "knob 'k'", "default 3", "one of 1, 2"},
    {"knob without values", withSize("1"), direct, R"("knobs": [{"name": "k", "kind": "List", "default": 3}], )", "knob 'k'", "no value", "list"},
    {"knob with step zero", withSize("1"), direct, R"("knobs": [{"name": "k", "kind": "Range", "maximum": 4, "step": 0, "default": 1}], )", "knob 'k'", "no value", "step"},
    {"knob with too many values", withSize("1"), direct, R"("knobs": [{"name": "k", "kind": "Range", "maximum": 4000000000, "default": 1}], )", "knob 'k'", "4000000000", "larger step"},
    {"choice of an unknown knob", withMap(R"("function": "=kk")"), chain, R"("knobs": [{"name": "k", "kind": "Choice", "choices": ["exp"], "default": "exp"}], )", "operator 'm', parameter 'function'", "'kk'", "'k'"},
    {"choice of a number knob", withMap(R"("function": "=k")"), chain, R"("knobs": [{"name": "k", "kind": "Range", "default": 1}], )", "operator 'm', parameter 'function'", "numbers", "Choice"},
    {"unknown input", R"({"name": "a", "kind": "Select", "parameters": {"input": "routin"}})" + sink, direct, R"("inputs": [{"name": "routing", "kind": "Routing"}], )", "operator 'a', parameter 'input'", "'routin'", "'routing'"},
    {"unknown node in a stream", source + inner, R"({"from": "b.out", "to": "c.in"})", "", "stream '#0' (b.out -> c.in)", "'b'", "'a'"},
    {"unknown output", source + inner, R"({"from": "a.oot", "to": "c.in"})", "", "stream '#0'", "'oot'", "'out'"},
    {"output of a sink", source + inner, R"({"from": "c.out", "to": "c.in"})", "", "stream '#0'", "'c' has no output", "remove"},
    {"stream the wrong way round", source + inner, R"({"from": "c.in", "to": "a.out"})", "", "stream '#0'", "'in' is an input", "swap"},
    {"index of a single port", source + inner, R"({"from": "a.out[0]", "to": "c.in"})", "", "stream '#0'", "single stream", "remove the index"},
    {"index beyond the bundle", source + R"({"name": "b", "kind": "Broadcast", "parameters": {"ways": 2}})" + sink, R"({"from": "a.out", "to": "b.in"}, {"from": "b.out[2]", "to": "c.in"})", "", "stream '#1'", "2 streams", "0 to 1"},
    {"negative index", source + R"({"name": "b", "kind": "Broadcast", "parameters": {"ways": 2}})" + sink, R"({"from": "b.out[-1]", "to": "c.in"})", "", "stream '#0'", "-1 is below 0", "at least 0"},
    {"index of an inner boundary", withRegion(R"("inputs": ["x"], )", inner, R"({"from": "region.x[0]", "to": "c.in"})"), intoRegion, "", "stream 'r#0'", "index", "remove the index"},
    {"boundary outside of regions", source + inner, R"({"from": "region.x", "to": "c.in"})", "", "stream '#0'", "boundary", "program"},
    {"unknown port of a boundary", withRegion(R"("inputs": ["x"], )", inner, R"({"from": "region.z", "to": "c.in"})"), intoRegion, "", "stream 'r#0'", "'z'", "x"},
    {"unknown port of a region", withRegion(R"("inputs": ["xin"], )", inner, R"({"from": "region.xin", "to": "c.in"})"), R"({"from": "a.out", "to": "r.xim"})", "", "stream '#0'", "'xim'", "'xin'"},
    {"bundle into a single port", source + R"({"name": "b", "kind": "Broadcast", "parameters": {"ways": 2}})" + sink, R"({"from": "a.out", "to": "b.in"}, {"from": "b.out", "to": "c.in"})", "", "stream '#1'", "2 streams", "Reassemble"},
    {"single stream into a bundle", source + R"({"name": "g", "kind": "Gather", "parameters": {"ways": 2}})" + sink, R"({"from": "a.out", "to": "g.in"})", "", "stream '#0'", "2 streams", "Broadcast"},
    {"bundles of different widths", source + R"({"name": "b", "kind": "Broadcast", "parameters": {"ways": 2}}, {"name": "g", "kind": "Gather", "parameters": {"ways": 3}})" + sink, R"({"from": "b.out", "to": "g.in"})", "", "stream '#0'", "3 streams", "equal"},
    {"single stream into a replicated region", withRegion(R"("count": "E", "inputs": ["x"], )", inner, intoInner), intoRegion, R"("constants": {"E": 4}, )", "stream '#0' (a.out -> r.x)", "4 streams", "Broadcast with ways = E"},
    {"input fed twice", source + inner, direct + ", " + direct, "", "stream '#1'", "already fed by stream '#0'", "remove"},
    {"input not fed", source + R"({"name": "j", "kind": "Join"})" + sink, R"({"from": "a.out", "to": "j.in1"}, {"from": "j.out", "to": "c.in"})", "", "operator 'j', input 'in2'", "not fed", "connect"},
    {"output not consumed", R"({"name": "a", "kind": "Source"})", "", "", "operator 'a', output 'out'", "not consumed", "Consumer"},
    {"one element not consumed", source + R"({"name": "b", "kind": "Broadcast", "parameters": {"ways": 2}})" + sink, R"({"from": "a.out", "to": "b.in"}, {"from": "b.out[1]", "to": "c.in"})", "", "operator 'b', output 'out'", "[0]", "Consumer"},
    {"region input not fed", withRegion(R"("inputs": ["x"], )", inner, intoInner) + R"(, {"name": "c", "kind": "Consumer"})", direct, "", "region 'r', input 'x'", "no stream feeds it", "connect"},
    {"region input not read", withRegion(R"("inputs": ["x"], )", "", ""), intoRegion, "", "region 'r', input 'x'", "inside", "Consumer"},
    {"region output not made", withRegion(R"("outputs": ["y"], )", "", "") + R"(, {"name": "c", "kind": "Consumer"}, {"name": "d", "kind": "Consumer"})", direct + R"(, {"from": "r.y", "to": "d.in"})", "", "region 'r', output 'y'", "inside", "region.y"},
    {"region output not consumed", withRegion(R"("outputs": ["y"], )", R"({"name": "b", "kind": "Source"})", R"({"from": "b.out", "to": "region.y"})") + sink, direct, "", "region 'r', output 'y'", "no stream consumes it", "Consumer"},
    {"region with parameters", withRegion(R"("parameters": {"q": 1}, )", "", "") + sink, direct, "", "region 'r', parameter 'q'", "no parameters", "remove"},
    {"region count zero", withRegion(R"("count": 0, )", "", "") + sink, direct, "", "region 'r', count", "below 1", "at least 1"},
    {"region count unknown", withRegion(R"("count": "Q", )", "", "") + sink, direct, "", "region 'r', count", "'Q'", "'Q'"},
    {"region count too large", withRegion(R"("count": 3000000, )", R"({"name": "b", "kind": "Source"})", "") + sink, direct, "", "region 'r'", "2000000 operators", "counts"},
    {"regions multiply beyond the limit", withRegion(R"("count": 100000, )", R"({"name": "s", "kind": "Region", "count": 100000, "program": {"nodes": [{"name": "b", "kind": "Source"}], "streams": []}})", "") + sink, direct, "", "region 'r.s'", "2000000 operators", "counts"},
    {"bundle too wide", source + R"({"name": "b", "kind": "Broadcast", "parameters": {"ways": 9223372036854775807}})" + sink, "", "", "operator 'b'", "8000000 ports", "widths"},
    {"index named as a constant", withRegion(R"("index": "E", )", "", "") + sink, direct, R"("constants": {"E": 4}, )", "region 'r', index 'E'", "constant", "another name"},
    {"index twice", withRegion(R"("index": "i", )", R"({"name": "s", "kind": "Region", "index": "i", "program": {"nodes": [], "streams": []}})", "") + sink, direct, "", "region 'r.s', index 'i'", "around", "another name"},
    {"index used outside", withRegion(R"("index": "i", )", "", "") + sink, R"({"from": "a.out", "to": "c.in", "depth": "i"})", "", "stream '#0' (a.out -> c.in), depth", "'i'", "'i'"},
    {"one instance below the minimum", withRegion(R"("count": 3, "index": "i", )", R"({"name": "b", "kind": "Source", "parameters": {"size": "2 - i"}}, {"name": "d", "kind": "Consumer"})", R"({"from": "b.out", "to": "d.in"})") + sink, direct, "", "operator 'r.b', parameter 'size'", "i = 2", "at least 1"},
    {"depth zero", source + inner, R"({"from": "a.out", "to": "c.in", "depth": 0})", "", "stream '#0' (a.out -> c.in), depth", "below 1", "at least 1"},
    {"machine below its minimum", source + inner, direct, R"("machine": {"hbm_channels": 0}, )", "machine, hbm_channels", "below 1", "at least 1"},
    {"machine above its maximum", source + inner, direct, R"("machine": {"hbm_channels": 9999999999}, )", "machine, hbm_channels", "9999999999", "at most"},
    {"machine with an unknown name", source + inner, direct, R"("machine": {"fifo_depth": "dept"}, )", "machine, fifo_depth", "'dept'", "'dept'"},
    {"circle of boundaries", withRegion(R"("inputs": ["x"], "outputs": ["y"], )", "", R"({"from": "region.x", "to": "region.y"})") + sink, direct + R"(, {"from": "r.y", "to": "r.x"})", "", "stream", "circle", "remove"},
};

void expectMistake(const Mistake& mistake) {
  const Document document = program(mistake.nodes, mistake.streams, mistake.rest);
  const Result<FlatGraph> graph = elaborate(document, {}, test::programCatalog());
  ASSERT_FALSE(graph) << "it was elaborated";
  bool found = false;
  for (const Diagnostic& diagnostic : graph.diagnostics()) {
    EXPECT_FALSE(diagnostic.place.empty() || diagnostic.mend.empty() || diagnostic.cause.empty()) << text(diagnostic);
    found = found || (diagnostic.place.find(mistake.place) != std::string::npos && diagnostic.cause.find(mistake.cause) != std::string::npos &&
                      diagnostic.mend.find(mistake.mend) != std::string::npos);
  }
  EXPECT_TRUE(found) << text(graph.diagnostics());
  EXPECT_TRUE(hasErrors(check(document, test::programCatalog())));
}

TEST(ProgramElaborate, MistakesAreToldWithPlaceCauseAndMend) {
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.name);
    expectMistake(mistake);
  }
}

TEST(ProgramElaborate, DocumentsMadeInMemoryAreCheckedToo) {
  Document document;
  document.program.nodes = {{"a", "Source", {}, {}, {}}, {"a", "Source", {}, {}, {}}, {"region", "Source", {}, {}, {}}, {"r", "Region", {}, {}, {}}};
  document.knobs = {{"k", KnobKind::Range, 1, 1, 1, {}, {}, 1, ""}, {"k", KnobKind::Range, 1, 1, 1, {}, {}, 1, ""}};
  document.constants["k"] = 1;
  document.inputs = {{.name = "i", .kind = InputKind::Tensor, .file = {}, .data = {}, .counts = {}}, {.name = "i", .kind = InputKind::Tensor, .file = {}, .data = {}, .counts = {}}};
  const Result<FlatGraph> graph = elaborate(document, {}, test::programCatalog());
  ASSERT_FALSE(graph);
  const std::string all = text(graph.diagnostics());
  for (const char* part : {"two nodes of this name", "node 'region'", "without a program", "two knobs", "knob of the same name", "two inputs"})
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;

  Document deep;
  Graph* graphAt = &deep.program;
  for (int i = 0; i < 30; ++i) {
    graphAt->nodes.push_back({"r", "Region", {}, {}, Region{}});
    graphAt = &graphAt->nodes[0].body->body;
  }
  const Result<FlatGraph> nested = elaborate(deep, {}, test::programCatalog());
  ASSERT_FALSE(nested);
  EXPECT_NE(text(nested.diagnostics()).find("16 deep"), std::string::npos);
}

TEST(ProgramElaborate, KnobValuesAreChecked) {
  const Document document = program(withSize("\"k\""), direct, R"("knobs": [{"name": "k", "kind": "PowerOfTwo", "minimum": 2, "maximum": 8, "default": 4}], )");
  EXPECT_EQ(elaborated(document, {{"k", 8}}).operators[0].parameters.integer("size"), 8);
  for (const auto& [knobs, cause] : {std::pair(KnobValues{{"k", 3}}, "the value 3"), {KnobValues{{"kk", 2}}, "no such knob"}}) {
    const Result<FlatGraph> graph = elaborate(document, knobs, test::programCatalog());
    ASSERT_FALSE(graph);
    EXPECT_NE(graph.diagnostics()[0].cause.find(cause), std::string::npos) << text(graph.diagnostics());
    EXPECT_FALSE(graph.diagnostics()[0].mend.empty());
  }
}

TEST(ProgramElaborate, ALongChainOfConstantsIsRefusedNotFollowedIntoTheGround) {
  Document document;
  for (int i = 0; i < 20'000; ++i) document.constants["c" + std::to_string(i)] = Value("c" + std::to_string(i + 1));
  document.constants["c20000"] = 1;
  EXPECT_FALSE(elaborate(document, {}, test::programCatalog()));
}

TEST(ProgramCheck, WarnsOfWhatIsNotUsed) {
  const Document document = program(withSize("\"D + used\""), direct,
                                    R"("constants": {"D": 1, "Unused": 2}, "knobs": [{"name": "used", "kind": "Range", "default": 1}, {"name": "idle", "kind": "Range", "default": 1, "choices": ["x"]}],
                                       "inputs": [{"name": "trace", "kind": "Lengths", "data": [1]}, {"name": "nothing", "kind": "Lengths"}, {"name": "both", "kind": "Lengths", "data": [1], "file": "f.npy"}], )");
  const std::string all = text(check(document, test::programCatalog()));
  for (const char* part : {"warning: constant 'Unused'", "warning: knob 'idle': nothing uses it", "'choices'", "warning: input 'trace'", "error: input 'nothing'", "error: input 'both'"})
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
  EXPECT_EQ(all.find("'D'"), std::string::npos);
  EXPECT_EQ(all.find("'used'"), std::string::npos);
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

/// 128 experts of 20 operators: what a sweep pays at every point. The bound is generous; the goal is 50 ms in a Release build.
TEST(ProgramElaborate, AManyExpertProgramElaboratesQuickly) {
  Document document;
  document.constants = {{"E", Value(128)}, {"F", Value(768)}};
  document.knobs = {{"f", KnobKind::PowerOfTwo, 16, 64, 1, {}, {}, 32, ""}};
  Region region;
  region.count = "E";
  region.index = "e";
  for (int i = 0; i < 20; ++i) {
    const std::string name = "n" + std::to_string(i);
    if (i == 0) {
      region.body.nodes.push_back({name, "Source", {{"size", "F/f"}, {"shape", std::vector<Value>{"F/f", "f", 1}}}, {}, {}});
    } else {
      region.body.nodes.push_back({name, "Map", {{"function", "exp"}, {"compute_bw", i == 7 ? "64*e + f" : "64*f"}}, {}, {}});
      region.body.streams.push_back({{"n" + std::to_string(i - 1), "out", {}}, {name, "in", {}}, {}});
    }
  }
  region.body.nodes.push_back({"sink", "Consumer", {}, {}, {}});
  region.body.streams.push_back({{"n19", "out", {}}, {"sink", "in", {}}, {}});
  document.program.nodes.push_back({"expert", "Region", {}, {}, std::move(region)});
  const auto start = std::chrono::steady_clock::now();
  const FlatGraph graph = elaborated(document);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(graph.operators.size(), 128u * 21u);
  RecordProperty("milliseconds", std::to_string(took.count()));
  EXPECT_LT(took.count(), 1000.0);
}

}  // namespace
}  // namespace sluice
