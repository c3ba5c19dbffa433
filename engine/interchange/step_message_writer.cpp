#include "engine/interchange/step_message_writer.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "engine/interchange/step_message_kinds.h"

namespace sluice::inline interchange {

using nlohmann::json;

namespace {

/// "RowWiseSum" -> "row_wise_sum".
std::string snakeCase(const std::string& name) {
  std::string snake;
  for (const char c : name) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (upper && !snake.empty()) snake += '_';
    snake += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return snake;
}

json function(const json& fn) {
  json inside = json::object();
  if (fn.contains("weight_transposed")) inside["weight_transposed"] = fn.at("weight_transposed");
  if (fn.contains("row_offset")) inside["offset_per_idx"] = fn.at("row_offset");
  return {{snakeCase(fn.at("name").get<std::string>()), std::move(inside)}};
}

class Writer {
 public:
  Writer(const json& op, const StepElementTypes& types, const ProtobufSchema& schema)
      : op_(op), types_(types), schema_(schema) {}

  Result<StepMessage> run() {
    // Some kinds have two names: that which the schema has.
    for (const StepMessageKind& kind : stepMessageKinds()) {
      if (op_.at("T") != kind.kind) continue;
      const auto fields = schema_.fields("Operation", kind.message);
      if (fields) return write(kind, *fields);
    }
    return error("unsupported-operator", {}, "the schema has no operator " + op_.at("T").get<std::string>(),
                 "give the .proto files of a simulator that has it");
  }

 private:
  StepMessage write(const StepMessageKind& kind, const std::set<std::string>& fields) {
    fields_ = &fields;
    for (const StepField& field : kind.fields) add(field);
    optional("tensor_shape_tiled", op_.value("ts", json()));
    optional("input_stream_rank", types_.rank);
    addTypes();
    StepMessage message{{{"id", op_.at("id")}, {kind.message, std::move(message_)}}};
    message.array = std::move(array_), message.values = std::move(values_);
    return message;
  }

  void add(const StepField& field) {
    if (field.how == From::Array) return addArray(field);
    if (field.how == From::ElementBytes) return optional(field.from, types_.bytes);
    const auto found = op_.find(field.to);
    if (found == op_.end() || found->is_null()) return;
    switch (field.how) {
      case From::Same:
      case From::Given:
        return set(field.from, *found);
      case From::BufferDepth:
        return optional(field.from, *found);  // else it is among the settings of the run
      case From::Input:
      case From::OptionalInput:
        set(field.from, found->at(0));
        if (!found->at(1).is_null()) set(field.from_output, found->at(1));
        return;
      case From::Inputs:
        return addInputs(field, *found);
      case From::Function:
      case From::OptionalFunction:
        return set(field.from, function(*found));
      case From::Init:
      case From::Padding:
        set(field.from, {{"zero", json::object()}});
        set("tile_row", found->at(0)), set("tile_col", found->at(1));
        return;
      default:
        return;  // says nothing that the element types do not, or must not be set
    }
  }

  void set(const char* field, json value) { message_[field] = std::move(value); }
  /// What not every schema has, nor every message.
  void optional(const char* field, json value) {
    if (!value.is_null() && fields_->contains(field)) set(field, std::move(value));
  }

  void addInputs(const StepField& field, const json& list) {
    json ids = json::array(), outputs = json::array();
    for (const json& input : list) {
      ids.push_back(input.at(0));
      outputs.push_back(input.at(1).is_null() ? json(-1) : input.at(1));
    }
    set(field.from, std::move(ids)), set(field.from_output, std::move(outputs));
  }

  void addArray(const StepField& field) {
    array_ = "data_" + op_.at("id").dump() + ".npy";
    values_.shape = op_.at("shape").get<std::vector<std::size_t>>();
    values_.data = op_.at("data").get<std::vector<std::int64_t>>();
    set(field.from, array_);
    optional("tensor_shape_tiled", values_.shape);
  }

  static json typeNamed(const std::string& name) {
    const json none = json::object();
    return name == "buffer" ? json{{"buffer", {{"f32", none}}}} : json{{name, none}};
  }
  void type(const char* field, const std::string& name) {
    if (!name.empty()) optional(field, typeNamed(name));
  }

  /// Under all names that messages have for them; a message has some of these.
  void addTypes() {
    const std::vector<std::string>& in = types_.inputs;
    const std::string first = in.empty() ? types_.output : in.front();
    const std::string last = in.empty() ? "" : in.back();
    const bool reads = message_.contains("n_byte") || !array_.empty();  // what is read, not what triggers it
    type("dtype", !array_.empty() && types_.output == "u64" ? "scalar_i64" : reads ? types_.output : first);
    type("dtype_a", first);
    type("dtype_b", message_.contains("input_id2") ? last : types_.output);
    type("dtype_out", types_.output);
    type("input_dtype", first);
    for (const char* field : {"control_dtype", "ref_dtype", "index_dtype", "wdata_dtype"}) type(field, last);
  }

  const json& op_;
  const StepElementTypes& types_;
  const ProtobufSchema& schema_;
  const std::set<std::string>* fields_ = nullptr;  ///< of the message
  json message_ = json::object();
  std::string array_;
  IntTensor values_;
};

}  // namespace

Result<StepMessage> writeStepMessage(const json& op, const StepElementTypes& types,
                                     const ProtobufSchema& schema) {
  return Writer(op, types, schema).run();
}

}  // namespace sluice::inline interchange
