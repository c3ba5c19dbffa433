// STeP graphs in the messages of the authors' front end. The messages are written here by hand, field number
// by field number (stanford-ppl/step_perf_ir), so that neither the schema nor the reader vouches for itself;
// the graph that comes out must be the one that the JSON form gives.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/interchange/step_fixture.h"
#include "engine/interchange/step_protobuf.h"
#include "engine/operators/registry.h"
#include "engine/operators/simulate.h"
#include "engine/program/elaborate.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/protobuf_bytes.h"
#include "tests/engine/support/random_graphs.h"
#include "tests/engine/support/step_fixture_writer.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::step_protobuf_test {

using namespace testing_support;
using nlohmann::json;
using List = std::vector<std::int64_t>;

/// What is imported without a word about it.
Result<Document> imported(const std::string& message, const std::string& name,
                          const StepGraphOptions& options) {
  Result<StepGraphImport> read = importStepProtobuf(message, name, options);
  if (!read) return read.diagnostics();
  return std::move(read->document);
}

/// A message of an operator from the JSON form: which field has which number.
class Writer {
 public:
  Writer(const json& op, std::filesystem::path folder) : op_(op), folder_(std::move(folder)) {}

  Writer& value(int field, const char* key) {
    const json& value = op_.at(key);
    if (!value.is_null())
      out_ += number(field, value.is_boolean() ? value.get<bool>() : value.get<std::uint64_t>());
    return *this;
  }
  Writer& valueIfThere(int field, const char* key) {
    if (op_.contains(key)) out_ += number(field, op_.at(key).get<std::uint64_t>(), true);
    return *this;
  }
  Writer& inputIfThere(int id, int output, const char* key) {
    return op_.contains(key) ? source(op_.at(key), id, output) : *this;
  }
  Writer& listIfThere(int field, const char* key) { return op_.contains(key) ? list(field, key) : *this; }
  /// DataType's number of the type of a load.
  Writer& scalar(int field) {
    static const std::map<std::string, int> numbers{{"f16", 1}, {"f32", 2}, {"u64", 8}};
    if (op_.contains("scalar")) out_ += bytes(field, bytes(numbers.at(op_.at("scalar")), ""));
    return *this;
  }
  /// The file with the shape of a tensor.
  Writer& shape(int field) {
    const std::string name = "shape_" + op_.at("id").dump() + ".json";
    std::ofstream(folder_ / name) << op_.at("tensor").dump();
    out_ += bytes(field, name);
    return *this;
  }
  Writer& list(int field, const char* key) { return out_ += packed(field, op_.at(key)), *this; }
  Writer& tile(int rows, int columns) { return value(rows, "tile_row").value(columns, "tile_col"); }
  Writer& input(int id, int output, const char* key) { return source(op_.at(key), id, output); }
  Writer& inputs(int ids, int outputs) {
    json id = json::array(), output = json::array();
    for (const json& in : op_.at("inps")) {
      id.push_back(in[0]);
      output.push_back(in[1].is_null() ? json(-1) : in[1]);
    }
    out_ += packed(ids, id) + packed(outputs, output);
    return *this;
  }
  /// `numbers`: of the functions in their oneof.
  Writer& function(int field, const std::map<std::string, int>& numbers, const char* key = "fn") {
    if (!op_.contains(key)) return *this;
    const json& fn = op_.at(key);
    std::string content;
    if (fn.value("weight_transposed", json(false)) == true) content = number(1, 1);
    if (fn.contains("row_offset")) content = number(1, fn.at("row_offset").get<std::uint64_t>());
    out_ += bytes(field, bytes(numbers.at(fn.at("name")), content));
    return *this;
  }
  Writer& init(int rows, int columns) {
    out_ += number(rows, op_.at("init")[0].get<std::uint64_t>()) +
            number(columns, op_.at("init")[1].get<std::uint64_t>());
    return *this;
  }
  Writer& padding(int field, int rows, int columns) {
    if (!op_.at("pad").is_array()) return *this;
    out_ += bytes(field, bytes(1, "")) + number(rows, op_.at("pad")[0].get<std::uint64_t>(), true) +
            number(columns, op_.at("pad")[1].get<std::uint64_t>(), true);
    return *this;
  }
  /// Writes the .npy file that the front end would have written.
  Writer& array(int field) {
    const std::string name = op_.at("T").get<std::string>() + "_" + op_.at("id").dump() + ".npy";
    std::string shape;
    for (const json& extent : op_.at("shape")) shape += extent.dump() + ",";
    std::string header = "{'descr': '<i8', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize((header.size() / 64 + 1) * 64 + 54 - 1, ' ');
    header += '\n';
    std::ofstream file(folder_ / name, std::ios::binary);
    file << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size() & 255)
         << static_cast<char>(header.size() >> 8) << header;
    for (const json& value : op_.at("data")) {
      const auto element = value.get<std::int64_t>();
      file.write(reinterpret_cast<const char*>(&element), 8);
    }
    out_ += bytes(field, name);
    return *this;
  }
  operator std::string() const { return out_; }

 private:
  Writer& source(const json& in, int id, int output) {
    out_ += number(id, in[0].get<std::uint64_t>(), true);
    if (!in[1].is_null()) out_ += number(output, in[1].get<std::uint64_t>(), true);
    return *this;
  }
  const json& op_;
  std::filesystem::path folder_;
  std::string out_;
};

/// Number in Operation's oneof, and the message.
using Message = std::pair<int, std::string>;
using Numbers = std::map<std::string, int>;

std::optional<Message> computing(const std::string& kind, Writer w) {
  static const Numbers elementwise{
      {"Matmul", 1},     {"Mul", 2}, {"Silu", 3},      {"Add", 4},           {"DynMatmul", 5},
      {"RowWiseSum", 6}, {"Exp", 7}, {"SetOffset", 8}, {"RowWiseAppend", 9}, {"CacheWriteAddrGen", 10},
      {"Div", 11}};
  static const Numbers products{{"Matmul", 1}, {"DynMatmul", 2}};
  static const Numbers folding{{"Matmul", 1},    {"Mul", 2},       {"Add", 3},
                               {"RetileCol", 4}, {"RetileRow", 5}, {"SignalReqAllRead", 6}};
  if (kind == "BinaryMap")
    return {{10, w.input(1, 2, "in1")
                     .input(3, 4, "in2")
                     .function(5, elementwise)
                     .value(6, "bw")
                     .value(7, "wb")
                     .valueIfThere(11, "st")}};
  if (kind == "Scan") {
    w.input(1, 2, "in1").inputIfThere(3, 4, "in2").input(5, 6, "ctr");
    w.function(7, elementwise).function(8, elementwise, "fn2").value(10, "inclusive").init(13, 14);
    return {{49, w.value(15, "bw").value(16, "wb")}};
  }
  if (kind == "UnaryMap")
    return {{11, w.input(1, 2, "inp").function(3, elementwise).value(4, "bw").value(5, "wb")}};
  if (kind == "BinaryMapAccum") {
    w.input(1, 2, "in1").input(3, 4, "in2").function(5, products).init(7, 8);
    return {{19, w.value(9, "rank").value(10, "bw").value(11, "wb")}};
  }
  if (kind == "Accum")
    return {{20, w.input(1, 2, "inp")
                     .function(3, folding)
                     .init(5, 6)
                     .value(7, "rank")
                     .value(8, "bw")
                     .value(9, "wb")}};
  if (kind == "AccumBuffer")
    return {{52, w.input(1, 2, "inp").function(3, folding).value(5, "rank").list(6, "shape").value(9, "bw")}};
  return {};
}

std::optional<Message> memory(const std::string& kind, Writer w) {
  if (kind == "OffChipLoad")
    return {{12, w.listIfThere(2, "stride")
                     .list(3, "out")
                     .tile(5, 6)
                     .valueIfThere(7, "n_byte")
                     .scalar(8)
                     .value(9, "par")}};
  if (kind == "DynLinearOffChipLoad") return {{40, w.shape(1).tile(3, 4).value(8, "par").scalar(9)}};
  if (kind == "DynOffChipStore") return {{41, w.input(1, 2, "inp").shape(3).tile(5, 6).value(8, "par")}};
  if (kind == "StaticStreamify") return {{51, w.input(1, 2, "inp").list(5, "stride").list(6, "out")}};
  if (kind == "OffChipStore") return {{13, w.input(1, 2, "inp").tile(5, 6).value(8, "par")}};
  if (kind == "DynOffChipLoad")
    return {{27, w.input(1, 2, "ref")
                     .list(5, "out")
                     .tile(7, 8)
                     .valueIfThere(9, "n_byte")
                     .value(12, "par")
                     .valueIfThere(14, "trigger")}};
  if (kind == "RandomOffChipLoad") return {{33, w.input(1, 2, "raddr").tile(5, 6).value(9, "par")}};
  if (kind == "RandomOffChipStore")
    return {{34, w.input(1, 2, "waddr").input(3, 4, "wdata").tile(7, 8).value(11, "par").value(12, "ackw")}};
  if (kind == "Bufferize") return {{23, w.input(1, 2, "inp").value(3, "rank")}};
  if (kind == "Streamify") return {{24, w.input(1, 2, "inp").list(3, "rf").value(4, "rank")}};
  if (kind == "DynStreamify")
    return {{25, w.input(1, 2, "inp").input(3, 4, "ref").value(5, "rank").value(6, "rr")}};
  return {};
}

std::optional<Message> endsAndSources(const std::string& kind, Writer w) {
  if (kind == "PrinterContext") return {{21, w.input(1, 2, "inp")}};
  if (kind == "ConsumerContext") return {{22, w.input(1, 2, "inp")}};
  if (kind == "SelectGen") return {{26, std::string(w.array(1)) + number(2, 1)}};
  if (kind == "MetadataGen") return {{32, w.array(1)}};
  if (kind == "ExpertAddrGen") return {{35, w.input(1, 2, "inp").value(3, "n").value(4, "base")}};
  if (kind == "CacheReadAddrGen") return {{37, w.input(1, 2, "idx").input(3, 4, "sl").value(5, "off")}};
  if (kind == "FilterLastTile") return {{38, w.input(1, 2, "inp")}};
  if (kind == "FlatmapCounter") return {{45, w.input(1, 2, "inp")}};
  if (kind == "Counter") return {{54, w.value(1, "max").inputIfThere(2, 3, "inp")}};
  if (kind == "Counter2D") return {{53, w.value(1, "rows").value(2, "cols").inputIfThere(3, 4, "inp")}};
  return {};
}

std::optional<Message> routing(const std::string& kind, Writer w) {
  if (kind == "Broadcast") return {{15, w.input(1, 2, "inp").value(3, "n")}};
  if (kind == "FlatPartition")
    return {{16, w.input(1, 3, "inp")
                     .input(2, 4, "ctl")
                     .value(5, "rank")
                     .value(6, "n")
                     .list(9, "sw")
                     .value(10, "wb")}};
  if (kind == "Shuffle")
    return {{56, w.input(1, 3, "inp").input(2, 4, "idx").value(5, "rank").value(8, "wb")}};
  if (kind == "FlatReassemble")
    return {{17, w.inputs(1, 2).input(3, 4, "ctl").value(5, "rank").list(8, "sw").value(9, "wb")}};
  if (kind == "EagerMerge") return {{31, w.inputs(1, 2).value(3, "rank")}};
  if (kind == "Parallelize") return {{36, w.input(1, 2, "inp").value(3, "rank").value(4, "n").list(6, "sw")}};
  if (kind == "StaticReassemble") return {{47, w.inputs(1, 2).value(3, "rank").list(5, "sw")}};
  return {};
}

std::optional<Message> shapes(const std::string& kind, Writer w) {
  if (kind == "RepeatStatic") return {{14, w.input(1, 2, "inp").value(3, "rf")}};
  if (kind == "Promote") return {{18, w.input(1, 2, "inp").value(3, "rank")}};
  if (kind == "Flatten") return {{28, w.input(1, 2, "inp").value(3, "mn").value(4, "mx")}};
  if (kind == "Reshape")
    return {{29, w.input(1, 2, "inp")
                     .value(3, "dim")
                     .value(4, "chunk")
                     .value(6, "wb")
                     .value(8, "outer")
                     .padding(9, 10, 11)}};
  if (kind == "RetileStreamify") return {{30, w.input(1, 2, "inp").value(3, "row").value(4, "mask")}};
  if (kind == "FlatmapFilterRowStreamify") return {{42, w.input(1, 2, "inp").input(3, 4, "mask")}};
  if (kind == "ReshapePadStream")
    return {{43, w.input(1, 2, "inp")
                     .value(3, "dim")
                     .value(4, "chunk")
                     .value(6, "wb")
                     .padding(8, 9, 10)
                     .value(11, "mask")}};
  if (kind == "ExpandRef") return {{39, w.input(1, 2, "inp").input(3, 4, "ref").value(5, "rank")}};
  if (kind == "PromoteOuter") return {{44, w.input(1, 2, "inp")}};
  if (kind == "RepeatRef") return {{46, w.input(1, 2, "inp").input(3, 4, "ref").value(7, "rank")}};
  if (kind == "TakeLast") return {{50, w.input(1, 2, "inp")}};
  return {};
}

Message message(const json& op, const std::filesystem::path& folder) {
  const std::string kind = op.at("T");
  for (const auto& group : {computing, memory, endsAndSources, routing, shapes}) {
    if (auto found = group(kind, Writer(op, folder))) return *found;
  }
  throw std::logic_error("the test does not know " + kind);
}

class StepProtobuf : public testing_support::FolderTest {
 protected:
  std::string encode(const json& graph) {
    std::string all = bytes(1, "a graph");
    for (const json& op : graph.at("ops")) {
      const auto [kind, content] = message(op, folder_);
      const std::string name = op.at("T").get<std::string>() + "_" + op.at("id").dump();
      all += bytes(2, bytes(1, name) + number(2, op.at("id").get<std::uint64_t>()) + bytes(kind, content));
    }
    return all;
  }
  StepGraphOptions options(const json& graph) {
    StepGraphOptions options;
    if (!graph.at("depth").is_null()) options.sim.channel_depth = graph.at("depth").get<std::int64_t>();
    options.element_bytes = graph.at("fb").get<std::int64_t>();
    options.folder = folder_;
    for (const auto& [id, depth] : graph.at("cfg").items()) {
      if (!depth.is_null()) options.sim.depths[std::stoll(id)] = depth.get<std::int64_t>();
    }
    return options;
  }
};

json graphOf(json ops) {
  return {{"depth", 2}, {"cfg", json::object()}, {"fb", 2}, {"ops", std::move(ops)}};
}
json in(int producer, json output = nullptr) {
  return {producer, std::move(output)};
}

/// Every kind once; what it computes does not matter.
json everyKind() {
  const json tile{{"tile_row", 16}, {"tile_col", 32}, {"par", 4}};
  json ops = json::array();
  const auto add = [&](const char* kind, json fields, bool memory = false) {
    json op = {{"T", kind}, {"id", 3 * ops.size()}};
    op.update(fields);
    if (memory) op.update(tile);
    ops.push_back(op);
  };
  const json matmul{{"name", "Matmul"}, {"weight_transposed", true}};
  add("OffChipLoad", {{"out", {4, 2}}}, true);
  add("MetadataGen", {{"shape", {3}}, {"data", {5, 0, 7}}});
  add("SelectGen", {{"shape", {2, 3}}, {"data", {1, 0, 0, 0, 1, 1}}});
  add("Broadcast", {{"inp", in(0)}, {"n", 5}});
  add("BinaryMap", {{"in1", in(9, 0)}, {"in2", in(9, 1)}, {"fn", matmul}, {"bw", 512}, {"wb", true}});
  for (const char* name : {"Mul", "Add", "Div", "SetOffset", "RowWiseAppend"})
    add("BinaryMap",
        {{"in1", in(9, 0)}, {"in2", in(9, 1)}, {"fn", {{"name", name}}}, {"bw", 8}, {"wb", false}});
  for (const char* name : {"Silu", "Exp", "RowWiseSum"})
    add("UnaryMap", {{"inp", in(9, 2)}, {"fn", {{"name", name}}}, {"bw", 8}, {"wb", false}});
  add("BinaryMapAccum", {{"in1", in(9, 0)},
                         {"in2", in(9, 1)},
                         {"fn", {{"name", "DynMatmul"}, {"weight_transposed", false}}},
                         {"init", {0, 32}},
                         {"rank", 1},
                         {"bw", 512},
                         {"wb", false}});
  for (const char* name : {"Mul", "Add", "RetileCol", "RetileRow", "SignalReqAllRead"})
    add("Accum", {{"inp", in(9, 3)},
                  {"fn", {{"name", name}}},
                  {"init", {16, 0}},
                  {"rank", 1},
                  {"bw", 0},
                  {"wb", true}});
  add("DynOffChipLoad", {{"ref", in(9, 4)}, {"out", {2, 2}}}, true);
  add("OffChipStore", {{"inp", in(12)}}, true);
  add("RandomOffChipLoad", {{"raddr", in(3)}}, true);
  add("RandomOffChipStore", {{"waddr", in(3)}, {"wdata", in(0)}, {"ackw", true}}, true);
  add("FlatPartition",
      {{"inp", in(0)}, {"ctl", in(6)}, {"rank", 0}, {"n", 3}, {"sw", {1, 2, 3}}, {"wb", false}});
  add("FlatReassemble",
      {{"inps", {in(12), in(9, 0), in(15)}}, {"ctl", in(6)}, {"rank", 1}, {"sw", {1, 1, 1}}, {"wb", true}});
  add("Parallelize", {{"inp", in(0)}, {"rank", 1}, {"n", 2}, {"sw", {1, 1}}});
  add("StaticReassemble", {{"inps", {in(12), in(15)}}, {"rank", 0}, {"sw", {1, 1}}});
  add("EagerMerge", {{"inps", {in(12), in(9, 3)}}, {"rank", 1}});
  add("Promote", {{"inp", in(0)}, {"rank", 1}});
  add("PromoteOuter", {{"inp", in(0)}});
  add("Flatten", {{"inp", in(0)}, {"mn", 0}, {"mx", 1}});
  add("Reshape",
      {{"inp", in(0)}, {"dim", 0}, {"chunk", 4}, {"wb", false}, {"outer", true}, {"pad", {0, 32}}});
  add("Reshape",
      {{"inp", in(0)}, {"dim", 1}, {"chunk", 2}, {"wb", true}, {"outer", false}, {"pad", nullptr}});
  add("RetileStreamify", {{"inp", in(0)}, {"row", false}, {"mask", true}});
  add("Bufferize", {{"inp", in(0)}, {"rank", 1}});
  add("Streamify", {{"inp", in(102)}, {"rf", {3, 0}}, {"rank", 1}});
  add("DynStreamify", {{"inp", in(102)}, {"ref", in(0)}, {"rank", 1}, {"rr", 0}});
  add("ExpertAddrGen", {{"inp", in(3)}, {"n", 8}, {"base", 16}});
  add("CacheReadAddrGen", {{"idx", in(3)}, {"sl", in(3)}, {"off", 202}});
  add("FilterLastTile", {{"inp", in(3)}});
  add("ExpandRef", {{"inp", in(0)}, {"ref", in(12)}, {"rank", 1}});
  add("RepeatStatic", {{"inp", in(0)}, {"rf", 4}});
  add("RepeatRef", {{"inp", in(0)}, {"ref", in(12)}, {"rank", 1}});
  add("TakeLast", {{"inp", in(0)}});
  add("FlatmapCounter", {{"inp", in(3)}});
  add("Counter", {{"max", 9}});
  add("AccumBuffer", {{"inp", in(0)}, {"fn", {{"name", "Add"}}}, {"shape", {2, 2}}, {"rank", 2}, {"bw", 64}});
  add("OffChipLoad", {{"out", {4, 2}}, {"stride", {2, 0}}, {"scalar", "f16"}}, true);
  add("DynOffChipLoad", {{"ref", in(0)}, {"out", {2}}, {"trigger", 1}}, true);
  add("DynLinearOffChipLoad", {{"tensor", {3, 32, 64}}, {"extents", {3, 2, 2}}, {"scalar", "u64"}}, true);
  add("DynOffChipStore", {{"inp", in(0)}, {"tensor", {64, 64}}, {"extents", {4, 2}}}, true);
  for (const int stops : {0, 1})
    add("BinaryMap", {{"in1", in(0)},
                      {"in2", in(12)},
                      {"fn", {{"name", "Add"}}},
                      {"bw", 8},
                      {"wb", false},
                      {"st", stops}});
  add("FlatmapFilterRowStreamify", {{"inp", in(0)}, {"mask", in(3)}});
  for (const bool mask : {false, true}) {
    const json pad = mask ? json{16, 32} : json();
    add("ReshapePadStream",
        {{"inp", in(0)}, {"dim", mask ? 0 : 1}, {"chunk", 2}, {"wb", true}, {"mask", mask}, {"pad", pad}});
  }
  add("Scan", {{"in1", in(0)},
               {"in2", in(12)},
               {"ctr", in(3)},
               {"fn", {{"name", "Mul"}}},
               {"fn2", {{"name", "Add"}}},
               {"inclusive", false},
               {"init", {16, 32}},
               {"bw", 64},
               {"wb", true}});
  add("Scan", {{"in1", in(0)},
               {"ctr", in(3)},
               {"fn", {{"name", "Add"}}},
               {"inclusive", true},
               {"init", {16, 32}},
               {"bw", 64},
               {"wb", false}});
  add("StaticStreamify", {{"inp", in(102)}, {"stride", {0, 1}}, {"out", {3, 2}}});
  add("Counter", {{"max", 4}, {"inp", in(0)}});
  add("Counter2D", {{"rows", 2}, {"cols", 3}});
  add("Counter2D", {{"rows", 2}, {"cols", 3}, {"inp", in(9, 2)}});
  add("Shuffle", {{"inp", in(0)}, {"idx", in(6)}, {"rank", 1}, {"wb", true}});
  add("ConsumerContext", {{"inp", in(9, 2)}});
  add("PrinterContext", {{"inp", in(0)}});
  add("ConsumerContext", {{"inp", in(0)}});
  return graphOf(ops);
}

TEST_F(StepProtobuf, EveryKindIsReadAsItsJsonForm) {
  const json graph = everyKind();
  const Result<Document> expected = importStepFixture(graph.dump(), "g");
  ASSERT_TRUE(expected) << text(expected.diagnostics());
  const Result<Document> read = imported(encode(graph), "g", options(graph));
  ASSERT_TRUE(read) << text(read.diagnostics());
  ASSERT_EQ(read->program.nodes.size(), expected->program.nodes.size());
  for (std::size_t i = 0; i < read->program.nodes.size(); ++i) {
    const Node& node = expected->program.nodes[i];
    EXPECT_EQ(read->program.nodes[i], node) << node.name << " " << node.kind;
  }
  EXPECT_EQ(read->program.streams, expected->program.streams);
  EXPECT_EQ(read->inputs, expected->inputs);
  EXPECT_EQ(read->machine, expected->machine);
}

TEST_F(StepProtobuf, DepthsAndBytesAreOptions) {
  json graph = everyKind();
  graph["cfg"] = {{"0", 7}, {"9", 5}};
  graph["fb"] = 4;
  graph["depth"] = nullptr;
  const Result<Document> expected = importStepFixture(graph.dump(), "g");
  const Result<Document> read = imported(encode(graph), "g", options(graph));
  ASSERT_TRUE(read && expected) << text(read ? Diagnostics{} : read.diagnostics());
  EXPECT_EQ(read->program.streams, expected->program.streams);
  EXPECT_FALSE(read->machine.mock_bf16);
}

/// Random graphs: the same from either form.
TEST_F(StepProtobuf, RandomGraphsAreTheSame) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    json graph = json::parse(stepFixture(randomReferenceGraph(seed), seed));
    for (json& op : graph["ops"])  // messages of other functions have no such field
      if (op.contains("fn") && op["fn"]["name"] != "CacheWriteAddrGen") op["fn"].erase("row_offset");
    SCOPED_TRACE(graph.dump());
    const Result<Document> expected = importStepFixture(graph.dump(), "g");
    const Result<Document> read = imported(encode(graph), "g", options(graph));
    ASSERT_TRUE(read && expected) << text(read ? Diagnostics{} : read.diagnostics());
    ASSERT_EQ(read->program, expected->program);
    ASSERT_EQ(read->inputs, expected->inputs);
  }
}

std::string refusal(const std::string& message, const StepGraphOptions& options = {}) {
  const Result<Document> read = imported(message, "graph.pb", options);
  return read ? "accepted" : text(read.diagnostics());
}

TEST_F(StepProtobuf, WhatIsNotUnderstoodIsNamed) {
  const auto operation = [](int kind, const std::string& content) {
    return bytes(2, bytes(1, "Odd_7") + number(2, 7) + bytes(kind, content));
  };
  EXPECT_NE(refusal(operation(60, ""))
                .find("operator '7' (Odd_7): the schema does not know the kind with field number 60"),
            std::string::npos);
  EXPECT_NE(
      refusal(operation(28, number(1, 3) + number(9, 1))).find("does not know field number 9 of flatten"),
      std::string::npos);
  EXPECT_NE(refusal(operation(11, number(1, 3))).find("has no function"), std::string::npos);
  EXPECT_NE(refusal(operation(26, bytes(1, "nowhere.npy"))).find("nowhere.npy"), std::string::npos);
  EXPECT_NE(refusal("").find("no ProgramGraph"), std::string::npos);
  EXPECT_NE(refusal("hello, this is a text\n").find("graph.pb"), std::string::npos);
  EXPECT_NE(refusal(encode(everyKind()).substr(0, 400)).find("end too early"), std::string::npos);
  // 4 MB that would be more than a gigabyte of messages.
  std::string many;
  for (int i = 0; i < 2'000'000; ++i) many += bytes(2, "");
  EXPECT_NE(refusal(many).find("more than 16000000 values"), std::string::npos);
  std::string nested = bytes(11, "");
  for (int i = 0; i < 300; ++i) nested = bytes(2, nested);
  EXPECT_NE(refusal(nested), "accepted");
}

/// Figure 8's layer of 16 x 16 tiles in 4-byte floats: the published bytes, without any option.
TEST_F(StepProtobuf, SwigluMovesThePublishedBytes) {
  json ops = json::array();
  const auto add = [&](int id, const char* kind, json fields) {
    json op = {{"T", kind}, {"id", id}};
    op.update(fields);
    ops.push_back(op);
  };
  const auto load = [&](int id, const List& out, const List& stride, int rows, int columns) {
    add(id, "OffChipLoad",
        {{"out", out},
         {"stride", stride},
         {"tile_row", rows},
         {"tile_col", columns},
         {"par", 4},
         {"n_byte", 4}});
  };
  const auto product = [&](int id, json a, json b, const List& init, bool wb) {
    add(id, "BinaryMapAccum",
        {{"in1", a},
         {"in2", b},
         {"fn", {{"name", "Matmul"}}},
         {"init", init},
         {"rank", 1},
         {"bw", 4096},
         {"wb", wb}});
  };
  load(0, {4, 32, 1}, {1, 0, 1}, 16, 256);
  load(1, {4, 32, 1}, {0, 1, 32}, 256, 16);
  load(2, {4, 32, 1}, {0, 1, 32}, 256, 16);
  product(3, in(20, 0), in(1), {16, 16}, false);
  product(4, in(20, 1), in(2), {16, 16}, false);
  add(5, "UnaryMap", {{"inp", in(3)}, {"fn", {{"name", "Silu"}}}, {"bw", 4096}, {"wb", false}});
  add(6, "BinaryMap",
      {{"in1", in(5)}, {"in2", in(4)}, {"fn", {{"name", "Mul"}}}, {"bw", 4096}, {"wb", false}});
  add(7, "Reshape",
      {{"inp", in(6)}, {"dim", 1}, {"chunk", 1}, {"wb", false}, {"outer", false}, {"pad", nullptr}});
  load(8, {4, 1, 32}, {0, 1, 1}, 16, 256);
  product(9, in(7), in(8), {16, 256}, true);
  add(10, "OffChipStore", {{"inp", in(9)}, {"tile_row", 16}, {"tile_col", 256}, {"par", 4}});
  add(20, "Broadcast", {{"inp", in(0)}, {"n", 2}});
  const Result<Document> read = imported(encode(graphOf(ops)), "swiglu", {});
  ASSERT_TRUE(read) << text(read.diagnostics());
  const Result<FlatGraph> graph = elaborate(*read, {}, builtInCatalog());
  ASSERT_TRUE(graph) << text(graph.diagnostics());
  const Result<Inference> types = infer(*graph, {});
  ASSERT_TRUE(types) << text(types.diagnostics());
  EXPECT_EQ(types->total.off_chip_bytes.value({}), 8454144);
  EXPECT_EQ(types->total.on_chip_bytes.value({}), 100352);
}

TEST_F(StepProtobuf, AnySchemaMayTakeThePlaceOfOurs) {
  StepGraphOptions own;
  own.schema_files = {
      {"graph.proto",
       "syntax = \"proto3\"; package x; import \"ops.proto\";"
       "message ProgramGraph { repeated Operation operators = 5; }"},
      {"ops.proto",
       "syntax = \"proto3\"; package x; message Operation { uint32 id = 1; oneof k { Counter counter = 3; } }"
       "message Counter { uint32 max = 4; }"}};
  const Result<Document> read = imported(bytes(5, number(1, 12) + bytes(3, number(4, 9))), "g", own);
  ASSERT_TRUE(read) << text(read.diagnostics());
  ASSERT_EQ(read->program.nodes.size(), 1u);
  EXPECT_EQ(read->program.nodes[0].name, "op12");
  EXPECT_EQ(read->program.nodes[0].parameters.at("max"), Value(std::int64_t{9}));
  StepGraphOptions odd = own;  // without operators; with an id that is a text
  odd.schema_files["graph.proto"] =
      "syntax = \"proto3\"; package x; import \"ops.proto\"; message ProgramGraph { repeated Operation "
      "things = 5; }";
  EXPECT_NE(refusal(bytes(5, number(1, 12)), odd).find("no ProgramGraph with operators"), std::string::npos);
  odd = own;
  odd.schema_files["ops.proto"] =
      "syntax = \"proto3\"; package x; message Operation { string id = 1; oneof k { Counter counter = 3; } }"
      "message Counter { uint32 max = 4; }";
  EXPECT_NE(refusal(bytes(5, bytes(1, "twelve")), odd).find("the schema lacks a field"), std::string::npos);
  own.schema_files.erase("ops.proto");
  EXPECT_NE(refusal("", own).find("graph.proto, line 1"), std::string::npos);
}

TEST_F(StepProtobuf, TheCommandLineReadsIt) {
  const json graph = graphOf(
      {{{"T", "OffChipLoad"}, {"id", 1}, {"out", {4}}, {"tile_row", 16}, {"tile_col", 16}, {"par", 4}},
       {{"T", "ConsumerContext"}, {"id", 2}, {"inp", in(1)}}});
  std::ofstream(folder_ / "graph.pb", std::ios::binary) << encode(graph);
  const std::string file = (folder_ / "graph.pb").string(), out = (folder_ / "graph.sluice").string();
  const auto imported = runCommandLine("import " + file + " -o " + out + " --fifo-depth 2 --json");
  ASSERT_EQ(imported.status, 0) << imported.out;
  EXPECT_EQ(imported.object().at("operators"), 2);
  EXPECT_EQ(runCommandLine("simulate " + out + " --json").status, 0);
  std::ofstream(folder_ / "graph.pb", std::ios::binary) << "rubbish";
  const auto refused = runCommandLine("import " + file + " -o " + out, true);
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.out.find("graph.pb"), std::string::npos);
}

}  // namespace sluice::step_protobuf_test
