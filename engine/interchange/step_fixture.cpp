#include "engine/interchange/step_fixture.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "engine/core/json_extent.h"

namespace sluice {

namespace {

using nlohmann::json;

constexpr std::int64_t most = 1 << 16;       // of what a file only counts
constexpr std::int64_t defaultDepth = 1024;  // of a channel without a configured depth

/// A fixture's key of a channel: producer, and which of its outputs (-1: its only one).
struct Key {
  std::int64_t producer;
  std::int64_t output;
  auto operator<=>(const Key&) const = default;
};

std::string nodeName(std::int64_t id) {
  return "op" + std::to_string(id);
}

/// Serialisers write flags as true, as 1, or leave them null.
bool flag(const json& value) {
  if (value.is_null()) return false;
  return value.is_number() ? value.get<std::int64_t>() != 0 : value.get<bool>();
}

Value integers(const json& list) {
  std::vector<Value> values;
  for (const json& number : list) values.emplace_back(number.get<std::int64_t>());
  return values;
}

class Importer {
 public:
  explicit Importer(const json& graph) : graph_(graph) {
    depth_ = graph.at("depth").is_null() ? defaultDepth : graph.at("depth").get<std::int64_t>();
    const auto element_bytes = graph.at("fb").get<std::int64_t>();
    if (element_bytes != 2 && element_bytes != 4)
      throw std::invalid_argument("fb = " + std::to_string(element_bytes) +
                                  ", but a float has 2 or 4 bytes here");
    document_.machine.mock_bf16 = element_bytes == 2;
    document_.machine.fifo_depth = Value(depth_);
  }

  /// Throws json exceptions for fields that are missing or of another type, std::invalid_argument for what is
  /// not known.
  Document run() {
    for (const json& op : graph_.at("ops")) {
      kind_ = op.at("T").get<std::string>();
      id_ = op.at("id").get<std::int64_t>();
      if (id_ < 0) throw std::invalid_argument("an id is 0 or more");
      if (!ids_.insert(id_).second) throw std::invalid_argument("another operator has this id");
      const auto reader = readers().find(kind_);
      if (reader == readers().end()) throw std::invalid_argument("operator kind " + kind_ + " is not known");
      node_ = {nodeName(id_), "", {}, {}, {}};
      reader->second(*this, op);
      document_.program.nodes.push_back(node_);
    }
    connect();
    return std::move(document_);
  }
  std::string place() const {
    return kind_.empty() ? "the graph" : "operator " + std::to_string(id_) + " (" + kind_ + ")";
  }

 private:
  using Reader = std::function<void(Importer&, const json&)>;
  using Readers = std::map<std::string, Reader>;
  static const Readers& readers();
  static Readers offChipReaders();
  static Readers sourceReaders();
  static Readers routingReaders();
  static Readers computeReaders();
  static Readers shapeReaders();

  // Depth of the channels that leave operator `id`.
  std::int64_t configured(std::int64_t id) const {
    const auto& config = graph_.at("cfg");
    const auto found = config.find(std::to_string(id));
    if (found == config.end()) return depth_;
    return found->is_null() ? defaultDepth : found->get<std::int64_t>();
  }
  void kind(const char* name) { node_.kind = name; }
  void set(const char* parameter, Value value) { node_.parameters[parameter] = std::move(value); }

  void input(const json& source, const std::string& port, std::optional<std::int64_t> depth = {},
             std::optional<std::int64_t> index = {}) {
    const Key key{source.at(0).get<std::int64_t>(),
                  source.at(1).is_null() ? -1 : source.at(1).get<std::int64_t>()};
    depths_.emplace(key, depth ? *depth : configured(key.producer));
    Endpoint to{nodeName(id_), port, {}};
    if (index) to.index = Value(*index);
    consumers_.push_back({key, std::move(to)});
  }
  void inputs(const json& op) {
    for (std::size_t k = 0; k < op.at("inps").size(); ++k)
      input(op.at("inps").at(k), "in", {}, static_cast<std::int64_t>(k));
  }
  void output(const std::string& port, std::int64_t output = -1, std::optional<std::int64_t> depth = {}) {
    depths_.emplace(Key{id_, output}, depth ? *depth : configured(id_));
    Endpoint from{nodeName(id_), port, {}};
    if (output >= 0 && port == "out") from.index = Value(output);
    sources_.emplace(Key{id_, output}, std::move(from));
  }
  void outputs(std::int64_t ways, std::optional<std::int64_t> depth = {}) {
    if (ways > most) throw std::invalid_argument(std::to_string(ways) + " outputs are too many");
    for (std::int64_t i = 0; i < ways; ++i) output("out", i, depth);
  }
  void selectors(const json& op) {
    output("out"), inlineInput(op);
    if (op.contains("multihot") && !flag(op.at("multihot"))) set("encoding", Value("index"));
  }
  void inlineInput(const json& op) {
    Input input;
    input.name = "data" + std::to_string(id_);
    IntTensor tensor;
    tensor.data = op.at("data").get<std::vector<std::int64_t>>();
    std::size_t elements = 1;
    for (const json& each : op.at("shape")) {
      const auto extent = each.get<std::int64_t>();
      if (extent < 0) throw std::invalid_argument("its shape has the extent " + std::to_string(extent));
      tensor.shape.push_back(static_cast<std::size_t>(extent));
      if (__builtin_mul_overflow(elements, tensor.shape.back(), &elements))
        throw std::invalid_argument("its shape has more elements than there are values");
    }
    if (elements != tensor.data.size())
      throw std::invalid_argument("data has " + std::to_string(tensor.data.size()) + " values, its shape " +
                                  std::to_string(elements));
    input.data = std::move(tensor);
    set("input", Value(input.name));
    document_.inputs.push_back(std::move(input));
  }
  void memoryTile(const json& op) {
    set("tile", std::vector<Value>{Value(op.at("tile_row").get<std::int64_t>()),
                                   Value(op.at("tile_col").get<std::int64_t>())});
    set("par_dispatch", Value(op.at("par").get<std::int64_t>()));
  }
  void compute(const json& op) {
    set("compute_bw", Value(std::max<std::int64_t>(op.at("bw").get<std::int64_t>(),
                                                   1)));  // 0 marks functions of fixed cost
    set("write_back_mu", Value(flag(op.at("wb"))));
  }
  void function(const json& op) {
    static const std::map<std::string, std::string> names{{"Matmul", "matmul"},
                                                          {"DynMatmul", "dynamic_matmul"},
                                                          {"Mul", "multiply"},
                                                          {"Div", "divide"},
                                                          {"Add", "add"},
                                                          {"Silu", "silu"},
                                                          {"Exp", "exp"},
                                                          {"RowWiseSum", "row_sum"},
                                                          {"RetileRow", "retile_row"},
                                                          {"RetileCol", "retile_col"},
                                                          {"SetOffset", "set_offset"},
                                                          {"RowWiseAppend", "row_append"},
                                                          {"CacheWriteAddrGen", "cache_write_address"},
                                                          {"SignalReqAllRead", "signal_all_read"}};
    const json& fn = op.at("fn");
    const auto found = names.find(fn.at("name").get<std::string>());
    if (found == names.end())
      throw std::invalid_argument("function " + fn.at("name").get<std::string>() + " is not known");
    set("function", Value(found->second));
    if (fn.contains("weight_transposed") && flag(fn.at("weight_transposed")))
      set("weight_transposed", Value(true));
    if (fn.contains("row_offset")) set("row_offset", Value(fn.at("row_offset").get<std::int64_t>()));
  }
  void routing(const json& op, std::size_t ways) {
    set("ways", Value(static_cast<std::int64_t>(ways)));
    set("rank", Value(op.at("rank").get<std::int64_t>()));
    const auto cycles = op.at("sw").get<std::vector<std::int64_t>>();
    if (cycles.size() < ways) throw std::invalid_argument("sw must give the switch cycles of every port");
    const bool one = std::all_of(cycles.begin(), cycles.end(), [&](auto c) { return c == cycles[0]; });
    if (one && ways > 0) return set("switch_cycles", Value(cycles[0]));
    set("port_switch_cycles", std::vector<Value>(cycles.begin(), cycles.begin() + static_cast<long>(ways)));
  }
  void writeBack(const json& op) { set("write_back_mu", Value(flag(op.at("wb")))); }

  void connect() {
    for (auto& [key, to] : consumers_) {
      const auto source = sources_.find(key);
      if (source == sources_.end()) {
        throw std::invalid_argument("node " + to.node + " reads output " + std::to_string(key.output) +
                                    " of operator " + std::to_string(key.producer) +
                                    ", which does not exist");
      }
      document_.program.streams.push_back({source->second, to, Value(depths_.at(key))});
    }
  }

  const json& graph_;
  Document document_;
  Node node_;
  std::string kind_;
  std::int64_t id_ = 0, depth_ = defaultDepth;
  std::set<std::int64_t> ids_;
  std::map<Key, std::int64_t> depths_;  ///< the first end that is built decides
  std::map<Key, Endpoint> sources_;
  std::vector<std::pair<Key, Endpoint>> consumers_;
};

Importer::Readers Importer::offChipReaders() {
  using I = Importer;
  using J = const json&;
  return {{"OffChipLoad",
           [](I& i, J op) {
             i.kind("LinearOffChipLoad"), i.output("out"), i.memoryTile(op),
                 i.set("out_shape", integers(op.at("out")));
           }},
          {"DynOffChipLoad",
           [](I& i, J op) {
             i.kind("LinearOffChipLoadRef"), i.input(op.at("ref"), "ref", i.depth_),
                 i.output("out", -1, i.depth_);
             i.memoryTile(op), i.set("out_shape", integers(op.at("out")));
           }},
          {"OffChipStore",
           [](I& i, J op) { i.kind("LinearOffChipStore"), i.input(op.at("inp"), "in"), i.memoryTile(op); }},
          {"RandomOffChipLoad",
           [](I& i, J op) {
             i.kind("RandomOffChipLoad"), i.input(op.at("raddr"), "address"), i.output("out"),
                 i.memoryTile(op);
           }},
          {"RandomOffChipStore", [](I& i, J op) {
             i.kind("RandomOffChipStore"), i.input(op.at("waddr"), "address"), i.input(op.at("wdata"), "in"),
                 i.output("ack");
             i.memoryTile(op), i.set("ack_from_address", Value(flag(op.at("ackw"))));
           }}};
}

Importer::Readers Importer::sourceReaders() {
  using I = Importer;
  using J = const json&;
  const auto sink = [](const char* kind) {
    return [kind](I& i, J op) { i.kind(kind), i.input(op.at("inp"), "in", defaultDepth); };
  };
  return {{"ConsumerContext", sink("Consumer")},
          {"PrinterContext", sink("Printer")},
          {"MetadataGen", [](I& i, J op) { i.kind("MetadataGen"), i.output("out"), i.inlineInput(op); }},
          {"SelectGen", [](I& i, J op) { i.kind("SelectGen"), i.selectors(op); }},
          {"ExpertAddrGen",
           [](I& i, J op) {
             i.kind("ExpertAddrGen"), i.input(op.at("inp"), "in"), i.output("out");
             i.set("tiles", Value(op.at("n").get<std::int64_t>())),
                 i.set("base", Value(op.at("base").get<std::int64_t>()));
           }},
          {"CacheReadAddrGen",
           [](I& i, J op) {
             i.kind("CacheReadAddrGen"), i.input(op.at("idx"), "index"), i.input(op.at("sl"), "length"),
                 i.output("out");
             i.set("row_offset", Value(op.at("off").get<std::int64_t>()));
           }},
          {"FilterLastTile",
           [](I& i, J op) { i.kind("FilterLastTile"), i.input(op.at("inp"), "in"), i.output("out"); }},
          {"FlatmapCounter",
           [](I& i, J op) { i.kind("FlatmapCounter"), i.input(op.at("inp"), "in"), i.output("out"); }},
          {"Counter", [](I& i, J op) {
             i.kind("Counter"), i.output("out"), i.set("max", Value(op.at("max").get<std::int64_t>()));
           }}};
}

Importer::Readers Importer::routingReaders() {
  using I = Importer;
  using J = const json&;
  return {{"Broadcast",
           [](I& i, J op) {
             i.kind("Broadcast"), i.input(op.at("inp"), "in", i.depth_),
                 i.set("ways", Value(op.at("n").get<std::int64_t>()));
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
             i.outputs(op.at("n").get<std::int64_t>()), i.routing(op, op.at("n").get<std::size_t>()),
                 i.writeBack(op);
           }},
          {"FlatReassemble",
           [](I& i, J op) {
             i.kind("Reassemble"), i.inputs(op), i.input(op.at("ctl"), "control"), i.output("out"),
                 i.routing(op, op.at("inps").size()), i.writeBack(op);
           }},
          {"StaticReassemble",
           [](I& i, J op) {
             i.kind("StaticReassemble"), i.inputs(op), i.output("out"), i.routing(op, op.at("inps").size());
           }},
          {"EagerMerge", [](I& i, J op) {
             i.kind("EagerMerge"), i.set("ways", Value(static_cast<std::int64_t>(op.at("inps").size())));
             i.inputs(op);
             i.output("select", 1), i.output("data", 0),
                 i.set("rank", Value(op.at("rank").get<std::int64_t>()));
           }}};
}

Importer::Readers Importer::computeReaders() {
  using I = Importer;
  using J = const json&;
  return {{"BinaryMap",
           [](I& i, J op) {
             i.kind("BinaryMap"), i.input(op.at("in1"), "in1"), i.input(op.at("in2"), "in2"), i.output("out"),
                 i.function(op), i.compute(op);
           }},
          {"UnaryMap",
           [](I& i, J op) {
             i.kind("Map"), i.input(op.at("inp"), "in"), i.output("out"), i.function(op), i.compute(op);
           }},
          {"BinaryMapAccum",
           [](I& i, J op) {
             i.kind("BinaryMapAccum"), i.input(op.at("in1"), "in1"), i.input(op.at("in2"), "in2"),
                 i.output("out"), i.function(op);
             i.compute(op), i.set("init", integers(op.at("init"))),
                 i.set("rank", Value(op.at("rank").get<std::int64_t>()));
           }},
          {"Accum",
           [](I& i, J op) {
             i.kind("Accum"), i.input(op.at("inp"), "in"), i.output("out"), i.function(op), i.compute(op);
             i.set("init", integers(op.at("init"))), i.set("rank", Value(op.at("rank").get<std::int64_t>()));
           }},
          {"AccumBuffer",
           [](I& i, J op) {
             i.kind("AccumBuff"), i.input(op.at("inp"), "in"), i.output("out"), i.function(op);
             i.set("compute_bw", Value(std::max<std::int64_t>(op.at("bw").get<std::int64_t>(), 1)));
             i.set("buffer_shape", integers(op.at("shape"))),
                 i.set("rank", Value(op.at("rank").get<std::int64_t>()));
           }},
          {"RetileStreamify",
           [](I& i, J op) {
             i.kind("FlatMap"), i.input(op.at("inp"), "in"), i.output("out");
             i.set("split", Value(flag(op.at("row")) ? "row" : "column")),
                 i.set("filter_mask", Value(flag(op.at("mask"))));
           }},
          {"Bufferize",
           [](I& i, J op) {
             i.kind("Bufferize"), i.input(op.at("inp"), "in"), i.output("out"),
                 i.set("rank", Value(op.at("rank").get<std::int64_t>()));
           }},
          {"Streamify",
           [](I& i, J op) {
             i.kind("Streamify"), i.input(op.at("inp"), "in"), i.output("out");
             i.set("rank", Value(op.at("rank").get<std::int64_t>())), i.set("repeat", integers(op.at("rf")));
           }},
          {"DynStreamify", [](I& i, J op) {
             i.kind("DynStreamify"), i.input(op.at("inp"), "in"), i.input(op.at("ref"), "ref"),
                 i.output("out");
             i.set("rank", Value(op.at("rank").get<std::int64_t>())),
                 i.set("repeat_rank", Value(op.at("rr").get<std::int64_t>()));
           }}};
}

Importer::Readers Importer::shapeReaders() {
  using I = Importer;
  using J = const json&;
  return {{"Flatten",
           [](I& i, J op) {
             i.kind("Flatten"), i.input(op.at("inp"), "in"), i.output("out");
             i.set("min", Value(op.at("mn").get<std::int64_t>())),
                 i.set("max", Value(op.at("mx").get<std::int64_t>()));
           }},
          {"Promote",
           [](I& i, J op) {
             i.kind("Promote"), i.input(op.at("inp"), "in"), i.output("out"),
                 i.set("rank", Value(op.at("rank").get<std::int64_t>()));
           }},
          {"PromoteOuter",
           [](I& i, J op) { i.kind("PromoteOuter"), i.input(op.at("inp"), "in"), i.output("out"); }},
          {"TakeLast", [](I& i, J op) { i.kind("TakeLast"), i.input(op.at("inp"), "in"), i.output("out"); }},
          {"RepeatRef",
           [](I& i, J op) {
             i.kind("RepeatRef"), i.input(op.at("inp"), "in"), i.input(op.at("ref"), "ref"), i.output("out");
             i.set("rank", Value(op.at("rank").get<std::int64_t>()));
           }},
          {"ExpandRef",
           [](I& i, J op) {
             i.kind("Expand"), i.input(op.at("inp"), "in"), i.input(op.at("ref"), "ref"), i.output("out");
             i.set("rank", Value(op.at("rank").get<std::int64_t>()));
           }},
          {"RepeatStatic",
           [](I& i, J op) {
             i.kind("Repeat"), i.input(op.at("inp"), "in"), i.output("out"),
                 i.set("factor", Value(op.at("rf").get<std::int64_t>()));
           }},
          {"Reshape", [](I& i, J op) {
             i.kind("Reshape"), i.input(op.at("inp"), "in"), i.output("out");
             i.set("dim", Value(op.at("dim").get<std::int64_t>())),
                 i.set("chunk", Value(op.at("chunk").get<std::int64_t>()));
             i.set("add_outer_dim", Value(flag(op.at("outer")))),
                 i.set("write_back_mu", Value(flag(op.at("wb"))));
             if (op.at("pad").is_array()) i.set("pad", integers(op.at("pad")));
           }}};
}

const Importer::Readers& Importer::readers() {
  static const Readers table = [] {
    Readers all;
    for (Readers group :
         {offChipReaders(), sourceReaders(), routingReaders(), computeReaders(), shapeReaders()})
      all.merge(group);
    return all;
  }();
  return table;
}

}  // namespace

Result<Document> importStepGraph(const json& graph, const std::string& name) {
  std::string place = name;
  try {
    Importer importer(graph);
    try {
      return importer.run();
    } catch (...) {
      place += ": " + importer.place();
      throw;
    }
  } catch (const json::exception& problem) {
    return Diagnostic{Severity::Error, place,
                      std::string("a field is missing or of another type: ") + problem.what(),
                      "the file must have depth, cfg, fb and ops, and every operator the fields of its kind"};
  } catch (const std::invalid_argument& problem) {
    return Diagnostic{Severity::Error, place, problem.what(),
                      "remove the operator, or import a graph of the artifact's operators"};
  }
}

Result<Document> importStepFixture(std::string_view text, const std::string& name) {
  if (const auto why = tooMuchJson(text))
    return Diagnostic{Severity::Error, name, *why, "keep large tensors in a .npy file beside a graph.pb"};
  bool too_large = false, fraction = false;  // numbers that are no 64-bit integers
  const auto look = [&](int, json::parse_event_t event, const json& value) {
    if (event != json::parse_event_t::value || !value.is_number_float()) return true;
    const auto number = value.get<double>();
    too_large |= !(std::abs(number) < 9e18);
    fraction |= number != std::trunc(number);
    return true;
  };
  const json graph = json::parse(text, look, false);
  if (too_large) {
    return Diagnostic{Severity::Error, name, "it holds a number that does not fit in 64 bits",
                      "export the graph again"};
  }
  if (fraction) {
    return Diagnostic{Severity::Error, name, "it holds a number that is not whole", "export the graph again"};
  }
  if (graph.is_discarded()) {
    return Diagnostic{Severity::Error, name, "the file is not JSON",
                      "export the graph again, or open a .sluice file with sluice"};
  }
  return importStepGraph(graph, name);
}

}  // namespace sluice
