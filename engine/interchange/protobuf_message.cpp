#include "engine/interchange/protobuf_message.h"

#include <google/protobuf/compiler/importer.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "engine/core/atomic_file.h"
#include "engine/core/cancelled.h"
#include "engine/core/embedded_files.h"
#include "engine/core/names_and_more.h"

namespace sluice::inline interchange {

namespace pb = google::protobuf;
using nlohmann::json;

namespace {

/// Schema files that lie in memory.
class Texts : public pb::compiler::SourceTree {
 public:
  explicit Texts(const std::map<std::string, std::string>& files) : files_(files) {}
  pb::io::ZeroCopyInputStream* Open(const std::string& name) override {
    const auto file = files_.find(name);
    if (file == files_.end()) return nullptr;
    return new pb::io::ArrayInputStream(file->second.data(), static_cast<int>(file->second.size()));
  }
  std::string GetLastErrorMessage() override { return "there is no such file beside the others"; }

 private:
  std::map<std::string, std::string> files_;
};

class Errors : public pb::compiler::MultiFileErrorCollector {
 public:
  explicit Errors(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void AddError(const std::string& file, int line, int, const std::string& message) override {
    Location place(Where::File, (folder_ / file).string());
    if (line >= 0) place /= Location(Where::Line, line + 1);
    found.push_back(
        error("text-syntax", place, message, "give the schema files as their authors wrote them"));
  }
  Diagnostics found;

 private:
  std::filesystem::path folder_;
};

/// What a message would take in memory, told from its bytes: 2 of them can make an empty message of some
/// hundred.
class Extent {
 public:
  static bool bearable(std::string_view bytes, const pb::Descriptor& type) {
    pb::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                static_cast<int>(bytes.size()));
    Extent extent;
    extent.message(in, type, 0);
    return extent.values_ <= most;
  }
  static constexpr std::size_t most = 16'000'000;  ///< at about 100 bytes each

 private:
  static constexpr std::size_t of_a_message = 8;  ///< with the lists that it has, empty or not
  static constexpr int deepest = 100;             ///< as protobuf's own

  /// Stops at bytes that are no message: protobuf refuses them.
  bool message(pb::io::CodedInputStream& in, const pb::Descriptor& type, int depth) {
    values_ += of_a_message;
    while (const std::uint32_t tag = in.ReadTag()) {
      if (++values_ > most || !field(in, tag, type, depth)) return false;
    }
    return true;
  }

  bool field(pb::io::CodedInputStream& in, std::uint32_t tag, const pb::Descriptor& type, int depth) {
    std::uint64_t number = 0;
    std::uint32_t length = 0;
    switch (tag & 7U) {
      case 0:
        return in.ReadVarint64(&number);
      case 1:
        return in.Skip(8);
      case 2:
        return in.ReadVarint32(&length) && bytes(in, length, type.FindFieldByNumber(int(tag >> 3U)), depth);
      case 5:
        return in.Skip(4);
      default:
        return (tag & 7U) <= 4;  // a group: its fields come one by one
    }
  }

  bool bytes(pb::io::CodedInputStream& in, std::uint32_t length, const pb::FieldDescriptor* field,
             int depth) {
    if (length > std::uint32_t{std::numeric_limits<int>::max()}) return false;
    const int size = static_cast<int>(length);
    if (field && field->message_type() && depth < deepest) {
      const auto limit = in.PushLimit(size);
      const bool whole = message(in, *field->message_type(), depth + 1);
      in.PopLimit(limit);
      return whole;
    }
    if (field && field->is_packable()) values_ += numbers(in, size, field->cpp_type());
    return in.Skip(size);  // texts and bytes cost what they are
  }

  /// Four bytes at least, or such as end with a byte whose highest bit is clear.
  static std::size_t numbers(pb::io::CodedInputStream& in, int size, pb::FieldDescriptor::CppType type) {
    using F = pb::FieldDescriptor;
    if (type == F::CPPTYPE_FLOAT || type == F::CPPTYPE_DOUBLE) return static_cast<std::size_t>(size) / 4;
    const void* data = nullptr;
    int there = 0;
    if (!in.GetDirectBufferPointer(&data, &there)) return 0;
    const std::span packed(static_cast<const std::uint8_t*>(data),
                           static_cast<std::size_t>(std::min(size, there)));
    return static_cast<std::size_t>(
        std::count_if(packed.begin(), packed.end(), [](std::uint8_t byte) { return byte < 0x80; }));
  }

  std::size_t values_ = 0;
};

class Reader {
 public:
  Reader(std::size_t max_bytes, const std::stop_token& stop) : max_bytes_(max_bytes), stop_(stop) {}

  /// A stop request leaves the rest out.

  json object(const pb::Message& message) {
    json object = json::object();
    const pb::Descriptor& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const pb::FieldDescriptor& field = *type.field(i);
      if (field.is_repeated()) {
        object[field.name()] = list(message, field);
      } else if (!field.has_presence() || message.GetReflection()->HasField(message, &field)) {
        object[field.name()] = value(message, field, -1);
      }
    }
    const pb::UnknownFieldSet& unknown = message.GetReflection()->GetUnknownFields(message);
    std::set<int> numbers;
    for (int i = 0; i < unknown.field_count(); ++i) numbers.insert(unknown.field(i).number());
    if (!numbers.empty()) object["unknown"] = numbers;
    return object;
  }

 private:
  json list(const pb::Message& message, const pb::FieldDescriptor& field) {
    json list = json::array();
    const int size = message.GetReflection()->FieldSize(message, &field);
    for (int i = 0; i < size && !stop_.stop_requested(); ++i) list.push_back(value(message, field, i));
    return list;
  }

  /// `at` < 0: the field's only value.
  json value(const pb::Message& m, const pb::FieldDescriptor& field, int at) {
    using F = pb::FieldDescriptor;
    const pb::Reflection& r = *m.GetReflection();
    const F* f = &field;
    const bool one = at < 0;
    switch (field.cpp_type()) {
      case F::CPPTYPE_INT32:
        return one ? r.GetInt32(m, f) : r.GetRepeatedInt32(m, f, at);
      case F::CPPTYPE_INT64:
        return one ? r.GetInt64(m, f) : r.GetRepeatedInt64(m, f, at);
      case F::CPPTYPE_UINT32:
        return one ? r.GetUInt32(m, f) : r.GetRepeatedUInt32(m, f, at);
      case F::CPPTYPE_UINT64:
        return one ? r.GetUInt64(m, f) : r.GetRepeatedUInt64(m, f, at);
      case F::CPPTYPE_DOUBLE:
        return one ? r.GetDouble(m, f) : r.GetRepeatedDouble(m, f, at);
      case F::CPPTYPE_FLOAT:
        return one ? r.GetFloat(m, f) : r.GetRepeatedFloat(m, f, at);
      case F::CPPTYPE_BOOL:
        return one ? r.GetBool(m, f) : r.GetRepeatedBool(m, f, at);
      case F::CPPTYPE_ENUM:
        return one ? r.GetEnumValue(m, f) : r.GetRepeatedEnumValue(m, f, at);
      case F::CPPTYPE_STRING:
        return text(m, field, at);
      case F::CPPTYPE_MESSAGE:
        return object(one ? r.GetMessage(m, f) : r.GetRepeatedMessage(m, f, at));
    }
    throw std::logic_error("a protobuf field type that does not exist");
  }

  json text(const pb::Message& message, const pb::FieldDescriptor& field, int at) {
    std::string scratch;
    const pb::Reflection& r = *message.GetReflection();
    const std::string& text = at < 0 ? r.GetStringReference(message, &field, &scratch)
                                     : r.GetRepeatedStringReference(message, &field, at, &scratch);
    if (field.type() == pb::FieldDescriptor::TYPE_STRING) return text;
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(text.size(), max_bytes_));
    return json::binary(std::vector<std::uint8_t>(text.begin(), end));
  }

  std::size_t max_bytes_;
  const std::stop_token& stop_;
};

/// The other way round. `lacks`: what the schema has no field for.
void fill(pb::Message& message, const json& object, std::set<std::string>& lacks);

void set(pb::Message& m, const pb::FieldDescriptor& field, const json& value, std::set<std::string>& lacks) {
  using F = pb::FieldDescriptor;
  const pb::Reflection& r = *m.GetReflection();
  const F* f = &field;
  const bool more = field.is_repeated();
  switch (field.cpp_type()) {
    case F::CPPTYPE_INT32:
      return more ? r.AddInt32(&m, f, value.get<std::int32_t>())
                  : r.SetInt32(&m, f, value.get<std::int32_t>());
    case F::CPPTYPE_UINT32:
      return more ? r.AddUInt32(&m, f, value.get<std::uint32_t>())
                  : r.SetUInt32(&m, f, value.get<std::uint32_t>());
    case F::CPPTYPE_UINT64:
      return more ? r.AddUInt64(&m, f, value.get<std::uint64_t>())
                  : r.SetUInt64(&m, f, value.get<std::uint64_t>());
    case F::CPPTYPE_BOOL:
      return more ? r.AddBool(&m, f, value.get<bool>()) : r.SetBool(&m, f, value.get<bool>());
    case F::CPPTYPE_STRING:
      return more ? r.AddString(&m, f, value.get<std::string>())
                  : r.SetString(&m, f, value.get<std::string>());
    case F::CPPTYPE_MESSAGE:
      return fill(more ? *r.AddMessage(&m, f) : *r.MutableMessage(&m, f), value, lacks);
    default:
      throw std::logic_error("messages that are written have no field of the type of " + field.name());
  }
}

void fill(pb::Message& message, const json& object, std::set<std::string>& lacks) {
  for (const auto& [name, value] : object.items()) {
    const pb::FieldDescriptor* const field = message.GetDescriptor()->FindFieldByName(name);
    if (!field) {
      lacks.insert(name + " of " + message.GetDescriptor()->name());
    } else if (!field->is_repeated()) {
      set(message, *field, value, lacks);
    } else {
      for (const json& element : value) set(message, *field, element, lacks);
    }
  }
}

}  // namespace

struct ProtobufSchema::Parsed {
  Parsed(const std::map<std::string, std::string>& schema, const std::filesystem::path& where)
      : folder(where), texts(schema), errors(where), importer(&texts, &errors), messages(importer.pool()) {}

  /// The message type of that name, whatever its package.
  const pb::Descriptor* find(std::string_view name) const {
    for (const pb::FileDescriptor* file : files) {
      if (const pb::Descriptor* type = file->FindMessageTypeByName(std::string(name))) return type;
    }
    return nullptr;
  }

  std::filesystem::path folder;
  Texts texts;
  Errors errors;
  pb::compiler::Importer importer;
  mutable pb::DynamicMessageFactory messages;
  std::vector<const pb::FileDescriptor*> files;
};

Result<ProtobufSchema> ProtobufSchema::parse(const std::map<std::string, std::string>& files,
                                             const std::filesystem::path& folder) {
  const auto parsed = std::make_shared<Parsed>(files, folder);
#if GOOGLE_PROTOBUF_VERSION < 4022000
  const pb::LogSilencer quiet;  // of a file that names no syntax, which is then taken for proto2
#endif
  for (const auto& [name, text] : files) {
    if (text.size() > std::numeric_limits<int>::max()) {
      return error("file-too-large", Location(Where::File, (folder / name).string()),
                   "the schema has more than 2 GiB", "give the schema's own file");
    }
    if (const pb::FileDescriptor* file = parsed->importer.Import(name)) parsed->files.push_back(file);
  }
  if (!parsed->errors.found.empty()) return std::move(parsed->errors.found);
  ProtobufSchema schema;
  schema.parsed_ = parsed;
  return schema;
}

Result<ProtobufSchema> ProtobufSchema::ofFolder(const std::filesystem::path& folder) {
  SLUICE_TRY(const auto files, protobufFiles(folder));
  return parse(files, folder);
}

Location ProtobufSchema::place() const {
  return parsed_->folder.empty() ? Location() : Location(Where::File, parsed_->folder.string());
}

ProtobufSchema ProtobufSchema::builtIn(std::string_view name) {
  for (const EmbeddedFile& file : schemaFiles()) {
    if (file.name != name) continue;
    Result<ProtobufSchema> schema = parse({{std::string(name) + ".proto", std::string(file.text)}});
    if (!schema) throw std::logic_error(sluice::text(schema.diagnostics()));
    return *std::move(schema);
  }
  throw std::logic_error("there is no schema " + std::string(name));
}

Result<json> ProtobufSchema::read(std::string_view message, std::string_view bytes, const Location& place,
                                  const std::stop_token& stop, std::size_t max_bytes) const {
  const pb::Descriptor* const type = parsed_->find(message);
  if (!type) {
    return error("wrong-format", parsed_->folder.empty() ? place : this->place(),
                 "the schema has no message " + std::string(message),
                 "give the folder with all of the schema's files");
  }
  if (bytes.size() <= std::numeric_limits<int>::max() && !Extent::bearable(bytes, *type)) {
    return error(
        "too-many", place, "the message holds more than " + std::to_string(Extent::most) + " values",
        "give the part of it that matters; large tensors belong in files beside it, or are raw bytes");
  }
  const std::unique_ptr<pb::Message> read(parsed_->messages.GetPrototype(type)->New());
  const bool fits = bytes.size() <= std::numeric_limits<int>::max();
#if GOOGLE_PROTOBUF_VERSION < 4022000
  const pb::LogSilencer quiet;  // what is wrong comes back in the diagnostic, not on stderr
#endif
  if (!fits || !read->ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return error(fits ? Code("wrong-format") : Code("file-too-large"), place,
                 fits ? "the bytes are no " + std::string(message) + " message, or end too early"
                      : "the message has more than 2 GiB",
                 "export the file again, as the front end serialises it");
  }
  json object = Reader(max_bytes, stop).object(*read);
  if (stop.stop_requested()) return cancelledDiagnostic();
  return object;
}

std::optional<std::set<std::string>> ProtobufSchema::fields(std::string_view message,
                                                            std::string_view field) const {
  const pb::Descriptor* const type = parsed_->find(message);
  const pb::FieldDescriptor* const holder = type ? type->FindFieldByName(std::string(field)) : nullptr;
  if (!holder || !holder->message_type()) return {};
  std::set<std::string> names;
  for (int i = 0; i < holder->message_type()->field_count(); ++i)
    names.insert(holder->message_type()->field(i)->name());
  return names;
}

Result<std::string> ProtobufSchema::write(std::string_view message, const json& object) const {
  const pb::Descriptor* const type = parsed_->find(message);
  std::set<std::string> lacks;
  if (type) {
    const std::unique_ptr<pb::Message> written(parsed_->messages.GetPrototype(type)->New());
    fill(*written, object, lacks);
    if (lacks.empty()) return written->SerializeAsString();
  }
  return error("wrong-format", place(),
               type ? "the schema has no field " +
                          namesAndMore(std::vector<std::string>(lacks.begin(), lacks.end()), 4)
                    : "the schema has no message " + std::string(message),
               "give the folder with all of the schema's files");
}

Result<std::map<std::string, std::string>> protobufFiles(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
    if (entry.path().extension() != ".proto") continue;
    SLUICE_TRY(files[entry.path().filename().string()], readFile(entry.path(), 1 << 24));
  }
  if (!files.empty()) return files;
  return error("file-not-found", Location(Where::File, folder.string()), "there are no .proto files",
               "name the folder with the .proto files of the front end");
}

}  // namespace sluice::inline interchange
