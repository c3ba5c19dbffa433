// Every way to get a .sluice file wrong that we thought of: each is refused with the right place, what is
// wrong, and a fix.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "engine/program/file_format.h"

namespace sluice::program_bad_files_test {

const char* const goodFile = R"({
  "sluice": 1,
  "title": "t",
  "description": "d",
  "constants": {
    "D": 64
  },
  "knobs": [
    {"name": "tile", "kind": "List", "values": [8, 16], "default": 8},
    {"name": "mode", "kind": "Choice", "choices": ["silu", "exp"], "default": "exp"}
  ],
  "program": {
    "nodes": [
      {"name": "a", "kind": "Source", "parameters": {"size": "D"}, "at": [0, 1.5]},
      {"name": "r", "kind": "Region", "count": 2, "index": "i", "inputs": ["x"], "outputs": ["y"], "program": {
        "nodes": [
          {"name": "m", "kind": "Map", "parameters": {"on": false}}
        ],
        "streams": [
          {"from": "region.x", "to": "m.in"},
          {"from": "m.out", "to": "region.y", "depth": 4}
        ]
      }}
    ],
    "streams": [
      {"from": "a.out", "to": "r.x"}
    ]
  },
  "schedule": [
    {"transformation": "tile", "arguments": {"by": 2}, "enabled": false}
  ],
  "machine": {
    "fifo_depth": 2, "mock_bf16": false
  },
  "inputs": [
    {"name": "routing", "kind": "Routing", "counts": [1, 1], "tokens": 2, "experts": 2, "top_k": 1},
    {"name": "lengths", "kind": "Lengths", "shape": [2, 2], "data": [1, 2, 3, 4]}
  ]
}
)";

/// The good file with `was` replaced by `is`; what is expected of the first diagnostic.
struct BadFile {
  const char* name;
  std::string was, is;
  const char* place;     ///< part of Diagnostic::place
  const char* mentions;  ///< part of cause or fix: the offending thing
};

std::string replaced(const BadFile& bad) {
  std::string text = goodFile;
  if (bad.was.empty()) return bad.is;
  const std::size_t at = text.find(bad.was);
  EXPECT_NE(at, std::string::npos) << "the test asks for " << bad.was;
  return at == std::string::npos ? text : text.replace(at, bad.was.size(), bad.is);
}

const std::string deepList = std::string(100'000, '[');
const std::string deepObject = [] {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "{\"a\":";
  return text;
}();

/// Regions in regions in regions.
std::string nestedRegions(int depth) {
  std::string open = "{\"sluice\": 1, \"program\": {\"nodes\": [", close = "]}}";
  for (int i = 0; i < depth; ++i) {
    open += "{\"name\": \"r\", \"kind\": \"Region\", \"program\": {\"nodes\": [";
    close = "]}}" + close;
  }
  return open + close;
}

// Syntax: the place is line and column.
const std::vector<BadFile> syntaxErrors{
    {"empty file", "", "", "line 1, column 1", "unexpected end"},
    {"only spaces", "", "  \n \n", "line 3", "unexpected end"},
    {"value instead of a colon", "\"inputs\": [", "\"inputs\": [{\"name\"", "line 15", "colon"},
    {"cut in the middle", "", std::string(goodFile).substr(0, 200), "line 10", "ends too early"},
    {"missing comma", "\"title\": \"t\",", "\"title\": \"t\"", "line 4, column 3", "comma"},
    {"missing colon", "\"title\": \"t\"", "\"title\" \"t\"", "line 3, column", "colon"},
    {"trailing comma in a list", "[8, 16]", "[8, 16, ]", "line 9, column", "comma before"},
    {"trailing comma in an object", "\"D\": 64", "\"D\": 64,", "line 7, column 3", "comma before"},
    {"line comment", "\"title\"", "// here\n\"title\"", "line 3, column 3", "comment"},
    {"hash comment", "\"title\"", "# here\n\"title\"", "line 3, column 3", "comment"},
    {"single quotes", "\"t\"", "'t'", "line 3, column 12", "double quotes"},
    {"bare word", "\"t\"", "t", "line 3, column 12", "literal"},
    {"capital True", "\"mock_bf16\": false", "\"mock_bf16\": False", "line 33", "lower case"},
    {"unclosed quote", "\"title\": \"t\",", "\"title\": \"t,", "line 3, column", "control character"},
    {"line break in text", "\"t\"", "\"t\n\"", "line 3, column", "control character"},
    {"bad escape", "\"t\"", "\"\\q\"", "line 3, column", "backslash"},
    {"half a surrogate", "\"t\"", "\"\\ud800\"", "line 3, column", "surrogate"},
    {"NaN", "1.5", "NaN", "line 14, column", "NaN"},
    {"infinity", "1.5", "Infinity", "line 14, column", "infinity"},
    {"minus infinity", "1.5", "-Infinity", "line 14, column", "infinity"},
    {"number too large for a double", "1.5", "1e999", "line 14, column", "1e999"},
    {"leading zero", "\"depth\": 4", "\"depth\": 04", "line 21, column", "leading zeros"},
    {"leading plus", "\"depth\": 4", "\"depth\": +4", "line 21, column", "+"},
    {"hexadecimal", "\"depth\": 4", "\"depth\": 0x4", "line 21, column", "0x"},
    {"key without quotes", "\"title\"", "title", "line 3, column", "quotes"},
    {"wrong bracket", "[8, 16]", "[8, 16}", "line 9, column", "bracket"},
    {"two documents", "", std::string(goodFile) + goodFile, "line 40, column 1", "end of input"},
    {"closing brace too many", "", std::string(goodFile) + "}", "line 40, column 1", "end of input"},
    {"invalid UTF-8", "\"t\"", "\"\xff\"", "line 3, column", "UTF-8"},
    {"overlong UTF-8", "\"t\"", "\"\xc0\xaf\"", "line 3, column", "UTF-8"},
    {"UTF-16", "", std::string("\xff\xfe{\0", 4), "line 1", "zero byte"},
    {"zero byte", "\"t\"", std::string("\"\0\"", 3), "line 3, column", "zero byte"},
    {"zero byte behind the end", "", goodFile + std::string("\0 more", 6), "line 40, column 1", "zero byte"},
    {"not JSON", "", "digraph { a -> b }", "line 1, column 1", "literal"},
    {"nested lists without end", "", deepList, "line 1", "100 deep"},
    {"nested objects without end", "", deepObject, "line 1", "100 deep"},
};

// Schema: the place is the JSON path, and the line.
const std::vector<BadFile> schemaErrors{
    {"a list at the top", "", "[]", "$", "an object"},
    {"a number at the top", "", "3", "$", "found 3"},
    {"no version", "\"sluice\": 1,", "", "$", "\"sluice\""},
    {"newer version", "\"sluice\": 1", "\"sluice\": 2", "line 2, $.sluice", "newer Sluice"},
    {"version zero", "\"sluice\": 1", "\"sluice\": 0", "line 2, $.sluice", "version 0"},
    {"version as text", "\"sluice\": 1", "\"sluice\": \"1\"", "line 2, $.sluice", "found \"1\""},
    {"version 1.0", "\"sluice\": 1", "\"sluice\": 1.0", "line 2, $.sluice", "found 1.0"},
    {"misspelt key at the top", "\"machine\"", "\"machin\"", "line 32, $.machin", "did you mean 'machine'?"},
    {"unknown key at the top", "\"title\"", "\"zzz\"", "line 3, $.zzz", "\"zzz\""},
    {"key with odd letters", "\"title\"", "\"a b\"", "line 3, $[\"a b\"]", "\"a b\""},
    {"duplicate key at the top", "\"title\": \"t\",", "\"title\": \"t\", \"title\": \"u\",", "line 3",
     "\"title\""},
    {"duplicate parameter", "{\"size\": \"D\"}", "{\"size\": \"D\", \"size\": 2}", "line 14", "\"size\""},
    {"duplicate constant", "\"D\": 64", "\"D\": 64,\n \"D\": 65", "line 7", "\"D\""},
    {"title is a number", "\"t\"", "7", "line 3, $.title", "found 7"},
    {"title is null", "\"t\"", "null", "line 3, $.title", "found null"},
    {"constants is a list", "{\n    \"D\": 64\n  }", "[64]", "$.constants", "a list of 1"},
    {"constant is a fraction", "64", "64.5", "line 6, $.constants.D", "64.5"},
    {"constant is true", "64", "true", "line 6, $.constants.D", "found true"},
    {"constant does not fit", "64", "99999999999999999999", "line 6, $.constants.D",
     "a number that does not fit in 64 bits"},
    {"constant just above int64", "64", "9223372036854775808", "line 6, $.constants.D",
     "9223372036854775808"},
    {"constant with a bad name", "\"D\"", "\"2D\"", "$.constants[\"2D\"]", "2D"},
    {"constant without a name", "\"D\"", "\"\"", "$.constants[\"\"]", "\"\""},
    {"knobs is an object", "\"schedule\": [", "\"schedule\": {}, \"knobs\": [", "line 29", "\"knobs\""},
    {"knob without name", "{\"name\": \"tile\", ", "{", "line 9, $.knobs[0]", "\"name\""},
    {"knob without kind", "\"kind\": \"List\", ", "", "line 9, $.knobs[0]", "\"kind\""},
    {"knob without default", ", \"default\": 8", "", "line 9, $.knobs[0]", "\"default\""},
    {"knob of unknown kind", "\"kind\": \"List\"", "\"kind\": \"Lst\"", "line 9, $.knobs[0].kind", "'List'"},
    {"knob with a bad name", "\"name\": \"tile\", \"kind\"", "\"name\": \"ti le\", \"kind\"",
     "$.knobs[0].name", "ti le"},
    {"knob values hold text", "[8, 16]", "[8, \"16\"]", "line 9, $.knobs[0].values[1]", "\"16\""},
    {"knob default is text", "\"default\": 8", "\"default\": \"8\"", "$.knobs[0].default", "\"8\""},
    {"knob default is no choice", "\"default\": \"exp\"", "\"default\": \"exq\"", "$.knobs[1].default",
     "'exp'"},
    {"knob choice twice", "[\"silu\", \"exp\"]", "[\"exp\", \"exp\"]", "$.knobs[1].choices", "twice"},
    {"two knobs of one name", "\"name\": \"mode\"", "\"name\": \"tile\"", "line 10, $.knobs[1]", "'tile'"},
    {"knob named as a constant", "\"name\": \"mode\"", "\"name\": \"D\"", "line 10, $.knobs[1]", "'D'"},
    {"unknown key in a knob", "\"values\": [8, 16]", "\"vals\": [8, 16]", "$.knobs[0].vals", "\"vals\""},
    {"no program", "\"program\": {\n    \"nodes\": [\n      {\"name\": \"a\"",
     "\"programm\": {\n    \"nodes\": [\n      {\"name\": \"a\"", "$.programm", "'program'"},
    {"node is a text",
     "{\"name\": \"a\", \"kind\": \"Source\", \"parameters\": {\"size\": \"D\"}, \"at\": [0, 1.5]}", "\"a\"",
     "line 14, $.program.nodes[0]", "found \"a\""},
    {"node without name", "{\"name\": \"a\", ", "{", "line 14, $.program.nodes[0]", "\"name\""},
    {"node without kind", "\"kind\": \"Source\", ", "", "line 14, $.program.nodes[0]", "\"kind\""},
    {"node with a dot in its name", "\"name\": \"a\"", "\"name\": \"a.b\"",
     "line 14, $.program.nodes[0].name", "a.b"},
    {"node named region", "\"name\": \"a\"", "\"name\": \"region\"", "$.program.nodes[0].name", "'region'"},
    {"two nodes of one name", "\"name\": \"r\"", "\"name\": \"a\"", "line 15, $.program.nodes[1]", "'a'"},
    {"unknown key in a node", "\"at\": [0, 1.5]", "\"pos\": [0, 1.5]", "line 14, $.program.nodes[0].pos",
     "\"pos\""},
    {"region key in an operator", "\"at\": [0, 1.5]", "\"count\": 2", "$.program.nodes[0].count",
     "\"count\""},
    {"parameters is a list", "{\"size\": \"D\"}", "[1]", "$.program.nodes[0].parameters", "a list of 1"},
    {"parameter is null", "{\"size\": \"D\"}", "{\"size\": null}", "$.program.nodes[0].parameters.size",
     "found null"},
    {"parameter is a fraction", "{\"size\": \"D\"}", "{\"size\": 2.5}", "$.program.nodes[0].parameters.size",
     "found 2.5"},
    {"parameter is an object", "{\"size\": \"D\"}", "{\"size\": {}}", "$.program.nodes[0].parameters.size",
     "an object"},
    {"null within a parameter", "{\"size\": \"D\"}", "{\"size\": [1, [null]]}",
     "$.program.nodes[0].parameters.size[1][0]", "null"},
    {"position with three numbers", "[0, 1.5]", "[0, 1, 2]", "$.program.nodes[0].at", "[x, y]"},
    {"position is a text", "[0, 1.5]", "\"0,1\"", "$.program.nodes[0].at", "\"0,1\""},
    {"position holds text", "[0, 1.5]", "[0, \"1\"]", "$.program.nodes[0].at[1]", "\"1\""},
    {"region without program", "\"outputs\": [\"y\"], \"program\": {", "\"outputs\": [\"y\"], \"body\": {",
     "line 15, $.program.nodes[1]", "program"},
    {"region count is a list", "\"count\": 2", "\"count\": [2]", "$.program.nodes[1].count", "a list of 1"},
    {"region index is a number", "\"index\": \"i\"", "\"index\": 3", "$.program.nodes[1].index", "found 3"},
    {"region port twice", "\"inputs\": [\"x\"]", "\"inputs\": [\"x\", \"x\"]", "$.program.nodes[1].inputs[1]",
     "'x'"},
    {"region port in and out", "\"outputs\": [\"y\"]", "\"outputs\": [\"x\"]",
     "$.program.nodes[1].outputs[0]", "'x'"},
    {"region port is a number", "\"inputs\": [\"x\"]", "\"inputs\": [1]", "$.program.nodes[1].inputs[0]",
     "found 1"},
    {"collapsed is a number", "\"index\": \"i\"", "\"collapsed\": 1", "$.program.nodes[1].collapsed",
     "true or false"},
    {"misspelt key inside a region", "\"on\": false}}", "\"on\": false}, \"kin\": 1}",
     "line 17, $.program.nodes[1].program.nodes[0].kin", "'kind'"},
    {"regions nested without end", "", nestedRegions(25), "line 1, $.program.nodes[0]", "16 deep"},
    {"stream without from", "{\"from\": \"a.out\", ", "{", "line 26, $.program.streams[0]", "\"from\""},
    {"stream without to", ", \"to\": \"r.x\"", "", "line 26, $.program.streams[0]", "\"to\""},
    {"stream end without port", "\"a.out\"", "\"a\"", "line 26, $.program.streams[0].from", "node.port"},
    {"stream end is a number", "\"a.out\"", "4", "line 26, $.program.streams[0].from", "found 4"},
    {"stream end with open bracket", "\"a.out\"", "\"a.out[1\"", "$.program.streams[0].from", "a.out[1"},
    {"stream end with empty bracket", "\"a.out\"", "\"a.out[]\"", "$.program.streams[0].from", "a.out[]"},
    {"stream end with too many dots", "\"a.out\"", "\"a.b.out\"", "$.program.streams[0].from", "a.b.out"},
    {"stream depth is true", "\"depth\": 4", "\"depth\": true",
     "line 21, $.program.nodes[1].program.streams[1].depth", "found true"},
    {"stream depth is a fraction", "\"depth\": 4", "\"depth\": 4.0",
     "$.program.nodes[1].program.streams[1].depth", "4.0"},
    {"unknown key in a stream", "\"depth\"", "\"dept\"", "$.program.nodes[1].program.streams[1].dept",
     "'depth'"},
    {"schedule is an object",
     "\"schedule\": [\n    {\"transformation\": \"tile\", \"arguments\": {\"by\": 2}, \"enabled\": false}\n  "
     "]",
     "\"schedule\": {}", "$.schedule", "an object"},
    {"step without transformation", "\"transformation\": \"tile\", ", "", "line 30, $.schedule[0]",
     "\"transformation\""},
    {"step arguments are a list", "{\"by\": 2}", "[2]", "$.schedule[0].arguments", "a list of 1"},
    {"step enabled is text", "\"enabled\": false", "\"enabled\": \"no\"", "$.schedule[0].enabled", "\"no\""},
    {"machine is a text", "{\n    \"fifo_depth\": 2, \"mock_bf16\": false\n  }", "\"big\"", "$.machine",
     "\"big\""},
    {"misspelt machine key", "\"fifo_depth\"", "\"fifo_dept\"", "line 33, $.machine.fifo_dept",
     "'fifo_depth'"},
    {"machine number is false", "\"fifo_depth\": 2", "\"fifo_depth\": false", "$.machine.fifo_depth",
     "false"},
    {"machine flag is a number", "\"mock_bf16\": false", "\"mock_bf16\": 0", "$.machine.mock_bf16",
     "found 0"},
    {"input without kind", "\"kind\": \"Routing\", ", "", "line 36, $.inputs[0]", "\"kind\""},
    {"input of unknown kind", "\"Routing\"", "\"routing\"", "line 36, $.inputs[0].kind", "'Routing'"},
    {"two inputs of one name", "\"name\": \"lengths\"", "\"name\": \"routing\"", "line 37, $.inputs[1]",
     "'routing'"},
    {"input counts hold text", "\"counts\": [1, 1]", "\"counts\": [1, \"1\"]", "$.inputs[0].counts[1]",
     "\"1\""},
    {"input seed is negative", "\"top_k\": 1", "\"seed\": -1", "$.inputs[0].seed", "-1"},
    {"input seed is too large", "\"top_k\": 1", "\"seed\": 18446744073709551616", "$.inputs[0].seed",
     "2^64-1"},
    {"data does not fill its shape", "[1, 2, 3, 4]", "[1, 2, 3]", "line 37, $.inputs[1].data", "found 3"},
    {"shape without data", ", \"data\": [1, 2, 3, 4]", "", "line 37, $.inputs[1]", "\"data\""},
    {"shape is negative", "\"shape\": [2, 2]", "\"shape\": [-2, 2]", "$.inputs[1].shape", "negative"},
    {"shape overflows", "\"shape\": [2, 2]", "\"shape\": [4294967296, 4294967296, 4294967296]",
     "$.inputs[1].shape", "64 bits"},
    {"data holds a fraction", "[1, 2, 3, 4]", "[1, 2, 3, 4.5]", "$.inputs[1].data[3]", "4.5"},
    {"data holds lists", "[1, 2, 3, 4]", "[[1, 2], [3, 4]]", "$.inputs[1].data[0]", "a list of 2"},
};

void expectRefused(const BadFile& bad) {
  const Result<Document> document = parseDocument(replaced(bad), "bad.sluice");
  ASSERT_FALSE(document) << "it was read";
  const Diagnostic& first = document.diagnostics()[0];
  EXPECT_TRUE(text(first.place).starts_with("bad.sluice")) << text(first);
  EXPECT_NE(text(first.place).find(bad.place), std::string::npos) << text(first);
  EXPECT_NE((first.cause + " " + first.fix).find(bad.mentions), std::string::npos) << text(first);
  for (const Diagnostic& diagnostic : document.diagnostics()) {
    EXPECT_EQ(diagnostic.severity, Severity::Error);
    EXPECT_FALSE(diagnostic.cause.empty());
    EXPECT_FALSE(diagnostic.fix.empty());
    EXPECT_FALSE(diagnostic.code.empty());
    EXPECT_EQ(diagnostic.cause.find("json.exception"), std::string::npos)
        << "a library's own words: " << text(first);
  }
}

TEST(ProgramBadFiles, TheGoodFileIsGood) {
  const Result<Document> document = parseDocument(goodFile, "good.sluice");
  ASSERT_TRUE(document) << text(document.diagnostics());
  EXPECT_EQ(document->program.nodes[1].body->body.streams[1].depth, Value(4));
}

TEST(ProgramBadFiles, SyntaxErrorsNameLineAndColumn) {
  for (const BadFile& bad : syntaxErrors) {
    SCOPED_TRACE(bad.name);
    expectRefused(bad);
  }
}

TEST(ProgramBadFiles, SchemaErrorsNamePathAndLine) {
  for (const BadFile& bad : schemaErrors) {
    SCOPED_TRACE(bad.name);
    expectRefused(bad);
  }
}

TEST(ProgramBadFiles, ThereAreManyKinds) {
  std::set<std::string> names;
  for (const auto* list : {&syntaxErrors, &schemaErrors})
    for (const BadFile& bad : *list) EXPECT_TRUE(names.insert(bad.name).second) << bad.name;
  EXPECT_GE(names.size(), 60u);
}

TEST(ProgramBadFiles, SeveralMistakesAreToldAtOnce) {
  std::string bad = goodFile;
  bad.replace(bad.find("\"t\""), 3, "1");
  bad.replace(bad.find("\"depth\": 4"), 10, "\"depth\": []");
  const Result<Document> document = parseDocument(bad, "bad.sluice");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.diagnostics().size(), 2u) << text(document.diagnostics());
}

TEST(ProgramBadFiles, TheFirstUseOfANameIsRelated) {
  std::string keys = goodFile, names = goodFile;
  keys.replace(keys.find("\"description\""), 13, "\"title\"");
  names.replace(names.find("\"mode\""), 6, "\"tile\"");
  const Location file(Where::File, "bad.sluice");
  for (const auto& [bad, code, first] :
       {std::tuple(keys, "duplicate-field", file / Location(Where::Line, 3)),
        {names, "duplicate-name",
         file / Location(Where::Line, 9) / Location(Where::JsonPath, "$.knobs[0]")}}) {
    const Result<Document> document = parseDocument(bad, "bad.sluice");
    ASSERT_FALSE(document);
    EXPECT_EQ(document.diagnostics().front().code, code);
    EXPECT_EQ(document.diagnostics().front().related, std::vector<Location>{first});
  }
}

TEST(ProgramBadFiles, AFloodOfMistakesIsCutOff) {
  std::string nodes;
  for (int i = 0; i < 10'000; ++i) nodes += (i > 0 ? "," : "") + std::string("{}");
  const Result<Document> document =
      parseDocument("{\"sluice\":1,\"program\":{\"nodes\":[" + nodes + "]}}", "bad");
  ASSERT_FALSE(document);
  EXPECT_LE(document.diagnostics().size(), 100u);
}

TEST(ProgramBadFiles, HugeTextsAreRefused) {
  const Result<Document> large = parseDocument(std::string((64u << 20) + 1, ' '), "bad");
  ASSERT_FALSE(large);
  EXPECT_NE(large.diagnostics()[0].cause.find("64 MiB"), std::string::npos);
  std::string numbers = "[";
  for (int i = 0; i < 4'000'001; ++i) numbers += "0,";
  const Result<Document> many = parseDocument(numbers + "0]", "bad");
  ASSERT_FALSE(many);
  EXPECT_NE(many.diagnostics()[0].cause.find("4000000 values"), std::string::npos)
      << text(many.diagnostics());
}

TEST(ProgramBadFiles, AMissingFileIsTold) {
  const Result<Document> document = loadDocument("/nowhere/at/all.sluice");
  ASSERT_FALSE(document);
  EXPECT_NE(text(document.diagnostics()[0].place).find("/nowhere/at/all.sluice"), std::string::npos);
  EXPECT_FALSE(document.diagnostics()[0].fix.empty());
}

/// Cut, doubled, swapped and changed bytes: whatever comes out, no crash and no refusal without a reason.
TEST(ProgramBadFiles, DamagedTextNeverCrashes) {
  std::mt19937 random(7);
  const std::string good = goodFile;
  for (int i = 0; i < 5'000; ++i) {
    std::string bad = good;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int k = 0; k < changes; ++k) {
      const std::size_t at = random() % bad.size();
      switch (random() % 4) {
        case 0:
          bad[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          bad.erase(at, 1 + random() % 20);
          break;
        case 2:
          bad.insert(at, good.substr(random() % good.size(), random() % 40));
          break;
        default:
          bad[at] = "{}[]\",:0-9e."[random() % 12];
          break;
      }
    }
    const Result<Document> document = parseDocument(bad, "damaged");
    if (document) {
      const Result<Document> again = parseDocument(writeDocument(*document), "again");
      ASSERT_TRUE(again) << text(again.diagnostics()) << bad;
      EXPECT_TRUE(*again == *document) << bad;
    } else {
      for (const Diagnostic& diagnostic : document.diagnostics())
        EXPECT_FALSE(diagnostic.place.empty() || diagnostic.cause.empty() || diagnostic.fix.empty()) << bad;
    }
  }
}

}  // namespace sluice::program_bad_files_test
