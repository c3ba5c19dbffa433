// What elaboration and check() refuse and warn of: every diagnostic has its place, cause and fix.

#include <gtest/gtest.h>

#include "engine/program/elaborate.h"
#include "tests/engine/program_catalog.h"

namespace sluice::program_mistakes_test {

// What is refused. Each case is a program around one mistake.

struct Mistake {
  const char* name;
  std::string nodes, streams, rest;
  const char* place;
  const char* cause;  ///< part of the cause
  const char* fix;    ///< part of the fix
};

const std::string source = R"({"name": "a", "kind": "Source"}, )",
                  sink = R"(, {"name": "c", "kind": "Consumer"})";
const std::string chain = R"({"from": "a.out", "to": "m.in"}, {"from": "m.out", "to": "c.in"})";
std::string withMap(const std::string& parameters) {
  return source + R"({"name": "m", "kind": "Map", "parameters": {)" + parameters + "}}" + sink;
}
std::string withSize(const std::string& size) {
  return R"({"name": "a", "kind": "Source", "parameters": {"size": )" + size + "}}" + sink;
}
std::string withRegion(const std::string& keys, const std::string& nodes, const std::string& streams) {
  return source + R"({"name": "r", "kind": "Region", )" + keys + R"("program": {"nodes": [)" + nodes +
         R"(], "streams": [)" + streams + "]}}";
}
const std::string direct = R"({"from": "a.out", "to": "c.in"})";
const std::string inner = R"({"name": "c", "kind": "Consumer"})",
                  intoInner = R"({"from": "region.x", "to": "c.in"})",
                  intoRegion = R"({"from": "a.out", "to": "r.x"})";

const std::vector<Mistake> mistakes{
    {"unknown kind", R"({"name": "a", "kind": "Sorce"})", "", "", "operator 'a'", "'Sorce'", "'Source'"},
    {"unknown kind in a region", withRegion("", R"({"name": "q", "kind": "Mapp"})", ""), "", "",
     "operator 'r.q'", "'Mapp'", "'Map'"},
    {"missing parameter", source + R"({"name": "m", "kind": "Map"})" + sink, chain, "",
     "operator 'm', parameter 'function'", "missing", "what to compute"},
    {"unknown parameter", withMap(R"("function": "exp", "compute_bv": 1)"), chain, "",
     "operator 'm', parameter 'compute_bv'", "Map has no", "'compute_bw'"},
    {"text where a choice is needed", withMap(R"("function": "exq")"), chain, "",
     "operator 'm', parameter 'function'", "'exq'", "'exp'"},
    {"number where a choice is needed", withMap(R"("function": 1)"), chain, "",
     "operator 'm', parameter 'function'", "the whole number 1", "silu"},
    {"number where true or false is needed", withMap(R"("function": "exp", "write_back": 1)"), chain, "",
     "parameter 'write_back'", "the whole number 1", "true or false"},
    {"true where a number is needed", withSize("true"), direct, "", "operator 'a', parameter 'size'",
     "found true", "E/2"},
    {"list where a number is needed", withSize("[1]"), direct, "", "operator 'a', parameter 'size'",
     "the list [1]", "E/2"},
    {"number where a list is needed", R"({"name": "a", "kind": "Source", "parameters": {"shape": 4}})" + sink,
     direct, "", "parameter 'shape'", "the whole number 4", "[1, N]"},
    {"list in a list", R"({"name": "a", "kind": "Source", "parameters": {"shape": [[4]]}})" + sink, direct,
     "", "parameter 'shape'", "the list [4]", "[1, N]"},
    {"below the minimum", withSize("0"), direct, "", "operator 'a', parameter 'size'", "below 1",
     "at least 1"},
    {"below the minimum by expression", withSize("\"D - 5\""), direct, R"("constants": {"D": 3}, )",
     "operator 'a', parameter 'size'", "'D - 5' = -2", "at least 1"},
    {"list element below the minimum",
     R"({"name": "a", "kind": "Source", "parameters": {"shape": [1, 0]}})" + sink, direct, "",
     "parameter 'shape'", "below 1", "at least 1"},
    {"unknown name in an expression", withSize("\"Dd\""), direct, R"("constants": {"Db": 3}, )",
     "operator 'a', parameter 'size'", "'Dd'", "'Db'"},
    {"syntax of an expression", withSize("\"2 +\""), direct, "", "operator 'a', parameter 'size'", "", ""},
    {"division by zero", withSize("\"4/(D-3)\""), direct, R"("constants": {"D": 3}, )",
     "operator 'a', parameter 'size'", "4/(D-3)", "constants"},
    {"too large for 64 bits", withSize("\"D*D\""), direct, R"("constants": {"D": 4294967296}, )",
     "operator 'a', parameter 'size'", "64 bits", "constants"},
    {"constants in a circle", withSize("\"A\""), direct, R"("constants": {"A": "B", "B": "C1", "C1": "A"}, )",
     "constant 'A'", "A -> B -> C1 -> A", "value of its own"},
    {"constant of itself", withSize("\"A\""), direct, R"("constants": {"A": "A + 1"}, )", "constant 'A'",
     "A -> A", "value of its own"},
    {"constant uses an unknown name", withSize("1"), direct, R"("constants": {"A": "Q"}, )", "constant 'A'",
     "'Q'", "'Q'"},
    {"constant named as a function", withSize("1"), direct, R"("constants": {"max": 1}, )", "constant 'max'",
     "name", "function"},
    {"knob default is no value", withSize("1"), direct,
     R"("knobs": [{"name": "k", "kind": "List", "values": [1, 2], "default": 3}], )", "knob 'k'", "default 3",
     "one of 1, 2"},
    {"knob without values", withSize("1"), direct,
     R"("knobs": [{"name": "k", "kind": "List", "default": 3}], )", "knob 'k'", "no value", "list"},
    {"knob with its ends swapped", withSize("1"), direct,
     R"("knobs": [{"name": "k", "kind": "Range", "minimum": 128, "maximum": 64, "default": 64}], )",
     "knob 'k'", "minimum 128 is above maximum 64", "maximum"},
    {"knob with step zero", withSize("1"), direct,
     R"("knobs": [{"name": "k", "kind": "Range", "maximum": 4, "step": 0, "default": 1}], )", "knob 'k'",
     "no value", "step"},
    {"knob with too many values", withSize("1"), direct,
     R"("knobs": [{"name": "k", "kind": "Range", "maximum": 4000000000, "default": 1}], )", "knob 'k'",
     "4000000000", "larger step"},
    {"choice of an unknown knob", withMap(R"("function": "=kk")"), chain,
     R"("knobs": [{"name": "k", "kind": "Choice", "choices": ["exp"], "default": "exp"}], )",
     "operator 'm', parameter 'function'", "'kk'", "'k'"},
    {"choice of a number knob", withMap(R"("function": "=k")"), chain,
     R"("knobs": [{"name": "k", "kind": "Range", "default": 1}], )", "operator 'm', parameter 'function'",
     "numbers", "Choice"},
    {"unknown input", R"({"name": "a", "kind": "Select", "parameters": {"input": "routin"}})" + sink, direct,
     R"("inputs": [{"name": "routing", "kind": "Routing"}], )", "operator 'a', parameter 'input'", "'routin'",
     "'routing'"},
    {"unknown node in a stream", source + inner, R"({"from": "b.out", "to": "c.in"})", "",
     "stream '#c.in' (b.out -> c.in)", "'b'", "'a'"},
    {"unknown output", source + inner, R"({"from": "a.oot", "to": "c.in"})", "", "stream '#c.in'", "'oot'",
     "'out'"},
    {"output of a sink", source + inner, R"({"from": "c.out", "to": "c.in"})", "", "stream '#c.in'",
     "'c' has no output", "remove"},
    {"stream the wrong way round", source + inner, R"({"from": "c.in", "to": "a.out"})", "",
     "stream '#a.out'", "'in' is an input", "swap"},
    {"index of a single port", source + inner, R"({"from": "a.out[0]", "to": "c.in"})", "", "stream '#c.in'",
     "single stream", "remove the index"},
    {"index beyond the bundle",
     source + R"({"name": "b", "kind": "Broadcast", "parameters": {"ways": 2}})" + sink,
     R"({"from": "a.out", "to": "b.in"}, {"from": "b.out[2]", "to": "c.in"})", "", "stream '#c.in'",
     "2 streams", "0 to 1"},
    {"negative index", source + R"({"name": "b", "kind": "Broadcast", "parameters": {"ways": 2}})" + sink,
     R"({"from": "b.out[-1]", "to": "c.in"})", "", "stream '#c.in'", "-1 is below 0", "at least 0"},
    {"index of an inner boundary",
     withRegion(R"("inputs": ["x"], )", inner, R"({"from": "region.x[0]", "to": "c.in"})"), intoRegion, "",
     "stream 'r#c.in'", "index", "remove the index"},
    {"boundary outside of regions", source + inner, R"({"from": "region.x", "to": "c.in"})", "",
     "stream '#c.in'", "boundary", "program"},
    {"unknown port of a boundary",
     withRegion(R"("inputs": ["x"], )", inner, R"({"from": "region.z", "to": "c.in"})"), intoRegion, "",
     "stream 'r#c.in'", "'z'", "x"},
    {"unknown port of a region",
     withRegion(R"("inputs": ["xin"], )", inner, R"({"from": "region.xin", "to": "c.in"})"),
     R"({"from": "a.out", "to": "r.xim"})", "", "stream '#r.xim'", "'xim'", "'xin'"},
    {"bundle into a single port",
     source + R"({"name": "b", "kind": "Broadcast", "parameters": {"ways": 2}})" + sink,
     R"({"from": "a.out", "to": "b.in"}, {"from": "b.out", "to": "c.in"})", "", "stream '#c.in'", "2 streams",
     "Reassemble"},
    {"single stream into a bundle",
     source + R"({"name": "g", "kind": "Gather", "parameters": {"ways": 2}})" + sink,
     R"({"from": "a.out", "to": "g.in"})", "", "stream '#g.in'", "2 streams", "Broadcast"},
    {"bundles of different widths",
     source +
         R"({"name": "b", "kind": "Broadcast", "parameters": {"ways": 2}}, {"name": "g", "kind": "Gather", "parameters": {"ways": 3}})" +
         sink,
     R"({"from": "b.out", "to": "g.in"})", "", "stream '#g.in'", "3 streams", "equal"},
    {"single stream into a replicated region",
     withRegion(R"("count": "E", "inputs": ["x"], )", inner, intoInner), intoRegion,
     R"("constants": {"E": 4}, )", "stream '#r.x' (a.out -> r.x)", "4 streams", "Broadcast with ways = E"},
    {"input fed twice", source + inner, direct + ", " + direct, "", "stream '#c.in~2'",
     "already fed by stream '#c.in'", "remove"},
    {"input not fed", source + R"({"name": "j", "kind": "Join"})" + sink,
     R"({"from": "a.out", "to": "j.in1"}, {"from": "j.out", "to": "c.in"})", "", "operator 'j', input 'in2'",
     "not fed", "connect"},
    {"output not consumed", R"({"name": "a", "kind": "Source"})", "", "", "operator 'a', output 'out'",
     "not consumed", "Consumer"},
    {"one element not consumed",
     source + R"({"name": "b", "kind": "Broadcast", "parameters": {"ways": 2}})" + sink,
     R"({"from": "a.out", "to": "b.in"}, {"from": "b.out[1]", "to": "c.in"})", "",
     "operator 'b', output 'out'", "[0]", "Consumer"},
    {"region input not fed",
     withRegion(R"("inputs": ["x"], )", inner, intoInner) + R"(, {"name": "c", "kind": "Consumer"})", direct,
     "", "region 'r', input 'x'", "no stream feeds it", "connect"},
    {"region input not read", withRegion(R"("inputs": ["x"], )", "", ""), intoRegion, "",
     "region 'r', input 'x'", "inside", "Consumer"},
    {"region output not made",
     withRegion(R"("outputs": ["y"], )", "", "") +
         R"(, {"name": "c", "kind": "Consumer"}, {"name": "d", "kind": "Consumer"})",
     direct + R"(, {"from": "r.y", "to": "d.in"})", "", "region 'r', output 'y'", "inside", "region.y"},
    {"region output not consumed",
     withRegion(R"("outputs": ["y"], )", R"({"name": "b", "kind": "Source"})",
                R"({"from": "b.out", "to": "region.y"})") +
         sink,
     direct, "", "region 'r', output 'y'", "no stream consumes it", "Consumer"},
    {"region with parameters", withRegion(R"("parameters": {"q": 1}, )", "", "") + sink, direct, "",
     "region 'r', parameter 'q'", "no parameters", "remove"},
    {"region count zero", withRegion(R"("count": 0, )", "", "") + sink, direct, "", "region 'r', count",
     "below 1", "at least 1"},
    {"region count unknown", withRegion(R"("count": "Q", )", "", "") + sink, direct, "", "region 'r', count",
     "'Q'", "'Q'"},
    {"region count too large",
     withRegion(R"("count": 3000000, )", R"({"name": "b", "kind": "Source"})", "") + sink, direct, "",
     "region 'r'", "2000000 operators", "counts"},
    {"regions multiply beyond the limit",
     withRegion(
         R"("count": 100000, )",
         R"({"name": "s", "kind": "Region", "count": 100000, "program": {"nodes": [{"name": "b", "kind": "Source"}], "streams": []}})",
         "") +
         sink,
     direct, "", "region 'r.s'", "2000000 operators", "counts"},
    {"bundle too wide",
     source + R"({"name": "b", "kind": "Broadcast", "parameters": {"ways": 9223372036854775807}})" + sink, "",
     "", "operator 'b'", "8000000 ports", "widths"},
    {"index named as a constant", withRegion(R"("index": "E", )", "", "") + sink, direct,
     R"("constants": {"E": 4}, )", "region 'r', index 'E'", "constant", "another name"},
    {"index twice",
     withRegion(R"("index": "i", )",
                R"({"name": "s", "kind": "Region", "index": "i", "program": {"nodes": [], "streams": []}})",
                "") +
         sink,
     direct, "", "region 'r.s', index 'i'", "around", "another name"},
    {"index used outside", withRegion(R"("index": "i", )", "", "") + sink,
     R"({"from": "a.out", "to": "c.in", "depth": "i"})", "", "stream '#c.in' (a.out -> c.in), depth", "'i'",
     "'i'"},
    {"one instance below the minimum",
     withRegion(
         R"("count": 3, "index": "i", )",
         R"({"name": "b", "kind": "Source", "parameters": {"size": "2 - i"}}, {"name": "d", "kind": "Consumer"})",
         R"({"from": "b.out", "to": "d.in"})") +
         sink,
     direct, "", "operator 'r.b', parameter 'size'", "i = 2", "at least 1"},
    {"depth zero", source + inner, R"({"from": "a.out", "to": "c.in", "depth": 0})", "",
     "stream '#c.in' (a.out -> c.in), depth", "below 1", "at least 1"},
    {"machine below its minimum", source + inner, direct, R"("machine": {"hbm_channels": 0}, )",
     "machine, hbm_channels", "below 1", "at least 1"},
    {"machine above its maximum", source + inner, direct, R"("machine": {"hbm_channels": 9999999999}, )",
     "machine, hbm_channels", "9999999999", "at most"},
    {"memory without banks", source + inner, direct,
     R"("machine": {"hbm_model": "hbm2", "hbm_timing": {"banks": 0}}, )", "machine, hbm_timing, banks",
     "below 1", "at least 1"},
    {"memory with too many banks", source + inner, direct,
     R"("machine": {"hbm_model": "hbm2", "hbm_channels": 65536}, )", "machine, hbm_timing", "banks", "lower"},
    {"more channels than can be simulated", source + inner, direct, R"("machine": {"hbm_channels": 65537}, )",
     "machine, hbm_channels", "above 65536", "at most 65536"},
    {"more scratchpads than can be simulated", source + inner, direct,
     R"("machine": {"scratchpads": 2147483648}, )", "machine, scratchpads", "above 1048576", "at most"},
    {"memory with a number out of its range", source + inner, direct,
     R"("machine": {"hbm_model": "hbm2", "hbm_timing": {"banks": 2000000}}, )", "machine, hbm_timing, banks",
     "above 1024", "at most 1024"},
    {"memory that serves nothing between refreshes", source + inner, direct,
     R"("machine": {"hbm_model": "hbm2", "hbm_timing": {"tRCD": 3640}}, )", "machine, hbm_timing, tREFI",
     "opening a row", "tRFC + tRP + tRCD = 3914"},
    {"depth that is too large", source + inner, R"({"from": "a.out", "to": "c.in", "depth": 2147483649})", "",
     "stream '#c.in' (a.out -> c.in), depth", "above 2147483648", "at most"},
    {"unknown timing", source + inner, direct,
     R"("machine": {"hbm_model": "hbm3", "hbm_timing": {"tXYZ": 3}}, )", "machine, hbm_timing, tXYZ",
     "no such", "tRCD"},
    {"address mapping with a part twice", source + inner, direct,
     R"("machine": {"hbm_model": "hbm3", "hbm_timing": {"mapping": "RoRoCoBgCh"}}, )",
     "machine, hbm_timing, mapping", "RoRoCoBgCh", "once each"},
    {"row of a part of a burst", source + inner, direct,
     R"("machine": {"hbm_model": "hbm2", "hbm_timing": {"row_bytes": 1000}}, )",
     "machine, hbm_timing, row_bytes", "whole number", "multiple"},
    {"always refreshing", source + inner, direct,
     R"("machine": {"hbm_model": "hbm2", "hbm_timing": {"tREFI": 200}}, )", "machine, hbm_timing, tREFI",
     "longer", "0 for no refresh"},
    {"timing of the memory node", source + inner, direct, R"("machine": {"hbm_timing": {"tRCD": 3}}, )",
     "machine, hbm_timing", "no such timing", "hbm_model"},
    {"machine with an unknown name", source + inner, direct, R"("machine": {"fifo_depth": "dept"}, )",
     "machine, fifo_depth", "'dept'", "'dept'"},
    {"circle of boundaries",
     withRegion(R"("inputs": ["x"], "outputs": ["y"], )", "", R"({"from": "region.x", "to": "region.y"})") +
         sink,
     direct + R"(, {"from": "r.y", "to": "r.x"})", "", "stream", "cycle", "remove"},
};

void expectMistake(const Mistake& mistake) {
  const Document document = test::programOf(mistake.nodes, mistake.streams, mistake.rest);
  const Result<FlatGraph> graph = elaborate(document, {}, test::programCatalog());
  ASSERT_FALSE(graph) << "it was elaborated";
  bool found = false;
  for (const Diagnostic& diagnostic : graph.diagnostics()) {
    EXPECT_FALSE(diagnostic.place.empty() || diagnostic.fix.empty() || diagnostic.cause.empty() ||
                 diagnostic.code.empty())
        << text(diagnostic);
    found = found || (text(diagnostic.place).find(mistake.place) != std::string::npos &&
                      diagnostic.cause.find(mistake.cause) != std::string::npos &&
                      diagnostic.fix.find(mistake.fix) != std::string::npos);
  }
  EXPECT_TRUE(found) << text(graph.diagnostics());
  EXPECT_TRUE(hasErrors(check(document, test::programCatalog())));
}

TEST(ProgramMistakes, MistakesAreToldWithPlaceCauseAndFix) {
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.name);
    expectMistake(mistake);
  }
}

TEST(ProgramMistakes, WhatElseTakesPartIsRelated) {
  struct Case {
    std::string streams, rest, code;
    std::vector<std::string> related;  ///< parts of the places
  };
  for (const Case& c : {Case{direct,
                             R"("constants": {"A": "B", "B": "C1", "C1": "A"}, )",
                             "recursive-definition",
                             {"constant 'B'", "constant 'C1'"}},
                        Case{direct + ", " + direct, "", "port-driven-twice", {"(a.out -> c.in)"}}}) {
    const auto graph =
        elaborate(test::programOf(withSize("1"), c.streams, c.rest), {}, test::programCatalog());
    ASSERT_FALSE(graph);
    const Diagnostic& first = graph.diagnostics().front();
    EXPECT_EQ(first.code, c.code);
    ASSERT_EQ(first.related.size(), c.related.size());
    for (std::size_t i = 0; i < c.related.size(); ++i)
      EXPECT_NE(text(first.related[i]).find(c.related[i]), std::string::npos) << text(first.related[i]);
  }
}

TEST(ProgramMistakes, DocumentsMadeInMemoryAreCheckedToo) {
  Document document;
  document.program.nodes = {{"a", "Source", {}, {}, {}},
                            {"a", "Source", {}, {}, {}},
                            {"region", "Source", {}, {}, {}},
                            {"r", "Region", {}, {}, {}}};
  document.knobs = {{"k", KnobKind::Range, 1, 1, 1, {}, {}, 1, ""},
                    {"k", KnobKind::Range, 1, 1, 1, {}, {}, 1, ""}};
  document.constants["k"] = 1;
  document.inputs = {{.name = "i", .kind = InputKind::Tensor, .file = {}, .data = {}, .counts = {}},
                     {.name = "i", .kind = InputKind::Tensor, .file = {}, .data = {}, .counts = {}}};
  const Result<FlatGraph> graph = elaborate(document, {}, test::programCatalog());
  ASSERT_FALSE(graph);
  const std::string all = text(graph.diagnostics());
  for (const char* part : {"two nodes of this name", "node 'region'", "without a program", "two knobs",
                           "knob of the same name", "two inputs"})
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

TEST(ProgramMistakes, KnobValuesAreChecked) {
  const Document document = test::programOf(
      withSize("\"k\""), direct,
      R"("knobs": [{"name": "k", "kind": "PowerOfTwo", "minimum": 2, "maximum": 8, "default": 4}], )");
  const Result<FlatGraph> allowed = elaborate(document, {{"k", 8}}, test::programCatalog());
  ASSERT_TRUE(allowed) << text(allowed.diagnostics());
  EXPECT_EQ(allowed->operators[0].parameters.integer("size"), 8);
  for (const auto& [knobs, cause] :
       {std::pair(KnobValues{{"k", 3}}, "the value 3"), {KnobValues{{"kk", 2}}, "no such knob"}}) {
    const Result<FlatGraph> graph = elaborate(document, knobs, test::programCatalog());
    ASSERT_FALSE(graph);
    EXPECT_NE(graph.diagnostics()[0].cause.find(cause), std::string::npos) << text(graph.diagnostics());
    EXPECT_FALSE(graph.diagnostics()[0].fix.empty());
  }
}

TEST(ProgramMistakes, ALongChainOfConstantsIsRefusedNotFollowedIntoTheGround) {
  Document document;
  for (int i = 0; i < 20'000; ++i)
    document.constants["c" + std::to_string(i)] = Value("c" + std::to_string(i + 1));
  document.constants["c20000"] = 1;
  EXPECT_FALSE(elaborate(document, {}, test::programCatalog()));
}

/// Each names the one before several times: small in the file, beyond all bounds once they are put in.
TEST(ProgramMistakes, ConstantsThatGrowWithEachStepAreRefused) {
  for (const std::string step : {"P*P", "max(P + x, 2*P + y)", "ceil(P*(P + x), y + P)", "P*(P + 1) + x"}) {
    Document document;
    for (const char* name : {"x", "y"}) {
      Knob knob;
      knob.name = name;
      knob.kind = KnobKind::List;
      knob.list = {1};
      knob.initial = 1;
      document.knobs.push_back(knob);
    }
    document.constants["c0"] = Value("x*y");
    for (int i = 1; i <= 100; ++i) {
      std::string text;
      for (const char c : step) text += c == 'P' ? "c" + std::to_string(i - 1) : std::string(1, c);
      document.constants["c" + std::to_string(i)] = Value(text);
    }
    const auto graph = elaborate(document, {}, test::programCatalog());
    ASSERT_FALSE(graph) << step;
    EXPECT_NE(text(graph.diagnostics()[0].place).find("constant 'c"), std::string::npos)
        << text(graph.diagnostics());
    EXPECT_FALSE(graph.diagnostics()[0].fix.empty());
  }
}

TEST(ProgramCheck, WarnsOfWhatIsNotUsed) {
  const Document document = test::programOf(
      withSize("\"D + used\""), direct,
      R"("constants": {"D": 1, "Unused": 2}, "knobs": [{"name": "used", "kind": "Range", "default": 1}, {"name": "idle", "kind": "Range", "default": 1, "choices": ["x"]}],
                                       "inputs": [{"name": "trace", "kind": "Lengths", "data": [1]}, {"name": "nothing", "kind": "Lengths"}, {"name": "both", "kind": "Lengths", "data": [1], "file": "f.npy"}], )");
  const std::string all = text(check(document, test::programCatalog()));
  for (const char* part : {"warning: constant 'Unused'", "warning: knob 'idle': nothing uses it", "'choices'",
                           "warning: input 'trace'", "error: input 'nothing'", "error: input 'both'"})
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
  EXPECT_EQ(all.find("'D'"), std::string::npos);
  EXPECT_EQ(all.find("'used'"), std::string::npos);
}

TEST(ProgramCheck, WidthsOfARegionUseConstants) {
  Document document;
  document.constants["W"] = Value(2);
  Node region;
  region.name = "expert";
  region.body = Region{};
  region.body->widths["x"] = Value("2*W");
  document.program.nodes = {region};
  EXPECT_EQ(text(check(document, test::programCatalog())).find("constant 'W'"), std::string::npos);
}

}  // namespace sluice::program_mistakes_test
