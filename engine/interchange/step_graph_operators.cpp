// The operators of a STeP graph, kind by kind: which of ours each is, its ports in the order in which the
// reference simulator builds them, and its parameters (step_format.md 2).

#include <algorithm>

#include "engine/interchange/import_refusal.h"
#include "engine/interchange/step_graph_importer.h"
#include "engine/interchange/step_settings.h"

namespace sluice::inline interchange {

using nlohmann::json;

namespace {

/// Serialisers write flags as true, as 1, or leave them null.
bool flagOf(const json& value) {
  if (value.is_null()) return false;
  return value.is_number() ? value.get<std::int64_t>() != 0 : value.get<bool>();
}

Value integers(const json& list) {
  std::vector<Value> values;
  for (const json& number : list) values.emplace_back(number.get<std::int64_t>());
  return values;
}

using I = StepGraphImporter;

}  // namespace

void StepGraphImporter::number(const char* parameter, J op, const char* field) {
  set(parameter, Value(op.at(field).get<std::int64_t>()));
}

void StepGraphImporter::flag(const char* parameter, J op, const char* field) {
  set(parameter, Value(flagOf(op.at(field))));
}

void StepGraphImporter::list(const char* parameter, J op, const char* field) {
  set(parameter, integers(op.at(field)));
}

void StepGraphImporter::selectors(J op) {
  output("out"), inlineInput(op);
  if (op.contains("multihot") && !flagOf(op.at("multihot"))) set("encoding", Value("index"));
}

void StepGraphImporter::inlineInput(J op) {
  IntTensor tensor;
  tensor.data = op.at("data").get<std::vector<std::int64_t>>();
  std::size_t elements = 1;
  for (const json& each : op.at("shape")) {
    const auto extent = each.get<std::int64_t>();
    if (extent < 0) refuseImport("input-shape", "its shape has the extent " + std::to_string(extent));
    tensor.shape.push_back(static_cast<std::size_t>(extent));
    if (__builtin_mul_overflow(elements, tensor.shape.back(), &elements))
      refuseImport("input-shape", "its shape has more elements than there are values");
  }
  if (elements != tensor.data.size()) {
    refuseImport("input-shape", "data has " + std::to_string(tensor.data.size()) + " values, its shape " +
                                    std::to_string(elements));
  }
  inlineInput("input", std::move(tensor));
}

void StepGraphImporter::inlineInput(const char* parameter, IntTensor tensor) {
  Input input;
  input.name = "data" + std::to_string(id_);
  input.data = std::move(tensor);
  set(parameter, Value(input.name));
  document_.inputs.push_back(std::move(input));
}

void StepGraphImporter::extents(J op) {
  IntTensor tensor;
  tensor.data = op.at("extents").get<std::vector<std::int64_t>>();
  tensor.shape = {tensor.data.size()};
  inlineInput("extents", std::move(tensor));
  if (op.contains("tensor")) list("tensor_shape", op, "tensor");
}

void StepGraphImporter::memoryTile(J op) {
  set("tile", std::vector<Value>{Value(op.at("tile_row").get<std::int64_t>()),
                                 Value(op.at("tile_col").get<std::int64_t>())});
  number("par_dispatch", op, "par");
  if (op.contains("scalar")) set("scalar", Value(op.at("scalar").get<std::string>()));
}

void StepGraphImporter::load(J op) {
  memoryTile(op), list("out_shape", op, "out");
  if (op.contains("stride")) list("stride", op, "stride");
}

void StepGraphImporter::compute(J op) {
  // 0 marks functions of fixed cost.
  set("compute_bw", Value(std::max<std::int64_t>(op.at("bw").get<std::int64_t>(), 1)));
  if (op.contains("wb")) flag("write_back_mu", op, "wb");
}

void StepGraphImporter::function(J fn, const char* parameter) {
  static const std::map<std::string, std::string> names{{"Matmul", "matmul"},
                                                        {"DynMatmul", "dynamic_matmul"},
                                                        {"Mul", "multiply"},
                                                        {"Div", "divide"},
                                                        {"Add", "add"},
                                                        {"Max", "max"},
                                                        {"Silu", "silu"},
                                                        {"Exp", "exp"},
                                                        {"RowWiseSum", "row_sum"},
                                                        {"RetileRow", "retile_row"},
                                                        {"RetileCol", "retile_col"},
                                                        {"SetOffset", "set_offset"},
                                                        {"RowWiseAppend", "row_append"},
                                                        {"CacheWriteAddrGen", "cache_write_address"},
                                                        {"SignalReqAllRead", "signal_all_read"}};
  const auto found = names.find(fn.at("name").get<std::string>());
  if (found == names.end())
    refuseImport("unknown-choice", "function " + fn.at("name").get<std::string>() + " is not known");
  set(parameter, Value(found->second));
  if (fn.contains("weight_transposed") && flagOf(fn.at("weight_transposed")))
    set("weight_transposed", Value(true));
  if (fn.contains("row_offset")) number("row_offset", fn, "row_offset");
}

void StepGraphImporter::routing(J op, std::size_t ways) {
  set("ways", Value(static_cast<std::int64_t>(ways)));
  number("rank", op, "rank");
  const auto cycles = op.at("sw").get<std::vector<std::int64_t>>();
  if (cycles.size() < ways) refuseImport("missing-value", "sw must give the switch cycles of every port");
  const bool one = std::all_of(cycles.begin(), cycles.end(), [&](auto c) { return c == cycles[0]; });
  if (one && ways > 0) return set("switch_cycles", Value(cycles[0]));
  set("port_switch_cycles", std::vector<Value>(cycles.begin(), cycles.begin() + static_cast<long>(ways)));
}

/// Without its second stream it is a Reshape.
void StepGraphImporter::reshapePadStream(J op) {
  const bool tells = flagOf(op.at("mask"));
  kind(tells ? "ReshapePadStream" : "Reshape"), input(op.at("inp"), "in");
  number("chunk", op, "chunk"), flag("write_back_mu", op, "wb");
  if (op.at("pad").is_array()) list("pad", op, "pad");
  if (!tells) return number("dim", op, "dim"), output("out");
  if (op.at("dim") != 0)
    refuseImport("unsupported-operator", "split_dim = " + op.at("dim").dump() +
                                             "; only the innermost dimension is split with a padding stream");
  set("marks", Value("data"));
  output("out", {-1, 0}), output("padding", {1});
}

void StepGraphImporter::scan(J op) {
  if (op.contains("in2") != op.contains("fn2"))
    refuseImport("missing-field", "a second operand and its function come together");
  kind("LoopScan"), input(op.at("in1"), "in"), optionalInput(op, "in2", "operand", "operands");
  input(op.at("ctr"), "count"), function(op.at("fn")), compute(op), list("init", op, "init");
  if (op.contains("fn2")) function(op.at("fn2"), "operand_function");
  const bool next = flagOf(op.at("inclusive"));  // which of the two has no number
  output("next", next ? std::vector<std::int64_t>{0, -1} : std::vector<std::int64_t>{0});
  output("prior", next ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{1, -1});
}

StepGraphImporter::Readers StepGraphImporter::offChipReaders() {
  return {
      {"OffChipLoad", [](I& i, J op) { i.kind("LinearOffChipLoad"), i.output("out"), i.load(op); }},
      {"DynOffChipLoad",
       [](I& i, J op) {
         i.kind("LinearOffChipLoadRef"), i.input(op.at("ref"), "ref", i.depth_);
         i.output("out", -1, i.depth_), i.load(op);
         if (op.contains("trigger") && op.at("trigger") != 0) i.number("trigger_rank", op, "trigger");
       }},
      {"DynLinearOffChipLoad",
       [](I& i, J op) { i.kind("DynLinearOffChipLoad"), i.output("out"), i.memoryTile(op), i.extents(op); }},
      {"OffChipStore",
       [](I& i, J op) { i.kind("LinearOffChipStore"), i.input(op.at("inp"), "in"), i.memoryTile(op); }},
      {"DynOffChipStore",
       [](I& i, J op) {
         i.kind("DynOffChipStore"), i.input(op.at("inp"), "in"), i.memoryTile(op), i.extents(op);
       }},
      {"RandomOffChipLoad",
       [](I& i, J op) {
         i.kind("RandomOffChipLoad"), i.input(op.at("raddr"), "address"), i.output("out");
         i.memoryTile(op);
       }},
      {"RandomOffChipStore", [](I& i, J op) {
         i.kind("RandomOffChipStore"), i.input(op.at("waddr"), "address"), i.input(op.at("wdata"), "in");
         i.output("ack", std::vector<std::int64_t>{-1});
         i.memoryTile(op), i.flag("ack_from_address", op, "ackw");
         if (op.contains("buffer")) i.number("buffer_depth", op, "buffer");
       }}};
}

StepGraphImporter::Readers StepGraphImporter::sourceReaders() {
  const auto sink = [](const char* kind) {
    return [kind](I& i, J op) { i.kind(kind), i.input(op.at("inp"), "in", SimConfig::default_depth); };
  };
  return {{"ConsumerContext", sink("Consumer")},
          {"PrinterContext", sink("Printer")},
          {"MetadataGen", [](I& i, J op) { i.kind("MetadataGen"), i.output("out"), i.inlineInput(op); }},
          {"SelectGen", [](I& i, J op) { i.kind("SelectGen"), i.selectors(op); }},
          {"ExpertAddrGen",
           [](I& i, J op) {
             i.kind("ExpertAddrGen"), i.input(op.at("inp"), "in"), i.output("out");
             i.number("tiles", op, "n"), i.number("base", op, "base");
           }},
          {"CacheReadAddrGen",
           [](I& i, J op) {
             i.kind("CacheReadAddrGen"), i.input(op.at("idx"), "index"), i.input(op.at("sl"), "length");
             i.output("out"), i.number("row_offset", op, "off");
           }},
          {"FilterLastTile",
           [](I& i, J op) { i.kind("FilterLastTile"), i.input(op.at("inp"), "in"), i.output("out"); }},
          {"FlatmapCounter",
           [](I& i, J op) { i.kind("FlatmapCounter"), i.input(op.at("inp"), "in"), i.output("out"); }},
          {"Counter",
           [](I& i, J op) {
             i.kind("Counter"), i.optionalInput(op, "inp", "trigger", "triggers"), i.output("out");
             i.number("max", op, "max");
           }},
          {"Counter2D", [](I& i, J op) {
             i.kind("Counter2D"), i.optionalInput(op, "inp", "trigger", "triggers");
             i.output("row", {0}), i.output("column", {1});
             i.number("rows", op, "rows"), i.number("columns", op, "cols");
           }}};
}

StepGraphImporter::Readers StepGraphImporter::routingReaders() {
  return {{"Broadcast",
           [](I& i, J op) {
             i.kind("Broadcast"), i.input(op.at("inp"), "in", i.depth_), i.number("ways", op, "n");
             i.outputs(op.at("n").get<std::int64_t>(), i.depth_);
           }},
          {"Parallelize",
           [](I& i, J op) {
             i.kind("Parallelize"), i.input(op.at("inp"), "in"), i.outputs(op.at("n").get<std::int64_t>());
             i.routing(op, op.at("n").get<std::size_t>());
           }},
          {"FlatPartition",
           [](I& i, J op) {
             i.kind("Partition"), i.input(op.at("inp"), "in"), i.input(op.at("ctl"), "control", i.depth_);
             i.outputs(op.at("n").get<std::int64_t>()), i.routing(op, op.at("n").get<std::size_t>());
             i.flag("write_back_mu", op, "wb");
           }},
          {"Shuffle",
           [](I& i, J op) {
             i.kind("Shuffle"), i.input(op.at("inp"), "in"), i.input(op.at("idx"), "index");
             i.output("out", {-1, 0}), i.output("bucket", {1});
             i.number("rank", op, "rank"), i.flag("write_back_mu", op, "wb");
           }},
          {"FlatReassemble",
           [](I& i, J op) {
             i.kind("Reassemble"), i.inputs(op), i.input(op.at("ctl"), "control"), i.output("out");
             i.routing(op, op.at("inps").size()), i.flag("write_back_mu", op, "wb");
           }},
          {"StaticReassemble",
           [](I& i, J op) {
             i.kind("StaticReassemble"), i.inputs(op), i.output("out"), i.routing(op, op.at("inps").size());
           }},
          {"EagerMerge", [](I& i, J op) {
             i.kind("EagerMerge"), i.set("ways", Value(static_cast<std::int64_t>(op.at("inps").size())));
             i.inputs(op);
             i.output("select", 1), i.output("data", 0), i.number("rank", op, "rank");
           }}};
}

StepGraphImporter::Readers StepGraphImporter::computeReaders() {
  const auto two = [](I& i, J op) {
    i.input(op.at("in1"), "in1"), i.input(op.at("in2"), "in2"), i.output("out");
    i.function(op.at("fn")), i.compute(op);
  };
  const auto one = [](I& i, J op) {
    i.input(op.at("inp"), "in"), i.output("out"), i.function(op.at("fn")), i.compute(op);
  };
  return {{"BinaryMap",
           [two](I& i, J op) {
             i.kind("BinaryMap"), two(i, op);
             if (!op.contains("st")) return;
             if (op.at("st") != 0 && op.at("st") != 1)
               refuseImport("unknown-choice",
                            "st_from_input = " + op.at("st").dump() + " is neither 0 nor 1");
             i.set("stops", Value(op.at("st") == 0 ? "in1" : "in2"));
           }},
          {"UnaryMap", [one](I& i, J op) { i.kind("Map"), one(i, op); }},
          {"BinaryMapAccum",
           [two](I& i, J op) {
             i.kind("BinaryMapAccum"), two(i, op), i.list("init", op, "init"), i.number("rank", op, "rank");
           }},
          {"Accum",
           [one](I& i, J op) {
             i.kind("Accum"), one(i, op), i.list("init", op, "init"), i.number("rank", op, "rank");
           }},
          {"AccumBuffer",
           [one](I& i, J op) {
             i.kind("AccumBuff"), one(i, op), i.list("buffer_shape", op, "shape");
             i.number("rank", op, "rank");
           }},
          {"Scan", [](I& i, J op) { i.scan(op); }}};
}

StepGraphImporter::Readers StepGraphImporter::bufferReaders() {
  return {{"RetileStreamify",
           [](I& i, J op) {
             i.kind("FlatMap"), i.input(op.at("inp"), "in"), i.output("out");
             i.set("split", Value(flagOf(op.at("row")) ? "row" : "column"));
             i.flag("filter_mask", op, "mask");
           }},
          {"FlatmapFilterRowStreamify",
           [](I& i, J op) {
             i.kind("FlatmapFilterRowStreamify"), i.input(op.at("inp"), "in"), i.input(op.at("mask"), "mask");
             i.output("out");
           }},
          {"Bufferize",
           [](I& i, J op) {
             i.kind("Bufferize"), i.input(op.at("inp"), "in"), i.output("out"), i.number("rank", op, "rank");
           }},
          {"Streamify",
           [](I& i, J op) {
             i.kind("Streamify"), i.input(op.at("inp"), "in"), i.output("out");
             i.number("rank", op, "rank"), i.list("repeat", op, "rf");
           }},
          {"StaticStreamify",
           [](I& i, J op) {
             i.kind("StaticStreamify"), i.input(op.at("inp"), "in"), i.output("out");
             i.list("out_shape", op, "out"), i.list("stride", op, "stride");
           }},
          {"DynStreamify", [](I& i, J op) {
             i.kind("DynStreamify"), i.input(op.at("inp"), "in"), i.input(op.at("ref"), "ref");
             i.output("out"), i.number("rank", op, "rank"), i.number("repeat_rank", op, "rr");
           }}};
}

StepGraphImporter::Readers StepGraphImporter::shapeReaders() {
  const auto plain = [](const char* kind) {
    return [kind](I& i, J op) { i.kind(kind), i.input(op.at("inp"), "in"), i.output("out"); };
  };
  const auto by_reference = [](const char* kind) {
    return [kind](I& i, J op) {
      i.kind(kind), i.input(op.at("inp"), "in"), i.input(op.at("ref"), "ref"), i.output("out");
      i.number("rank", op, "rank");
    };
  };
  return {{"Flatten",
           [plain](I& i, J op) {
             plain("Flatten")(i, op), i.number("min", op, "mn"), i.number("max", op, "mx");
           }},
          {"Promote", [plain](I& i, J op) { plain("Promote")(i, op), i.number("rank", op, "rank"); }},
          {"PromoteOuter", plain("PromoteOuter")},
          {"TakeLast", plain("TakeLast")},
          {"RepeatRef", by_reference("RepeatRef")},
          {"ExpandRef", by_reference("Expand")},
          {"RepeatStatic", [plain](I& i, J op) { plain("Repeat")(i, op), i.number("factor", op, "rf"); }},
          {"ReshapePadStream", [](I& i, J op) { i.reshapePadStream(op); }},
          {"Reshape", [plain](I& i, J op) {
             plain("Reshape")(i, op), i.number("dim", op, "dim"), i.number("chunk", op, "chunk");
             i.flag("add_outer_dim", op, "outer"), i.flag("write_back_mu", op, "wb");
             if (op.at("pad").is_array()) i.list("pad", op, "pad");
           }}};
}

const StepGraphImporter::Readers& StepGraphImporter::readers() {
  static const Readers table = [] {
    Readers all;
    for (Readers group : {offChipReaders(), sourceReaders(), routingReaders(), computeReaders(),
                          bufferReaders(), shapeReaders()})
      all.merge(group);
    return all;
  }();
  return table;
}

}  // namespace sluice::inline interchange
