// The file format: what is written is read back equal, and written again gives the same bytes.

#include "engine/program/file_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

#include "engine/core/atomic_file.h"
#include "engine/program/fields.h"

namespace sluice::program_file_format_test {

/// Random documents that use every key, every type and awkward values.
class RandomDocument {
 public:
  explicit RandomDocument(unsigned seed) : random_(seed) {}

  Document make() {
    Document document;
    document.title = text();
    document.description = text();
    for (int i = below(4); i > 0; --i) document.constants[name("c")] = number();
    for (int i = below(4); i > 0; --i) document.knobs.push_back(knob());
    document.program = graph(0);
    for (int i = below(3); i > 0; --i) document.schedule.push_back({name("t"), values(), chance()});
    document.machine = machine();
    for (int i = below(3); i > 0; --i) document.inputs.push_back(input());
    for (int i = below(3); i > 0; --i) document.pinned.insert(name("n"));
    return document;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  bool chance() { return below(2) == 0; }
  std::string name(const char* stem) { return std::string(stem) + "_" + std::to_string(count_++); }

  std::string text() {
    static const std::vector<std::string> parts{"",           "a",      "\"",        "\\",     "/",
                                                "\n\t",       "\x01",   "\x7f",      "\u00e9", "\u4e16",
                                                "\U0001F600", "{}[],:", "</script>", " "};
    std::string line;
    for (int i = below(5); i > 0; --i)
      line += parts[static_cast<std::size_t>(below(static_cast<int>(parts.size())))];
    return line;
  }
  std::int64_t integer() {
    static const std::vector<std::int64_t> awkward{0,
                                                   1,
                                                   -1,
                                                   2,
                                                   64,
                                                   std::numeric_limits<std::int64_t>::max(),
                                                   std::numeric_limits<std::int64_t>::min(),
                                                   1'000'000'007};
    return awkward[static_cast<std::size_t>(below(static_cast<int>(awkward.size())))];
  }
  double real() {
    static const std::vector<double> awkward{0.0,
                                             -0.0,
                                             1.0,
                                             -2.5,
                                             0.1,
                                             1.0 / 3.0,
                                             1e300,
                                             5e-324,
                                             1e21,
                                             123456789.125,
                                             -1e-7,
                                             9007199254740993.0,
                                             1.8446744073709552e19};
    return awkward[static_cast<std::size_t>(below(static_cast<int>(awkward.size())))];
  }
  Value number() { return chance() ? Value(integer()) : Value("F/" + std::to_string(below(9))); }
  Value value(int depth = 0) {
    switch (below(depth < 2 ? 4 : 3)) {
      case 0:
        return integer();
      case 1:
        return chance();
      case 2:
        return text();
      default:
        break;
    }
    std::vector<Value> list;
    for (int i = below(4); i > 0; --i) list.push_back(value(depth + 1));
    return list;
  }
  Values values() {
    Values result;
    for (int i = below(4); i > 0; --i) result[chance() ? text() : name("p")] = value();
    return result;
  }
  std::vector<std::int64_t> integers() {
    std::vector<std::int64_t> list;
    for (int i = below(4); i > 0; --i) list.push_back(integer());
    return list;
  }
  Knob knob() {
    Knob knob;
    knob.name = name("k");
    knob.kind = static_cast<KnobKind>(below(4));
    if (chance()) knob.minimum = integer();
    if (chance()) knob.maximum = integer();
    if (chance()) knob.step = integer();
    if (chance()) knob.list = integers();
    if (chance()) knob.choices = {"one", "two " + text(), "three"};
    knob.initial = chance() ? below(3) : integer();
    knob.help = text();
    return knob;
  }
  Endpoint endpoint() {
    Endpoint end{chance() ? name("n") : "region", name("port"), std::nullopt};
    if (chance()) end.index = chance() ? Value(integer()) : Value("i+" + std::to_string(below(9)));
    return end;
  }
  Graph graph(int depth) {
    Graph graph;
    for (int i = below(4); i > 0; --i) {
      Node node{name("n"), "Map", values(), std::nullopt, {}};
      if (chance()) node.at = Position{real(), real()};
      if (depth < 3 && below(3) == 0) {
        node.kind = "Region";
        Region region;
        region.count = number();
        if (chance()) region.index = name("i");
        for (int k = below(3); k > 0; --k) region.inputs.push_back(name("in"));
        for (int k = below(3); k > 0; --k) region.outputs.push_back(name("out"));
        if (chance()) region.widths = {{"in", number()}};
        region.by_instance = chance();
        region.collapsed = chance();
        region.body = this->graph(depth + 1);
        node.body = std::move(region);
      }
      graph.nodes.push_back(std::move(node));
    }
    for (int i = below(4); i > 0; --i) {
      Stream stream{endpoint(), endpoint(), std::nullopt};
      if (chance()) stream.depth = number();
      graph.streams.push_back(std::move(stream));
    }
    return graph;
  }
  Machine machine() {
    Machine machine;
    if (chance()) machine.name = text();
    for (const Field<Machine>& field : fields<Machine>())
      if (field.bound && chance()) machine.*field.as<Value>() = number();
    machine.mock_bf16 = chance();
    machine.reference_mode = chance();
    machine.hbm_model = static_cast<HbmModel>(below(3));
    if (chance()) machine.hbm_timing = {{"tRCD", number()}, {"mapping", Value("RoBaCoBgCh")}};
    return machine;
  }
  Input input() {
    Input input;
    input.name = name("input");
    input.kind = static_cast<InputKind>(below(3));
    if (chance()) input.file = text();
    if (chance()) input.counts = integers();
    if (chance()) input.tokens = integer();
    if (chance()) input.experts = integer();
    if (chance()) input.top_k = integer();
    if (chance()) input.seed = std::numeric_limits<std::uint64_t>::max() - static_cast<unsigned>(below(3));
    if (chance()) {
      input.data.emplace();
      std::size_t size = 1;
      for (int i = below(4); i > 0; --i) {
        input.data->shape.push_back(static_cast<std::size_t>(below(4)));
        size *= input.data->shape.back();
      }
      for (std::size_t i = 0; i < size; ++i) input.data->data.push_back(integer());
    }
    return input;
  }

  std::mt19937 random_;
  int count_ = 0;
};

TEST(ProgramFileFormat, RandomDocumentsSurviveWritingAndReading) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    const Document document = RandomDocument(seed).make();
    const std::string bytes = writeDocument(document);
    const Result<Document> read = parseDocument(bytes, "random");
    ASSERT_TRUE(read) << "seed " << seed << "\n" << text(read.diagnostics()) << bytes;
    EXPECT_TRUE(*read == document) << "seed " << seed << "\n" << bytes;
    EXPECT_EQ(writeDocument(*read), bytes) << "seed " << seed;
  }
}

TEST(ProgramFileFormat, EveryFieldMatters) {
  // Documents made from different seeds differ, and so do their texts: nothing is dropped on the way.
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Document a = RandomDocument(seed).make(), b = RandomDocument(seed + 1000).make();
    EXPECT_EQ(a == b, writeDocument(a) == writeDocument(b)) << seed;
  }
}

TEST(ProgramFileFormat, WritesOneNodeAndOneStreamALine) {
  const char* const expected = R"({
  "sluice": 1,
  "title": "small",
  "constants": {
    "D": 64
  },
  "knobs": [
    {"name": "mode", "kind": "Choice", "choices": ["silu", "exp"], "default": "exp"}
  ],
  "program": {
    "nodes": [
      {"name": "a", "kind": "Source", "parameters": {"shape": [1, "D/2"], "size": "D"}, "at": [0, -1.5]},
      {"name": "r", "kind": "Region", "count": "E", "index": "e", "inputs": ["x"], "collapsed": false, "program": {
        "nodes": [
          {"name": "sink", "kind": "Consumer"}
        ],
        "streams": [
          {"from": "region.x", "to": "sink.in"}
        ]
      }}
    ],
    "streams": [
      {"from": "a.out[e+1]", "to": "r.x[2]", "depth": 4}
    ]
  },
  "machine": {
    "fifo_depth": 1
  }
}
)";
  const Result<Document> document = parseDocument(expected, "small");
  ASSERT_TRUE(document) << text(document.diagnostics());
  EXPECT_EQ(writeDocument(*document), expected);
  EXPECT_EQ(document->knobs[0].initial, 1);
  EXPECT_EQ(document->program.streams[0].from, (Endpoint{"a", "out", Value("e+1")}));
  EXPECT_EQ(document->program.streams[0].to, (Endpoint{"r", "x", Value(2)}));
}

TEST(ProgramFileFormat, PinsStandBesideTheProgram) {
  Document document;
  document.program.nodes.push_back({"a", "Map", {}, Position{1, 2}, {}});
  const std::string bare = writeDocument(document);
  document.pinned = {"r.b", "a"};
  const std::string pinned = writeDocument(document);
  EXPECT_EQ(pinned, bare.substr(0, bare.size() - 3) + ",\n  \"pinned\": [\"a\", \"r.b\"]\n}\n");
  EXPECT_EQ(parseDocument(pinned, "pins")->pinned, document.pinned);
  const Result<Document> refused =
      parseDocument(bare.substr(0, bare.size() - 3) + ", \"pinned\": [1]}", "pins");
  ASSERT_FALSE(refused);
  EXPECT_NE(text(refused.diagnostics().front().place).find("$.pinned[0]"), std::string::npos);
}

TEST(ProgramFileFormat, NestedListsGiveATensorItsShape) {
  const auto document = [](const std::string& rest) {
    return parseDocument(
        R"({"sluice": 1, "program": {}, "inputs": [{"name": "t", "kind": "Tensor", )" + rest + "}]}",
        "nested");
  };
  const Result<Document> nested = document(R"("data": [[1, 2, 3], [4, 5, 6]])");
  ASSERT_TRUE(nested) << text(nested.diagnostics());
  EXPECT_EQ(*nested, *document(R"("shape": [2, 3], "data": [1, 2, 3, 4, 5, 6])"));
  EXPECT_EQ(*parseTrace("[[1, 2, 3], [4, 5, 6]]", "trace"), *nested->inputs[0].data);
  // Beyond 2^53, where doubles have gaps.
  EXPECT_EQ(parseTrace("[9007199254740993]", "trace")->data[0], 9007199254740993);
  const Result<Document> ragged = document(R"("data": [[1, 2], [3]])");
  ASSERT_FALSE(ragged);
  EXPECT_NE(text(ragged.diagnostics()[0].place).find("$.inputs[0].data[1]"), std::string::npos);
}

TEST(ProgramFileFormat, OrderOfKeysAndWhiteSpaceDoNotMatterForReading) {
  const char* const loose =
      "\xEF\xBB\xBF{\"program\":{\"streams\":[],\"nodes\":[{\"kind\":\"Source\",\"name\":\"a\"}]},\"sluice\":"
      "1}";
  const Result<Document> document = parseDocument(loose, "loose");
  ASSERT_TRUE(document) << text(document.diagnostics());
  EXPECT_EQ(document->program.nodes[0].name, "a");
  EXPECT_EQ(writeDocument(Document{}),
            "{\n  \"sluice\": 1,\n  \"program\": {\n    \"nodes\": [],\n    \"streams\": []\n  }\n}\n");
}

TEST(ProgramFileFormat, WhatJsonCannotSayIsStillWrittenReadably) {
  Document document;
  document.title = "broken \xff byte";
  document.program.nodes.push_back({"a", "Map", {}, Position{std::nan(""), 0}, {}});
  const Result<Document> read = parseDocument(writeDocument(document), "odd");
  ASSERT_TRUE(read) << text(read.diagnostics());
  EXPECT_FALSE(read->program.nodes[0].at);
  EXPECT_EQ(read->title, "broken \xEF\xBF\xBD byte");
}

TEST(ProgramFileFormat, SavesAndLoads) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / "sluice_program_file_format.sluice";
  const Document document = RandomDocument(3).make();
  ASSERT_TRUE(saveDocument(document, file));
  const Result<Document> loaded = loadDocument(file);
  ASSERT_TRUE(loaded) << text(loaded.diagnostics());
  EXPECT_TRUE(*loaded == document);
  std::filesystem::remove(file);
}

TEST(ProgramFileFormat, SampleWorkloadsAreCanonical) {
  const std::filesystem::path folder = std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads";
  int samples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".sluice") continue;
    ++samples;
    const Result<std::string> bytes = readFile(entry.path());
    ASSERT_TRUE(bytes);
    const Result<Document> document = parseDocument(*bytes, entry.path().filename().string());
    ASSERT_TRUE(document) << text(document.diagnostics());
    EXPECT_EQ(writeDocument(*document), *bytes) << entry.path();
  }
  EXPECT_GE(samples, 4);
}

TEST(ProgramDocument, EndpointsAreParsedAndPrinted) {
  for (const char* good : {"a.out", "a.out[0]", "a_1.B2[e+1]", "region.x", "a.out[-1]"}) {
    const auto endpoint = parseEndpoint(good);
    ASSERT_TRUE(endpoint) << good;
    EXPECT_EQ(text(*endpoint), good);
  }
  for (const char* bad : {"", ".", "a", "a.", ".out", "a.out[", "a.out]", "a.out[]", "a.out[ ]", "a.out[1",
                          "a.out[1]x", "a.out[[1]]", "a.b.c", "a b.out", "1a.out", "a.out.[1]"})
    EXPECT_FALSE(parseEndpoint(bad)) << bad;
}

TEST(ProgramDocument, KnobsListTheirValues) {
  Knob range{"k", KnobKind::Range, 2, 9, 3, {}, {}, 2, ""};
  EXPECT_EQ(range.values(), (std::vector<std::int64_t>{2, 5, 8}));
  Knob powers{"k", KnobKind::PowerOfTwo, 3, 33, 1, {}, {}, 4, ""};
  EXPECT_EQ(powers.values(), (std::vector<std::int64_t>{4, 8, 16, 32}));
  Knob list{"k", KnobKind::List, 1, 1, 1, {7, 3, 5}, {}, 3, ""};
  EXPECT_EQ(list.values(), (std::vector<std::int64_t>{7, 3, 5}));
  Knob choice{"k", KnobKind::Choice, 1, 1, 1, {}, {"a", "b"}, 0, ""};
  EXPECT_EQ(choice.values(), (std::vector<std::int64_t>{0, 1}));
  for (const Knob* knob : {&range, &powers, &list, &choice}) {
    const std::vector<std::int64_t> values = knob->values();
    EXPECT_EQ(knob->size(), values.size());
    for (std::int64_t v = -3; v < 40; ++v)
      EXPECT_EQ(knob->allows(v), std::find(values.begin(), values.end(), v) != values.end()) << v;
  }
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min(),
                 highest = std::numeric_limits<std::int64_t>::max();
  const Knob endless{"k", KnobKind::Range, lowest, highest, 1, {}, {}, 0, ""};
  EXPECT_EQ(endless.values().size(), Knob::max_values);
  EXPECT_TRUE(endless.allows(highest));
  const Knob wide{"k", KnobKind::Range, lowest, highest, highest, {}, {}, 0, ""};
  EXPECT_EQ(wide.values(), (std::vector<std::int64_t>{lowest, -1, highest - 1}));
  EXPECT_TRUE((Knob{"k", KnobKind::Range, 2, 1, 1, {}, {}, 0, ""}.values().empty()));
  EXPECT_TRUE((Knob{"k", KnobKind::Range, 1, 2, 0, {}, {}, 0, ""}.values().empty()));
}

}  // namespace sluice::program_file_format_test
