#include "engine/interchange/step_message.h"

#include <algorithm>
#include <set>

#include "engine/core/atomic_file.h"
#include "engine/core/json_extent.h"
#include "engine/interchange/numpy.h"

namespace sluice::inline interchange {

using nlohmann::json;

namespace {

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

/// An unknown field may change what the operator does, however deep it is.
void known(const json& message, const std::string& where) {
  if (!message.is_object()) return;
  if (message.contains("unknown")) {
    refuseImport("unknown-field",
                 "the schema does not know field number " + numbers(message.at("unknown")) + " of " + where);
  }
  for (const auto& [name, value] : message.items()) {
    known(value, name);
    if (!value.is_array()) continue;
    for (const json& element : value) known(element, name);
  }
}

/// Whether a field holds more than protobuf's default.
bool isSet(const json& value) {
  if (value.is_number()) return value != 0;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_object()) return true;  // a message that was not written is not there
  return !value.empty();
}

/// The one field of a message that holds one of several; null without any.
const json* chosen(const json& message, std::string& name) {
  if (!message.is_object() || message.size() != 1) return nullptr;
  name = message.begin().key();
  return &message.begin().value();
}

std::string stranger(const json& operation) {
  for (const auto& [name, value] : operation.items()) {
    if (value.is_object() && name != "chiplet_placement")
      return "operators of kind " + name + " have no counterpart";
  }
  if (!operation.contains("unknown")) return "the operation has no kind";
  return "the schema does not know the kind with field number " + numbers(operation.at("unknown"));
}

void checkOperation(const json& operation, const std::string& kind) {
  if (operation.contains("unknown")) {
    refuseImport("unknown-field", "the schema does not know field number " +
                                      numbers(operation.at("unknown")) + " of the operation");
  }
  static const std::set<std::string> remarks{"name", "id", "group_id", "out_stream_shape"};
  for (const auto& [name, value] : operation.items()) {
    if (name == kind || remarks.contains(name) || !isSet(value)) continue;
    if (name == "parallel_factor" && value == 1) continue;
    if (name == "parallel_factor") {
      refuseImport("unsupported-operator",
                   "parallel_factor asks for " + value.dump() + " lanes of the operator",
                   "write the lanes out, with Parallelize in front of them and StaticReassemble behind");
    }
    refuseImport("unsupported-operator", name + " is set, which has no counterpart");
  }
}

void checkType(const json& type, const std::string& field) {
  static const std::set<std::string> types{"f16", "f32",        "multi_hot",   "index", "buffer",
                                           "u64", "scalar_u64", "scalar_bool", "bool",  "scalar_i64"};
  std::string name;
  if (chosen(type, name) && !types.contains(name))
    refuseImport("data-type-mismatch", field + ": elements of type " + name + " have no counterpart");
}

/// Fields that the table does not name, and the types of elements, which follow from the graph.
void checkLeftOver(const json& message, const StepMessageKind& kind) {
  for (const auto& [name, value] : message.items()) {
    if (name.find("dtype") != std::string::npos) {
      checkType(value, name);
      continue;
    }
    const bool named = std::ranges::any_of(kind.fields, [&, &field_name = name](const StepField& field) {
      const bool tile = field.how == From::Init || field.how == From::Padding;
      return field_name == field.from || (field.from_output && field_name == field.from_output) ||
             (tile && (field_name == "tile_row" || field_name == "tile_col"));
    });
    if (!named && isSet(value))
      refuseImport("unsupported-operator", name + " is set, which has no counterpart");
  }
}

json inputs(const json& ids, const json& outputs) {
  if (ids.size() != outputs.size()) refuseImport("missing-value", "the lists of inputs differ in length");
  json list = json::array();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    list.push_back({ids[i], outputs[i].get<std::int64_t>() < 0 ? json() : outputs[i]});
  }
  return list;
}

json function(const json& message, const char* field) {
  std::string name;
  const json* const function = message.contains(field) ? chosen(message.at(field), name) : nullptr;
  if (!function) refuseImport("missing-field", "the operator has no function");
  json result = {{"name", camelCase(name)}};
  for (const auto& [parameter, value] : function->items()) {
    if (parameter == "weight_transposed") {
      result["weight_transposed"] = value;
    } else if (parameter == "offset_per_idx") {
      result["row_offset"] = value;
    } else if (isSet(value)) {
      refuseImport("unsupported-operator", parameter + " of " + name + " is set, which has no counterpart");
    }
  }
  return result;
}

/// Accumulators and padding begin with zeros here.
void checkZeros(const json& message, const char* field) {
  std::string name;
  if (message.contains(field) && chosen(message.at(field), name) && name != "zero" && name != "empty")
    refuseImport("unsupported-operator",
                 std::string(field) + " is " + name + "; only zero and empty have a counterpart");
}

void scalar(json& op, const json& message, const StepField& field) {
  std::string name;
  if (!message.contains(field.from) || !chosen(message.at(field.from), name) || name == "f32") return;
  if (name != "f16" && name != "u64")
    refuseImport("data-type-mismatch", "tensors of type " + name + " have no counterpart off chip");
  op[field.to] = name;
}

}  // namespace

json StepMessageReader::read(const json& operation, const Location& place) {
  place_ = place;
  const auto kinds = stepMessageKinds();
  const auto kind =
      std::ranges::find_if(kinds, [&](const StepMessageKind& k) { return operation.contains(k.message); });
  if (kind == kinds.end()) refuseImport("unknown-operator", stranger(operation));
  checkOperation(operation, kind->message);
  const json& message = operation.at(kind->message);
  known(message, kind->message);
  id_ = operation.at("id").get<std::int64_t>();
  json op = {{"T", kind->kind}, {"id", operation.at("id")}};
  for (const StepField& field : kind->fields) add(op, message, field);
  checkLeftOver(message, *kind);
  return op;
}

void StepMessageReader::add(json& op, const json& message, const StepField& field) {
  switch (field.how) {
    case From::Same:
      op[field.to] = message.at(field.from);
      return;
    case From::Given:
      if (message.contains(field.from) && !message.at(field.from).empty())
        op[field.to] = message.at(field.from);
      return;
    case From::OptionalInput:
      if (!message.contains(field.from)) return;
      [[fallthrough]];
    case From::Input:
      op[field.to] = {message.at(field.from),
                      message.contains(field.from_output) ? message.at(field.from_output) : json()};
      return;
    case From::Inputs:
      op[field.to] = inputs(message.at(field.from), message.at(field.from_output));
      return;
    case From::OptionalFunction:
      if (!message.contains(field.from)) return;
      [[fallthrough]];
    case From::Function:
      op[field.to] = function(message, field.from);
      return;
    case From::Init:
      checkZeros(message, field.from);
      op[field.to] = {message.at("tile_row"), message.at("tile_col")};
      return;
    case From::Padding:
      checkZeros(message, field.from);
      op[field.to] =
          message.contains(field.from) ? json{message.at("tile_row"), message.at("tile_col")} : json();
      return;
    case From::Unset:
      if (message.contains(field.from) && isSet(message.at(field.from)))
        refuseImport("unsupported-operator", std::string(field.from) + " is set, which has no counterpart");
      return;
    case From::Either:
      return;
    default:
      return addMemory(op, message, field);
  }
}

/// What only sources and off-chip operators have.
void StepMessageReader::addMemory(json& op, const json& message, const StepField& field) {
  switch (field.how) {
    case From::Array:
      return array(op, message.at(field.from).get<std::string>());
    case From::Extents:
      return extents(op, message, message.at(field.from).get<std::string>());
    case From::Scalar:
      return scalar(op, message, field);
    case From::ElementBytes:
      if (message.contains(field.from)) elementBytes(op, message.at(field.from).get<std::int64_t>());
      return;
    case From::RequestBytes:
      return requestBytes(message.at(field.from).get<std::int64_t>());
    default:
      return bufferDepth(op, message, field);
  }
}

void StepMessageReader::array(json& op, const std::string& path) const {
  const Result<IntTensor> tensor = loadNumpy(options_.folder / path);
  if (!tensor) {
    Diagnostic why = tensor.diagnostics().front();
    why.cause = text(why.place) + ": " + why.cause;
    why.fix = "put the array beside the graph that names it";
    why.related.push_back(why.place);
    throw ImportRefusal(std::move(why));
  }
  op["shape"] = tensor->shape;
  op["data"] = tensor->data;
}

/// The tensor's shape is in elements, as the front end writes it.
void StepMessageReader::extents(json& op, const json& message, const std::string& path) const {
  const std::string file = (options_.folder / path).string();
  const Result<std::string> text = readFile(file, 1 << 16);
  const bool fits = text && !tooMuchJson(*text);
  const json shape = fits ? json::parse(*text, nullptr, false) : json();
  const auto natural = [](const json& extent) { return extent.is_number_unsigned() && extent > 0; };
  if (!shape.is_array() || shape.size() < 2 || !std::ranges::all_of(shape, natural)) {
    refuseImport(
        "input-shape",
        file + (text ? " is no list of at least two extents" : ": " + text.diagnostics().front().cause),
        "put the tensor's shape beside the graph, as in [32, 128]");
  }
  json tiled = shape;
  for (const auto& [offset, side] : {std::pair{2, "tile_row"}, std::pair{1, "tile_col"}}) {
    json& extent = tiled[tiled.size() - static_cast<std::size_t>(offset)];
    const auto tile = message.at(side).get<std::uint64_t>();
    if (tile == 0 || extent.get<std::uint64_t>() % tile != 0) {
      refuseImport("tile-mismatch",
                   "the shape " + shape.dump() + " of " + file + " is not cut into whole tiles, " + side +
                       " = " + std::to_string(tile),
                   "choose tiles that divide the tensor");
    }
    extent = extent.get<std::uint64_t>() / tile;
  }
  op["tensor"] = shape;
  op["extents"] = tiled;
}

/// A float32 moves as two bytes where the front end's mock_bf16 was on: the same for the whole graph.
void StepMessageReader::elementBytes(const json& op, std::int64_t bytes) {
  if (bytes == 0) return;  // not told
  const std::string type = op.value("scalar", "f32");
  const bool floats = type == "f32";
  if (floats ? bytes != 2 && bytes != 4 : bytes != (type == "f16" ? 2 : 8))
    refuseImport("data-type-mismatch",
                 "n_byte = " + std::to_string(bytes) + " are not the bytes of an element of type " + type);
  if (!floats) return;
  if (element_bytes_ && *element_bytes_ != bytes) {
    Diagnostic why = error("data-type-mismatch", {},
                           "n_byte = " + std::to_string(bytes) + ", but " + text(element_bytes_place_) +
                               " has n_byte = " + std::to_string(*element_bytes_),
                           "build the whole graph with mock_bf16, or the whole graph without it");
    why.related.push_back(element_bytes_place_);
    throw ImportRefusal(std::move(why));
  }
  element_bytes_ = bytes;
  element_bytes_place_ = place_;
}

void StepMessageReader::requestBytes(std::int64_t bytes) const {
  const std::int64_t machine = options_.hbm.value_or(HbmConfig()).request_bytes;
  if (bytes == 0 || bytes == machine) return;
  refuseImport("conflicting-options",
               "addr_offset = " + std::to_string(bytes) + ", but the machine's requests have " +
                   std::to_string(machine) + " bytes",
               "give the run's own settings with --hbm-config");
}

void StepMessageReader::bufferDepth(json& op, const json& message, const StepField& field) {
  const auto given = options_.sim.buffer_depths.find(id_);
  if (message.contains(field.from) && isSet(message.at(field.from))) {
    op[field.to] = message.at(field.from);
  } else if (given != options_.sim.buffer_depths.end()) {
    op[field.to] = given->second;
  } else {
    report_.push_back(note(
        "settings-assumed", place_,
        "the graph does not say how many tiles it holds on chip (buffer_depth); 1 is taken",
        "give it as \"buffer_depths\": {\"" + std::to_string(id_) + "\": N} in the file of --sim-config"));
  }
}

}  // namespace sluice::inline interchange
