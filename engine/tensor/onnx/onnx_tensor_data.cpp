#include "engine/tensor/onnx/onnx_tensor_data.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/tensor/onnx/onnx_inference.h"

namespace sluice::inline tensor {
namespace {

using nlohmann::json;
using Bytes = std::string_view;
using Elements = std::optional<std::vector<double>>;

Bytes bytesOf(const json& tensor, const char* field) {
  if (!tensor.contains(field)) return {};
  const auto& binary = tensor.at(field).get_binary();
  return {reinterpret_cast<const char*>(binary.data()), binary.size()};
}

/// IEEE half precision, or bfloat16.
double fromHalf(std::uint16_t bits, bool brain) {
  const int exponent_bits = brain ? 8 : 5, fraction_bits = brain ? 7 : 10;
  const int bias = (1 << (exponent_bits - 1)) - 1,
            exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
  const int fraction_field = bits & ((1 << fraction_bits) - 1);
  const double fraction = std::ldexp(fraction_field, -fraction_bits);
  double size = exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
  if (exponent == (1 << exponent_bits) - 1)
    size = fraction_field == 0 ? std::numeric_limits<double>::infinity()
                               : std::numeric_limits<double>::quiet_NaN();
  return bits >> 15 != 0 ? -size : size;
}

template <class Number, class Convert>
std::vector<double> numbers(Bytes raw, const Convert& convert) {
  std::vector<double> elements;
  elements.reserve(raw.size() / sizeof(Number));
  for (std::size_t at = 0; at + sizeof(Number) <= raw.size(); at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, raw.data() + at, sizeof number);
    elements.push_back(convert(number));
  }
  return elements;
}
template <class Number>
std::vector<double> numbers(Bytes raw) {
  return numbers<Number>(raw, [](Number number) { return static_cast<double>(number); });
}

/// Two in a byte, the lower half first.
std::vector<double> halves(Bytes raw, bool is_signed) {
  std::vector<double> elements;
  for (const char byte : raw)
    for (const int shift : {0, 4}) {
      const int number = static_cast<unsigned char>(byte) >> shift & 15;
      elements.push_back(is_signed && number > 7 ? number - 16 : number);
    }
  return elements;
}

/// As they lie in raw_data.
Elements fromRaw(Bytes raw, std::int64_t type) {
  switch (type) {
    case 1:
      return numbers<float>(raw);
    case 2:
      return numbers<std::uint8_t>(raw);
    case 3:
      return numbers<std::int8_t>(raw);
    case 4:
      return numbers<std::uint16_t>(raw);
    case 5:
      return numbers<std::int16_t>(raw);
    case onnx_int32:
      return numbers<std::int32_t>(raw);
    case onnx_int64:
      return numbers<std::int64_t>(raw);
    case onnx_bool:
      return numbers<std::uint8_t>(raw);
    case 10:
    case 16:
      return numbers<std::uint16_t>(raw, [&](std::uint16_t bits) { return fromHalf(bits, type == 16); });
    case 11:
      return numbers<double>(raw);
    case 12:
      return numbers<std::uint32_t>(raw);
    case 13:
      return numbers<std::uint64_t>(raw);
    case 21:
    case 22:
      return halves(raw, type == 22);
    default:
      return {};
  }
}

/// Small integers as protobuf packs them, seven bits a byte; floats of 16 bits are such integers, too.
Elements packedElements(Bytes bytes, std::int64_t type) {
  std::vector<double> elements;
  std::uint64_t number = 0;
  unsigned shift = 0;
  for (const char byte : bytes) {
    const auto part = static_cast<unsigned char>(byte);
    if (shift < 64) number |= static_cast<std::uint64_t>(part & 127U) << shift;
    shift += 7;
    if (part >= 128) continue;
    const bool half = type == 10 || type == 16;
    elements.push_back(half ? fromHalf(static_cast<std::uint16_t>(number), type == 16)
                            : static_cast<double>(static_cast<std::int32_t>(number)));
    number = shift = 0;
  }
  return elements;
}

std::int64_t typeOf(const json& tensor) {
  return tensor.value("data_type", std::int64_t{0});
}

Elements inFields(const json& tensor) {
  const std::int64_t type = typeOf(tensor);
  if (const Bytes raw = bytesOf(tensor, "raw_data"); !raw.empty()) return fromRaw(raw, type);
  if (const Bytes floats = bytesOf(tensor, "float_data"); !floats.empty()) return fromRaw(floats, 1);
  if (const Bytes doubles = bytesOf(tensor, "double_data"); !doubles.empty()) return fromRaw(doubles, 11);
  if (const Bytes packed = bytesOf(tensor, "int32_data"); !packed.empty())
    return packedElements(packed, type);
  const json& list = tensor.at("int64_data");
  return list.empty() ? std::vector<double>{} : list.get<std::vector<double>>();
}

std::optional<std::int64_t> countOf(const json& tensor) {
  return elementsIn(tensor.at("dims").get<OnnxShape>());
}

/// Half a byte may be left over.
Elements ofCount(Elements elements, const json& tensor) {
  const std::optional<std::int64_t> count = countOf(tensor);
  const std::int64_t type = typeOf(tensor);
  if (!elements || !count) return {};
  if ((type == 21 || type == 22) && *count % 2 != 0 && std::cmp_equal(elements->size(), *count + 1))
    elements->pop_back();
  return std::cmp_equal(elements->size(), *count) ? elements : std::nullopt;
}

/// What external_data says under a key.
std::string entry(const json& tensor, const std::string& key) {
  for (const json& one : tensor.at("external_data"))
    if (one.value("key", "") == key) return one.value("value", "");
  return {};
}

/// The file, if it lies in the folder.
Result<std::filesystem::path> fileOf(const json& tensor, const std::filesystem::path& folder,
                                     const Location& place) {
  namespace fs = std::filesystem;
  const fs::path name = entry(tensor, "location");
  std::error_code failed;
  const fs::path root = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, failed);
  const fs::path file = failed ? fs::path() : fs::weakly_canonical(root / name, failed);
  const auto within = file.lexically_relative(root);
  if (failed || name.empty() || name.is_absolute() || within.empty() || *within.begin() == "..")
    return error("missing-data", place,
                 "its values lie in '" + name.string() + "', which is not in the model's folder",
                 "put the file beside the model, and export the model again");
  if (!fs::is_regular_file(file, failed))
    return error("missing-data", place, "its values lie in '" + name.string() + "', which is not there",
                 "put the file into the model's folder");
  return file;
}

}  // namespace

std::optional<std::vector<double>> tensorElements(const json& tensor) {
  if (isExternal(tensor)) return {};
  return ofCount(inFields(tensor), tensor);
}

bool isExternal(const json& tensor) {
  return !tensor.at("external_data").empty() || tensor.value("data_location", std::int64_t{0}) == 1;
}

Result<std::vector<double>> externalElements(const json& tensor, const std::filesystem::path& folder,
                                             const Location& place) {
  SLUICE_TRY(const std::filesystem::path file, fileOf(tensor, folder, place));
  const auto number = [&](const std::string& key) {
    const std::string text = entry(tensor, key);
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc() ? value : text.empty() ? 0 : -1;
  };
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  const std::int64_t offset = number("offset");
  const auto wrong = [&](const std::string& cause) {
    return error("missing-data", place, "'" + file.filename().string() + "' " + cause,
                 "export the model again, or copy the file again");
  };
  if (failed || offset < 0 || std::cmp_greater(offset, size)) return wrong("ends before its values");
  std::int64_t length = number("length");
  if (length < 0) return wrong("has no such part as the model names");
  if (length == 0) length = static_cast<std::int64_t>(size) - offset;
  constexpr std::int64_t most = std::int64_t{1} << 30;
  if (length > most) return wrong("has more than 1 GiB of its values");
  if (std::cmp_greater(length, size - static_cast<std::uintmax_t>(offset)))
    return wrong("ends before its values do");
  std::string bytes(static_cast<std::size_t>(length), '\0');
  std::ifstream in(file, std::ios::binary);
  if (!in.seekg(offset) || !in.read(bytes.data(), length)) return wrong("cannot be read");
  Elements elements = ofCount(fromRaw(bytes, typeOf(tensor)), tensor);
  if (!elements) return wrong("does not have as many values as its shape says, or they are no numbers");
  return *std::move(elements);
}

}  // namespace sluice::inline tensor
