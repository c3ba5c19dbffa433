#include "engine/interchange/step_protobuf.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "engine/interchange/numpy.h"
#include "engine/interchange/protobuf_message.h"
#include "engine/interchange/step_fixture.h"

namespace sluice {

namespace {

using nlohmann::json;

/// How a field of the imported graph follows from fields of the message.
enum class From {
  Same,      ///< a number, flag or list
  Input,     ///< the producer's id, and which of its outputs
  Inputs,    ///< the same as two lists
  Function,  ///< a message that holds one of several functions
  Init,      ///< tile_row and tile_col
  Padding,   ///< the same, if there is a padding function
  Array,     ///< shape and data of the .npy file of that name
  Unset      ///< a field that must be 0, as nothing here does what it asks for
};

struct Field {
  const char* to;
  From how;
  const char* from;
  const char* from_output = nullptr;
};

struct Kind {
  const char* message;  ///< field of Operation
  const char* kind;     ///< "T" of the graph
  std::vector<Field> fields;
};

using F = From;
constexpr Field in{"inp", F::Input, "input_id", "stream_idx"};
constexpr Field input{"inp", F::Input, "input_id", "input_stream_idx"};
constexpr Field in1{"in1", F::Input, "input_id1", "stream_idx1"},
    in2{"in2", F::Input, "input_id2", "stream_idx2"};
constexpr Field inputs{"inps", F::Inputs, "input_id_list", "input_stream_idx_list"};
constexpr Field ref{"ref", F::Input, "ref_id", "ref_stream_idx"};
constexpr Field control{"ctl", F::Input, "control_id", "control_stream_idx"};
constexpr Field function{"fn", F::Function, "func"}, init{"init", F::Init, ""};
constexpr Field bw{"bw", F::Same, "compute_bw"}, wb{"wb", F::Same, "write_back_mu"},
    rank{"rank", F::Same, "rank"};
constexpr Field rows{"tile_row", F::Same, "tile_row"}, columns{"tile_col", F::Same, "tile_col"};
constexpr Field par{"par", F::Same, "par_dispatch"}, view{"out", F::Same, "out_shape_tiled"};
constexpr Field sw{"sw", F::Same, "switch_cycles"}, ways{"n", F::Same, "num_consumers"};
const std::vector<Field> load{view, rows, columns, par}, load_ref{ref, view, rows, columns, par},
    load_trigger{ref, view, rows, columns, par, {"", F::Unset, "trigger_rank"}};
const std::vector<Kind> kinds{
    {"binarymap", "BinaryMap", {in1, in2, function, bw, wb}},
    {"unarymap", "UnaryMap", {in, function, bw, wb}},
    {"binarymap_accum", "BinaryMapAccum", {in1, in2, function, init, rank, bw, wb}},
    {"accum", "Accum", {in, function, init, rank, bw, wb}},
    {"accum_buffer", "AccumBuffer", {in, function, {"shape", F::Same, "buffer_shape"}, rank, bw}},
    {"off_chip_load", "OffChipLoad", load},
    {"linear_off_chip_load", "OffChipLoad", load},
    {"dyn_off_chip_load", "DynOffChipLoad", load_ref},
    {"linear_off_chip_load_ref", "DynOffChipLoad", load_trigger},
    {"off_chip_store", "OffChipStore", {in, rows, columns, par}},
    {"random_off_chip_load",
     "RandomOffChipLoad",
     {{"raddr", F::Input, "raddr_id", "raddr_stream_idx"}, rows, columns, par}},
    {"random_off_chip_store",
     "RandomOffChipStore",
     {{"waddr", F::Input, "waddr_id", "waddr_stream_idx"},
      {"wdata", F::Input, "wdata_id", "wdata_stream_idx"},
      {"ackw", F::Same, "ack_based_on_waddr"},
      rows,
      columns,
      par}},
    {"printer_context", "PrinterContext", {in}},
    {"consumer_context", "ConsumerContext", {in}},
    {"select_gen", "SelectGen", {{"multihot", F::Same, "is_multihot"}, {"", F::Array, "npy_path"}}},
    {"metadata_gen", "MetadataGen", {{"", F::Array, "npy_path"}}},
    {"expert_addr_gen",
     "ExpertAddrGen",
     {input, {"n", F::Same, "num_tile_per_expert"}, {"base", F::Same, "expert_addr_base"}}},
    {"cache_read_addr_gen",
     "CacheReadAddrGen",
     {{"idx", F::Input, "idx_id", "idx_stream_idx"},
      {"sl", F::Input, "seq_len_id", "seq_len_stream_idx"},
      {"off", F::Same, "offset_per_idx"}}},
    {"filter_last_tile", "FilterLastTile", {{"inp", F::Input, "seq_len_id", "seq_len_stream_idx"}}},
    {"flatmap_counter", "FlatmapCounter", {in}},
    {"counter", "Counter", {{"max", F::Same, "max"}, {"", F::Unset, "input_id"}}},
    {"broadcast", "Broadcast", {in, ways}},
    {"flat_partition", "FlatPartition", {input, control, {"rank", F::Same, "partition_rank"}, ways, sw, wb}},
    {"parallelize", "Parallelize", {input, {"rank", F::Same, "parallelize_rank"}, ways, sw}},
    {"flat_reassemble", "FlatReassemble", {inputs, control, {"rank", F::Same, "reassemble_rank"}, sw, wb}},
    {"static_reassemble", "StaticReassemble", {inputs, {"rank", F::Same, "merge_rank"}, sw}},
    {"eager_merge", "EagerMerge", {inputs, {"rank", F::Same, "input_rank"}}},
    {"expand_ref", "ExpandRef", {in, ref, {"rank", F::Same, "expand_rank"}}},
    {"repeat_static", "RepeatStatic", {in, {"rf", F::Same, "repeat_factor"}}},
    {"repeat_ref", "RepeatRef", {input, ref, rank}},
    {"promote", "Promote", {in, {"rank", F::Same, "promote_rank"}}},
    {"promote_outer", "PromoteOuter", {in}},
    {"take_last", "TakeLast", {in}},
    {"flatten", "Flatten", {in, {"mn", F::Same, "min_rank"}, {"mx", F::Same, "max_rank"}}},
    {"reshape",
     "Reshape",
     {in,
      {"dim", F::Same, "split_dim"},
      {"chunk", F::Same, "chunk_size"},
      wb,
      {"outer", F::Same, "add_outer_dim"},
      {"pad", F::Padding, "pad_func"}}},
    {"retile_streamify",
     "RetileStreamify",
     {in, {"row", F::Same, "split_row"}, {"mask", F::Same, "filter_mask"}, {"", F::Unset, "chunk"}}},
    {"bufferize", "Bufferize", {in, rank, {"", F::Unset, "passthrough"}}},
    {"streamify", "Streamify", {in, {"rf", F::Same, "repeat_factor"}, rank}},
    {"dyn_streamify",
     "DynStreamify",
     {input, ref, {"rank", F::Same, "bufferized_rank"}, {"rr", F::Same, "repeat_rank"}}}};

/// "row_wise_sum" -> "RowWiseSum".
std::string camelCase(const std::string& name) {
  std::string camel;
  bool upper = true;
  for (const char c : name) {
    if (c != '_') camel += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return camel;
}

std::string numbers(const json& unknown) {
  std::string list;
  for (const json& number : unknown) list += (list.empty() ? "" : ", ") + std::to_string(number.get<int>());
  return list;
}

/// Throws std::invalid_argument for what cannot be told.
class Converter {
 public:
  explicit Converter(const StepGraphOptions& options) : options_(options) {}

  json convert(const json& operation) {
    const auto kind =
        std::ranges::find_if(kinds, [&](const Kind& k) { return operation.contains(k.message); });
    if (kind == kinds.end()) throw std::invalid_argument(stranger(operation));
    const json& message = operation.at(kind->message);
    known(message, kind->message);
    json op = {{"T", kind->kind}, {"id", operation.at("id")}};
    for (const Field& field : kind->fields) add(op, message, field);
    return op;
  }

 private:
  static std::string stranger(const json& operation) {
    for (const auto& [name, value] : operation.items()) {
      if (value.is_object() && name != "chiplet_placement")
        return "operators of kind " + name + " have no counterpart";
    }
    if (!operation.contains("unknown")) return "the operation has no kind";
    return "the schema does not know the kind with field number " + numbers(operation.at("unknown"));
  }

  /// A field that nobody knows may change what the operator does.
  static void known(const json& message, const std::string& where) {
    if (message.contains("unknown")) {
      throw std::invalid_argument("the schema does not know field number " + numbers(message.at("unknown")) +
                                  " of " + where);
    }
  }

  void add(json& op, const json& message, const Field& field) {
    switch (field.how) {
      case From::Same:
        op[field.to] = message.at(field.from);
        return;
      case From::Input:
        op[field.to] = {message.at(field.from),
                        message.contains(field.from_output) ? message.at(field.from_output) : json()};
        return;
      case From::Inputs:
        op[field.to] = inputs(message.at(field.from), message.at(field.from_output));
        return;
      case From::Function:
        op[field.to] = function(message, field.from);
        return;
      case From::Init:
        op[field.to] = {message.at("tile_row"), message.at("tile_col")};
        return;
      case From::Padding:
        op[field.to] =
            message.contains(field.from) ? json{message.at("tile_row"), message.at("tile_col")} : json();
        return;
      case From::Array:
        return array(op, message.at(field.from).get<std::string>());
      case From::Unset:
        if (message.contains(field.from) && message.at(field.from) != 0 && message.at(field.from) != false)
          throw std::invalid_argument(std::string(field.from) + " is set, which has no counterpart");
        return;
    }
  }

  static json inputs(const json& ids, const json& outputs) {
    if (ids.size() != outputs.size()) throw std::invalid_argument("the lists of inputs differ in length");
    json list = json::array();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      list.push_back({ids[i], outputs[i].get<std::int64_t>() < 0 ? json() : outputs[i]});
    }
    return list;
  }

  static json function(const json& message, const char* field) {
    const json functions = message.contains(field) ? message.at(field) : json::object();
    known(functions, field);
    if (functions.size() != 1) throw std::invalid_argument("the operator has no function");
    const auto chosen = functions.begin();
    known(chosen.value(), chosen.key());
    json result = {{"name", camelCase(chosen.key())}};
    if (chosen->contains("weight_transposed")) result["weight_transposed"] = chosen->at("weight_transposed");
    if (chosen->contains("offset_per_idx")) result["row_offset"] = chosen->at("offset_per_idx");
    return result;
  }

  void array(json& op, const std::string& path) const {
    const Result<IntTensor> tensor = loadNumpy(options_.folder / path);
    if (!tensor) {
      const Diagnostic& why = tensor.diagnostics().front();
      throw std::invalid_argument(why.place + ": " + why.cause);
    }
    op["shape"] = tensor->shape;
    op["data"] = tensor->data;
  }

  const StepGraphOptions& options_;
};

}  // namespace

Result<Document> importStepProtobuf(std::string_view bytes, const std::string& name,
                                    const StepGraphOptions& options) {
  Result<ProtobufSchema> schema = options.schema_files.empty() ? ProtobufSchema::builtIn("step_perf_ir")
                                                               : ProtobufSchema::parse(options.schema_files);
  if (!schema) return schema.diagnostics();
  const Result<json> message = schema->read("ProgramGraph", bytes, name);
  if (!message) return message.diagnostics();
  const auto operators = message->find("operators");
  const bool some = operators != message->end() && operators->is_array() && !operators->empty();
  if (!some || message->contains("unknown")) {
    return Diagnostic{Severity::Error, name, "the bytes are no STeP graph: no ProgramGraph with operators",
                      "give the graph.pb that the front end wrote"};
  }
  json graph = {{"depth", options.fifo_depth ? json(*options.fifo_depth) : json()},
                {"fb", options.element_bytes},
                {"cfg", json::object()},
                {"ops", json::array()}};
  for (const auto& [id, depth] : options.depths) graph["cfg"][std::to_string(id)] = depth;
  Converter converter(options);
  for (const json& operation : *operators) {
    std::string place = name;
    try {
      place +=
          ": operator " + std::to_string(operation.value("id", 0)) + " (" + operation.value("name", "") + ")";
      graph["ops"].push_back(converter.convert(operation));
    } catch (const std::invalid_argument& problem) {
      return Diagnostic{
          Severity::Error, place, problem.what(),
          "export the graph with the operators of the artifact and its .npy files beside it, or give the "
          "front end's own .proto files"};
    } catch (const json::exception& problem) {
      return Diagnostic{Severity::Error, name, std::string("the schema lacks a field: ") + problem.what(),
                        "give the .proto files of the front end that wrote the graph"};
    }
  }
  return importStepGraph(graph, name);
}

}  // namespace sluice
