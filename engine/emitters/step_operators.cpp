#include "engine/emitters/step_operators.h"

#include <algorithm>
#include <functional>
#include <set>

#include "engine/core/alike_diagnostics.h"
#include "engine/operators/metadata.h"
#include "engine/operators/off_chip.h"

namespace sluice::inline emitters {
namespace {

using nlohmann::json;

/// One operator; which of its parameters are asked for is kept, as any other must be as if it were not there.
class StepOperator {
 public:
  StepOperator(const FlatGraph& graph, const InputSet& inputs, OperatorId id)
      : graph_(graph), inputs_(inputs), op_(graph.operators[id]) {
    told_["id"] = id;
  }

  json told() && { return std::move(told_); }
  const std::set<std::string>& asked() const { return asked_; }
  std::size_t inputs() const { return op_.inputs.size(); }
  std::size_t outputs() const { return op_.outputs.size(); }

  StepOperator& kind(const char* name) { return set("T", name); }
  StepOperator& set(const char* field, json value) {
    told_[field] = std::move(value);
    return *this;
  }
  StepOperator& number(const char* field, const char* parameter) {
    return set(field, values(parameter).integer(parameter));
  }
  StepOperator& flag(const char* field, const char* parameter) {
    return set(field, values(parameter).boolean(parameter));
  }
  /// Left out where it is empty.
  StepOperator& list(const char* field, const char* parameter) {
    json numbers = json::array();
    for (const BoundInteger& number : values(parameter).list(parameter)) numbers.push_back(number.value);
    return numbers.empty() ? *this : set(field, std::move(numbers));
  }
  /// What it says follows from the streams.
  StepOperator& heed(const std::string& parameter) {
    asked_.insert(parameter);
    return *this;
  }
  const std::string& choice(const char* parameter) { return values(parameter).string(parameter); }

  StepOperator& input(const char* field, std::size_t port = 0) { return set(field, source(port)); }
  StepOperator& bundle(std::size_t count) {
    json sources = json::array();
    for (std::size_t port = 0; port < count; ++port) sources.push_back(source(port));
    return set("inps", std::move(sources));
  }
  StepOperator& function();
  StepOperator& compute() { return number("bw", "compute_bw").flag("wb", "write_back_mu"); }
  StepOperator& folds() { return list("init", "init").number("rank", "rank"); }
  StepOperator& memoryTile();
  StepOperator& view();
  StepOperator& switching(std::size_t ports);
  StepOperator& array(IntTensor tensor) { return set("shape", tensor.shape).set("data", tensor.data); }
  const InputData& data() { return inputs_.at(choice("input")); }
  StepOperator& selectors();
  StepOperator& metadata();

 private:
  const Parameters& values(const char* parameter) {
    asked_.insert(parameter);
    return op_.parameters;
  }
  json source(std::size_t port) const;

  const FlatGraph& graph_;
  const InputSet& inputs_;
  const FlatOperator& op_;
  json told_;
  std::set<std::string> asked_;
};

using Write = std::function<void(StepOperator&)>;

/// Those of several outputs number them; of others, the first has no number.
json StepOperator::source(std::size_t port) const {
  const FlatStream& stream = graph_.streams[op_.inputs[port]];
  static const std::set<std::string> numbered{"Broadcast", "Partition", "Parallelize", "EagerMerge",
                                              "Counter2D"};
  const bool number =
      stream.producer_port > 0 || numbered.contains(graph_.operators[stream.producer].spec->kind);
  return json::array({stream.producer, number ? json(stream.producer_port) : json()});
}

StepOperator& StepOperator::function() {
  static const std::map<std::string, std::string> names{{"matmul", "Matmul"},
                                                        {"dynamic_matmul", "DynMatmul"},
                                                        {"multiply", "Mul"},
                                                        {"divide", "Div"},
                                                        {"add", "Add"},
                                                        {"max", "Max"},
                                                        {"silu", "Silu"},
                                                        {"exp", "Exp"},
                                                        {"row_sum", "RowWiseSum"},
                                                        {"retile_row", "RetileRow"},
                                                        {"retile_col", "RetileCol"},
                                                        {"set_offset", "SetOffset"},
                                                        {"row_append", "RowWiseAppend"},
                                                        {"cache_write_address", "CacheWriteAddrGen"},
                                                        {"signal_all_read", "SignalReqAllRead"}};
  const std::string& name = choice("function");
  const bool folds = op_.parameters.values().contains("init");
  const bool dynamic = name == "matmul" && folds && op_.parameters.list("init")[0].value == 0;
  json fn = {{"name", dynamic ? "DynMatmul" : names.at(name)}};  // of tiles whose rows only the run tells
  if (name == "matmul" || name == "dynamic_matmul")
    fn["weight_transposed"] = values("weight_transposed").boolean("weight_transposed");
  if (name == "cache_write_address") fn["row_offset"] = values("row_offset").integer("row_offset");
  return set("fn", std::move(fn));
}

StepOperator& StepOperator::memoryTile() {
  const auto& tile = values("tile").list("tile");
  set("tile_row", tile[0].value).set("tile_col", tile[1].value).number("par", "par_dispatch");
  set("ts",
      {1 << 20, 1});  // where a tensor lies, and how large it is, means nothing to the simulator's clock
  for (const ParameterSpec& place : withTensor({})) heed(place.name);
  for (const char* place : {"results", "takes_order", "gives_order"}) heed(place);
  if (!op_.parameters.values().contains("scalar")) return *this;
  const std::string& scalar = choice("scalar");
  return scalar == "f32" ? *this : set("scalar", scalar);
}

/// The simulator wants every stride.
StepOperator& StepOperator::view() {
  list("out", "out_shape").list("stride", "stride");
  const auto& shape = op_.parameters.list("out_shape");
  if (told_.contains("stride")) return *this;
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i].value;
  return set("stride", strides);
}

StepOperator& StepOperator::switching(std::size_t ports) {
  list("sw", "port_switch_cycles");
  const std::int64_t cycles = values("switch_cycles").integer("switch_cycles");
  return told_.contains("sw") ? *this : set("sw", std::vector<std::int64_t>(ports, cycles));
}

/// A routing as rows of 0 and 1.
StepOperator& StepOperator::selectors() {
  const InputData& input = data();
  const bool one_hot = choice("view") == "one_hot";
  if (input.kind != InputKind::Routing) return array(input.tensor);
  const auto experts = static_cast<std::size_t>(input.experts), choices = input.tensor.shape[1];
  IntTensor rows;
  rows.shape = input.tensor.shape;
  if (!one_hot) rows.shape.pop_back();
  rows.shape.push_back(experts);
  rows.data.assign(input.tensor.data.size() / (one_hot ? 1 : choices) * experts, 0);
  for (std::size_t i = 0; i < input.tensor.data.size(); ++i) {
    const std::size_t row = one_hot ? i : i / choices;
    rows.data[row * experts + static_cast<std::size_t>(input.tensor.data[i])] = 1;
  }
  return array(std::move(rows));
}

/// The numbers that come out, whatever they were made from.
StepOperator& StepOperator::metadata() {
  for (const ParameterSpec& parameter : op_.spec->parameters) heed(parameter.name);
  return array(metadataOf(op_, inputs_));
}

std::map<std::string, Write> memoryWriters() {
  using S = StepOperator;
  return {{"LinearOffChipLoad", [](S& s) { s.kind("OffChipLoad").memoryTile().view(); }},
          {"LinearOffChipLoadRef",
           [](S& s) {
             s.kind("DynOffChipLoad").input("ref").memoryTile().view().number("trigger", "trigger_rank");
           }},
          {"RandomOffChipLoad", [](S& s) { s.kind("RandomOffChipLoad").input("raddr").memoryTile(); }},
          {"LinearOffChipStore", [](S& s) { s.kind("OffChipStore").input("inp").memoryTile(); }},
          {"RandomOffChipStore",
           [](S& s) {
             s.kind("RandomOffChipStore").input("waddr").input("wdata", 1).memoryTile();
             s.flag("ackw", "ack_from_address").number("buffer", "buffer_depth");
           }},
          {"Bufferize", [](S& s) { s.kind("Bufferize").input("inp").number("rank", "rank"); }},
          {"Streamify",
           [](S& s) { s.kind("Streamify").input("inp").number("rank", "rank").list("rf", "repeat"); }},
          {"DynStreamify", [](S& s) {
             s.kind("DynStreamify")
                 .input("inp")
                 .input("ref", 1)
                 .number("rank", "rank")
                 .number("rr", "repeat_rank");
           }}};
}

std::map<std::string, Write> sourceWriters() {
  using S = StepOperator;
  return {{"Consumer", [](S& s) { s.kind("ConsumerContext").input("inp"); }},
          {"SelectGen", [](S& s) { s.kind("SelectGen").set("multihot", true).selectors(); }},
          {"MetadataGen", [](S& s) { s.kind("MetadataGen").metadata(); }},
          {"ExpertAddrGen",
           [](S& s) { s.kind("ExpertAddrGen").input("inp").number("n", "tiles").number("base", "base"); }},
          {"CacheReadAddrGen",
           [](S& s) { s.kind("CacheReadAddrGen").input("idx").input("sl", 1).number("off", "row_offset"); }},
          {"FilterLastTile", [](S& s) { s.kind("FilterLastTile").input("inp"); }}};
}

std::map<std::string, Write> routingWriters() {
  using S = StepOperator;
  return {{"Broadcast", [](S& s) { s.kind("Broadcast").input("inp").number("n", "ways"); }},
          {"Parallelize",
           [](S& s) {
             s.kind("Parallelize").input("inp").number("n", "ways").number("rank", "rank");
             s.switching(s.outputs());
           }},
          {"Partition",
           [](S& s) {
             s.kind("FlatPartition").input("inp").input("ctl", 1).number("n", "ways").number("rank", "rank");
             s.switching(s.outputs()).flag("wb", "write_back_mu");
           }},
          {"Reassemble",
           [](S& s) {
             const std::size_t ways = s.inputs() - 1;
             s.kind("FlatReassemble").heed("ways").bundle(ways).input("ctl", ways);
             s.number("rank", "rank").switching(ways).flag("wb", "write_back_mu");
           }},
          {"EagerMerge",
           [](S& s) { s.kind("EagerMerge").heed("ways").bundle(s.inputs()).number("rank", "rank"); }}};
}

std::map<std::string, Write> computeWriters() {
  using S = StepOperator;
  return {{"Map", [](S& s) { s.kind("UnaryMap").input("inp").function().compute(); }},
          {"BinaryMap", [](S& s) { s.kind("BinaryMap").input("in1").input("in2", 1).function().compute(); }},
          {"BinaryMapAccum",
           [](S& s) { s.kind("BinaryMapAccum").input("in1").input("in2", 1).function().compute().folds(); }},
          {"Accum", [](S& s) { s.kind("Accum").input("inp").function().compute().folds(); }}};
}

std::map<std::string, Write> shapeWriters() {
  using S = StepOperator;
  return {{"Flatten", [](S& s) { s.kind("Flatten").input("inp").number("mn", "min").number("mx", "max"); }},
          {"Promote", [](S& s) { s.kind("Promote").input("inp").number("rank", "rank"); }},
          {"Expand", [](S& s) { s.kind("ExpandRef").input("inp").input("ref", 1).number("rank", "rank"); }},
          {"Repeat", [](S& s) { s.kind("RepeatStatic").input("inp").number("rf", "factor"); }},
          {"FlatMap",
           [](S& s) {
             s.kind("RetileStreamify").input("inp").set("row", s.choice("split") == "row");
             s.flag("mask", "filter_mask");
           }},
          {"Reshape", [](S& s) {
             s.kind("Reshape").input("inp").number("dim", "dim").number("chunk", "chunk").list("pad", "pad");
             s.flag("outer", "add_outer_dim").flag("wb", "write_back_mu");
           }}};
}

const std::map<std::string, Write>& writers() {
  static const std::map<std::string, Write> all = [] {
    std::map<std::string, Write> table;
    for (auto group : {memoryWriters(), sourceWriters(), routingWriters(), computeWriters(), shapeWriters()})
      table.merge(group);
    return table;
  }();
  return all;
}

Location placeOf(const FlatOperator& op) {
  return Location(Where::Operator, op.name);
}

/// Whether the value is the one that an operator has which is not told.
bool isInitial(const BoundValue& value, const ParameterSpec& spec) {
  if (!spec.initial) return false;
  if (const auto* number = std::get_if<BoundInteger>(&value)) return *spec.initial == Value(number->value);
  if (const auto* flag = std::get_if<bool>(&value)) return *spec.initial == Value(*flag);
  if (const auto* text = std::get_if<std::string>(&value)) return *spec.initial == Value(*text);
  if (const auto* list = std::get_if<std::vector<BoundInteger>>(&value)) {
    std::vector<Value> values;
    for (const BoundInteger& number : *list) values.emplace_back(number.value);
    return *spec.initial == Value(std::move(values));
  }
  return std::get<std::vector<StreamOrder>>(value).empty();
}

std::optional<Diagnostic> settingWithoutCounterpart(const FlatOperator& op,
                                                    const std::set<std::string>& asked) {
  for (const ParameterSpec& spec : op.spec->parameters) {
    const auto value = op.parameters.values().find(spec.name);
    if (value == op.parameters.values().end() || asked.contains(spec.name) || isInitial(value->second, spec))
      continue;
    const auto* const text = std::get_if<std::string>(&value->second);
    return error("unsupported-operator", placeOf(op) / Location(Where::Parameter, spec.name),
                 (text ? "STeP's simulator has no '" + *text + "'"
                       : std::string("STeP's simulator has nothing for it")),
                 text ? "use another operator for it, or emit another form" : "leave it out");
  }
  return {};
}

}  // namespace

Result<std::vector<json>> stepOperators(const FlatGraph& graph, const InputSet& inputs) {
  std::vector<json> operators;
  Diagnostics problems;
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    const FlatOperator& op = graph.operators[id];
    const auto writer = writers().find(op.spec->kind);
    if (writer == writers().end()) {
      problems.push_back(error("unsupported-operator", placeOf(op),
                               "STeP's simulator has no operator like '" + op.spec->kind + "'",
                               "express it by operators of the simulator's, or emit another form"));
      continue;
    }
    StepOperator written(graph, inputs, id);
    writer->second(written);
    if (auto problem = settingWithoutCounterpart(op, written.asked()))
      problems.push_back(*std::move(problem));
    operators.push_back(std::move(written).told());
  }
  if (!problems.empty()) return alikeOnce(problems);
  return operators;
}

}  // namespace sluice::inline emitters
