#include "tests/engine/support/step_fixture_writer.h"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

namespace sluice {
namespace {

using nlohmann::json;

class Writer {
 public:
  Writer(const RandomGraph& random, std::uint64_t seed)
      : graph_(random.graph), inputs_(random.inputs), random_(seed * 31 + 7) {}

  json run() {
    json fixture = {{"depth", draw(1, 4)}, {"cfg", json::object()}, {"fb", graph_.machine.mock_bf16 ? 2 : 4}};
    if (draw(0, 19) == 0) fixture["depth"] = nullptr;
    fixture["ops"] = json::array();
    for (OperatorId id = 0; id < graph_.operators.size(); ++id) {
      if (draw(0, 3) == 0) fixture["cfg"][std::to_string(id)] = draw(1, 9);
      op_ = &graph_.operators[id];
      json op = body(op_->spec->kind);
      op["id"] = id;
      fixture["ops"].push_back(std::move(op));
    }
    return fixture;
  }

 private:
  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::int64_t integer(const char* name) const { return op_->parameters.integer(name); }
  bool flag(const char* name) const { return op_->parameters.boolean(name); }
  json list(const char* name) const {
    json values = json::array();
    for (const BoundInteger& number : op_->parameters.list(name)) values.push_back(number.value);
    return values;
  }

  json in(std::size_t port) const {
    const FlatStream& stream = graph_.streams[op_->inputs[port]];
    const std::string& producer = graph_.operators[stream.producer].spec->kind;
    const bool bundle = producer == "Broadcast" || producer == "Partition" || producer == "Parallelize" ||
                        producer == "EagerMerge";
    return json::array({stream.producer, bundle ? json(stream.producer_port) : json(nullptr)});
  }
  json bundle(std::size_t ways) const {
    json inputs = json::array();
    for (std::size_t i = 0; i < ways; ++i) inputs.push_back(in(i));
    return inputs;
  }
  json switches(std::size_t ports) {
    const bool uniform = draw(0, 1) == 0;
    json cycles = json::array();
    for (std::size_t i = 0; i < ports; ++i) cycles.push_back(uniform && i > 0 ? cycles[0] : json(draw(0, 4)));
    return cycles;
  }
  json tile(json op) const {
    op["tile_row"] = op_->parameters.list("tile")[0].value;
    op["tile_col"] = op_->parameters.list("tile")[1].value;
    op["par"] = integer("par_dispatch");
    return op;
  }
  json compute(json op) const {
    static const std::map<std::string, std::string> names = {{"matmul", "Matmul"},
                                                             {"multiply", "Mul"},
                                                             {"add", "Add"},
                                                             {"divide", "Div"},
                                                             {"silu", "Silu"},
                                                             {"exp", "Exp"},
                                                             {"row_sum", "RowWiseSum"},
                                                             {"retile_row", "RetileRow"},
                                                             {"set_offset", "SetOffset"},
                                                             {"row_append", "RowWiseAppend"},
                                                             {"cache_write_address", "CacheWriteAddrGen"},
                                                             {"signal_all_read", "SignalReqAllRead"}};
    op["fn"] = {{"name", names.at(op_->parameters.string("function"))}};
    if (op_->parameters.values().contains("weight_transposed") && flag("weight_transposed"))
      op["fn"]["weight_transposed"] = true;
    if (op_->parameters.values().contains("row_offset")) op["fn"]["row_offset"] = integer("row_offset");
    op["bw"] = integer("compute_bw");
    op["wb"] = flag("write_back_mu");
    return op;
  }
  json folded(json op) const {
    op["rank"] = integer("rank");
    op["init"] = list("init");
    return op;
  }
  /// The input's numbers; a routing as 0/1 rows.
  json data(json op) const {
    const InputData& input = inputs_.at(op_->parameters.string("input"));
    std::vector<std::size_t> shape = input.tensor.shape;
    std::vector<std::int64_t> values = input.tensor.data;
    if (input.kind == InputKind::Routing) {
      const bool one_hot = op_->parameters.string("view") == "one_hot";
      const auto experts = static_cast<std::size_t>(input.experts), top_k = shape[1];
      const std::size_t rows = one_hot ? shape[0] * top_k : shape[0];
      std::vector<std::int64_t> hot(rows * experts, 0);
      for (std::size_t i = 0; i < values.size(); ++i)
        hot[(one_hot ? i : i / top_k) * experts + static_cast<std::size_t>(values[i])] = 1;
      if (!one_hot) shape.pop_back();
      shape.push_back(experts);
      values = std::move(hot);
    }
    op["shape"] = shape;
    op["data"] = values;
    return op;
  }

  json body(const std::string& kind);
  json shapeOperator(const std::string& kind);
  json routing(const std::string& kind);

  const FlatGraph& graph_;
  const InputSet& inputs_;
  std::mt19937_64 random_;
  const FlatOperator* op_ = nullptr;
};

json Writer::body(const std::string& kind) {
  if (kind == "LinearOffChipLoad") return tile({{"T", "OffChipLoad"}, {"out", list("out_shape")}});
  if (kind == "LinearOffChipLoadRef")
    return tile({{"T", "DynOffChipLoad"}, {"ref", in(0)}, {"out", list("out_shape")}});
  if (kind == "RandomOffChipLoad") return tile({{"T", kind}, {"raddr", in(0)}});
  if (kind == "LinearOffChipStore") return tile({{"T", "OffChipStore"}, {"inp", in(0)}});
  if (kind == "RandomOffChipStore")
    return tile({{"T", kind}, {"waddr", in(0)}, {"wdata", in(1)}, {"ackw", flag("ack_from_address")}});
  if (kind == "Consumer") return {{"T", draw(0, 1) ? "ConsumerContext" : "PrinterContext"}, {"inp", in(0)}};
  if (kind == "MetadataGen" || kind == "SelectGen") return data({{"T", kind}});
  if (kind == "Map") return compute({{"T", "UnaryMap"}, {"inp", in(0)}});
  if (kind == "BinaryMap") return compute({{"T", kind}, {"in1", in(0)}, {"in2", in(1)}});
  if (kind == "BinaryMapAccum") return folded(compute({{"T", kind}, {"in1", in(0)}, {"in2", in(1)}}));
  if (kind == "Accum") return folded(compute({{"T", kind}, {"inp", in(0)}}));
  if (kind == "ExpertAddrGen")
    return {{"T", kind}, {"inp", in(0)}, {"n", integer("tiles")}, {"base", integer("base")}};
  if (kind == "CacheReadAddrGen")
    return {{"T", kind}, {"idx", in(0)}, {"sl", in(1)}, {"off", integer("row_offset")}};
  if (kind == "FilterLastTile") return {{"T", kind}, {"inp", in(0)}};
  return shapeOperator(kind);
}

json Writer::shapeOperator(const std::string& kind) {
  if (kind == "Flatten") return {{"T", kind}, {"inp", in(0)}, {"mn", integer("min")}, {"mx", integer("max")}};
  if (kind == "Promote") return {{"T", kind}, {"inp", in(0)}, {"rank", integer("rank")}};
  if (kind == "Expand")
    return {{"T", "ExpandRef"}, {"inp", in(0)}, {"ref", in(1)}, {"rank", integer("rank")}};
  if (kind == "Repeat") return {{"T", "RepeatStatic"}, {"inp", in(0)}, {"rf", integer("factor")}};
  if (kind == "FlatMap")
    return {{"T", "RetileStreamify"},
            {"inp", in(0)},
            {"row", op_->parameters.string("split") == "row"},
            {"mask", flag("filter_mask")}};
  if (kind == "Bufferize") return {{"T", kind}, {"inp", in(0)}, {"rank", integer("rank")}};
  if (kind == "Streamify")
    return {{"T", kind}, {"inp", in(0)}, {"rank", integer("rank")}, {"rf", list("repeat")}};
  if (kind == "Reshape") {
    const json pad = list("pad");
    return {{"T", kind},
            {"inp", in(0)},
            {"dim", integer("dim")},
            {"chunk", integer("chunk")},
            {"pad", pad.empty() ? json(nullptr) : pad},
            {"outer", flag("add_outer_dim")},
            {"wb", flag("write_back_mu")}};
  }
  return routing(kind);
}

json Writer::routing(const std::string& kind) {
  const auto ways = static_cast<std::size_t>(integer("ways"));
  if (kind == "Broadcast") return {{"T", kind}, {"inp", in(0)}, {"n", ways}};
  const std::int64_t rank = integer("rank");
  if (kind == "Parallelize")
    return {{"T", kind}, {"inp", in(0)}, {"n", ways}, {"rank", rank}, {"sw", switches(ways)}};
  if (kind == "EagerMerge") return {{"T", kind}, {"inps", bundle(ways)}, {"rank", rank}};
  const bool write_back = flag("write_back_mu");
  if (kind == "Partition")
    return {{"T", "FlatPartition"}, {"inp", in(0)},    {"ctl", in(1)}, {"rank", rank}, {"n", ways},
            {"sw", switches(ways)}, {"wb", write_back}};
  if (kind == "Reassemble")
    return {{"T", "FlatReassemble"}, {"inps", bundle(ways)}, {"ctl", in(ways)},
            {"rank", rank},          {"sw", switches(ways)}, {"wb", write_back}};
  throw std::logic_error("the reference model has no " + kind);
}

}  // namespace

std::string stepFixture(const RandomGraph& random, std::uint64_t seed) {
  return Writer(random, seed).run().dump();
}

}  // namespace sluice
