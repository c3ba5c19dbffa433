#include "engine/interchange/numpy.h"

#include <zip.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "engine/core/atomic_file.h"
#include "engine/interchange/npy_header.h"

namespace sluice::inline interchange {
namespace {

constexpr std::uint64_t largest_array = std::uint64_t{1}
                                        << 30;  // bytes; a trace is far smaller, a zip bomb is not

std::uint64_t littleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i)
    value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  return value;
}

std::uint64_t bigEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

/// The value of one element; nothing if it is an unsigned number above 2^63-1.
std::optional<std::int64_t> element(std::string_view bytes, const NpyType& type) {
  const std::uint64_t raw = type.big_endian ? bigEndian(bytes) : littleEndian(bytes);
  const unsigned unused = 64 - 8 * static_cast<unsigned>(type.size);
  if (type.is_signed) return static_cast<std::int64_t>(raw << unused) >> unused;
  if (raw > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return static_cast<std::int64_t>(raw);
}

/// Position in a row-major array of the element that is number `index` in column-major order.
std::size_t rowMajor(std::size_t index, const std::vector<std::size_t>& shape) {
  std::size_t position = 0, weight = 1;
  std::vector<std::size_t> coordinates(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    coordinates[d] = index % shape[d];
    index /= shape[d];
  }
  for (std::size_t d = shape.size(); d > 0; --d) {
    position += coordinates[d - 1] * weight;
    weight *= shape[d - 1];
  }
  return position;
}

/// The header text and what follows it.
struct Split {
  std::string_view header, body;
};

Result<Split> split(std::string_view bytes, const Location& place) {
  using namespace std::string_view_literals;
  constexpr std::size_t largest_header = std::size_t{1} << 20;
  if (!bytes.starts_with("\x93NUMPY"sv)) {
    return error("wrong-format", place,
                 "this is not a NumPy array: it does not begin with the .npy signature",
                 "save the array with numpy.save or numpy.savez");
  }
  if (bytes.size() < 10)
    return error("wrong-format", place, "the file ends inside the .npy preamble",
                 "copy the file again; it is cut off");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) {
    return error("wrong-format", place,
                 ".npy format version " + std::to_string(version) + " is not known; versions 1 to 3 are",
                 "save the array with numpy.save of a NumPy 1.x or 2.x");
  }
  const std::size_t digits = version == 1 ? 2 : 4, start = 8 + digits;
  if (bytes.size() < start)
    return error("wrong-format", place, "the file ends inside the .npy preamble",
                 "copy the file again; it is cut off");
  const std::uint64_t length = littleEndian(bytes.substr(8, digits));
  if (length > largest_header) {
    return error(
        "wrong-format", place,
        "the .npy header claims " + std::to_string(length) + " bytes; more than 1 MiB is not plausible",
        "save the array again with numpy.save; the file is damaged");
  }
  if (length > bytes.size() - start) {
    return error("wrong-format", place,
                 "the file ends inside the .npy header, which claims " + std::to_string(length) + " bytes",
                 "copy the file again; it is cut off");
  }
  return Split{bytes.substr(start, length), bytes.substr(start + length)};
}

/// Number of elements of `shape`, if they fit in `largest_array` bytes.
std::optional<std::size_t> countOf(const std::vector<std::size_t>& shape, std::size_t size) {
  std::size_t count = 1;
  for (std::size_t extent : shape) {
    if (extent == 0) return 0;
  }
  for (std::size_t extent : shape) {
    if (extent > largest_array / size / count) return std::nullopt;
    count *= extent;
  }
  return count;
}

/// An array whose header fits its values.
struct Array {
  NpyHeader header;
  std::size_t count = 0;
  std::string_view body;
};

/// `kept`: the bytes that an element will take.
Result<Array> arrayOf(std::string_view bytes, const Location& place, bool floats, std::size_t kept) {
  SLUICE_TRY(const Split parts, split(bytes, place));
  SLUICE_TRY(NpyHeader header, parseNpyHeader(parts.header, place, floats));
  const std::size_t size = header.type.size;
  const std::optional<std::size_t> count = countOf(header.shape, std::max(size, kept));
  if (!count) {
    return error("file-too-large", place, "the .npy header claims an array of more than 1 GiB",
                 "give a smaller array; Sluice reads up to 1 GiB, at 8 bytes an integer and 4 a float");
  }
  if (parts.body.size() != *count * size) {
    return error("wrong-format", place,
                 "the .npy header claims " + std::to_string(*count * size) + " bytes of values; " +
                     std::to_string(parts.body.size()) + " follow it",
                 "copy or save the file again; it is damaged");
  }
  return Array{std::move(header), *count, parts.body};
}

/// IEEE's binary16: 1 bit of sign, 5 of exponent, 10 of mantissa.
float halfOf(std::uint64_t raw) {
  const auto mantissa = static_cast<float>(raw & 0x3FFU);
  const int exponent = static_cast<int>(raw >> 10U & 0x1FU);
  float value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  if (exponent == 31) {
    using Limits = std::numeric_limits<float>;
    value = mantissa > 0 ? Limits::quiet_NaN() : Limits::infinity();
  }
  return (raw & 0x8000U) != 0 ? -value : value;
}

float floatElement(std::string_view bytes, const NpyType& type) {
  const std::uint64_t raw = type.big_endian ? bigEndian(bytes) : littleEndian(bytes);
  if (!type.is_float) {  // an integer; element() would refuse those above 2^63-1
    return type.is_signed || type.size < 8 ? static_cast<float>(element(bytes, type).value_or(0))
                                           : static_cast<float>(raw);
  }
  if (type.size == 2) return halfOf(raw);
  return type.size == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(raw))
                        : static_cast<float>(std::bit_cast<double>(raw));
}

/// A float as a whole number.
std::int64_t wholeElement(std::string_view bytes, const NpyType& type) {
  double value = 0;
  if (type.size == 8)
    value = std::bit_cast<double>(type.big_endian ? bigEndian(bytes) : littleEndian(bytes));
  else
    value = floatElement(bytes, type);
  return value == std::trunc(value) && std::abs(value) < 0x1p63 ? static_cast<std::int64_t>(value)
                                                                : no_whole_number;
}

struct ZipClose {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Archive = std::unique_ptr<zip_t, ZipClose>;
using Entry = std::unique_ptr<zip_file_t, ZipClose>;

/// `make(what, error)` is a source of libzip's.
template <class Make>
Result<Archive> openArchive(const Make& make, const Location& place) {
  zip_error_t wrong;
  zip_error_init(&wrong);
  zip_source_t* source = make(&wrong);
  zip_t* archive = source ? zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &wrong) : nullptr;
  if (archive) {
    zip_error_fini(&wrong);
    return Archive(archive);
  }
  const std::string cause = zip_error_strerror(&wrong);
  zip_error_fini(&wrong);
  if (source) zip_source_free(source);
  return error("wrong-format", place, "the .npz archive cannot be opened: " + cause,
               "save the arrays again with numpy.savez, or copy the file again");
}

Result<Archive> openBytes(std::string_view bytes, const Location& place) {
  return openArchive(
      [&](zip_error_t* wrong) { return zip_source_buffer_create(bytes.data(), bytes.size(), 0, wrong); },
      place);
}
/// Its arrays are read when they are asked for.
Result<Archive> openFile(const std::filesystem::path& file, const Location& place) {
  return openArchive([&](zip_error_t* wrong) { return zip_source_file_create(file.c_str(), 0, -1, wrong); },
                     place);
}

/// Whether a file that can be read begins with these bytes.
Result<bool> beginsWith(const std::filesystem::path& file, std::string_view bytes) {
  std::ifstream in(file, std::ios::binary);
  std::string begin(bytes.size(), '\0');
  if (in && in.read(begin.data(), static_cast<std::streamsize>(begin.size()))) return begin == bytes;
  SLUICE_TRY(begin, readFile(file));  // which says why not
  return begin.starts_with(bytes);
}

/// Array name -> position in the archive.
std::vector<std::pair<std::string, zip_uint64_t>> arraysOf(zip_t* archive) {
  std::vector<std::pair<std::string, zip_uint64_t>> arrays;
  const zip_int64_t entries = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < entries; ++i) {
    const auto position = static_cast<zip_uint64_t>(i);
    const char* name = zip_get_name(archive, position, 0);
    std::string text = name ? name : "";
    if (!text.ends_with(".npy")) continue;
    text.resize(text.size() - 4);
    arrays.emplace_back(std::move(text), position);
  }
  return arrays;
}

Diagnostic noArray(const Location& place, const char* fix) {
  return error("missing-data", place, "the archive holds no array (no entry ends in .npy)", fix);
}

Result<zip_uint64_t> choose(zip_t* archive, const Location& place, const std::string& key) {
  const auto arrays = arraysOf(archive);
  if (arrays.empty()) return noArray(place, "save the trace with numpy.savez(file, data=array)");
  std::string known;
  for (const auto& [array, position] : arrays) {
    if (array == (key.empty() ? "data" : key)) return position;
    known += (known.empty() ? "'" : ", '") + array + "'";
  }
  if (key.empty() && arrays.size() == 1) return arrays.front().second;
  return error("unknown-name", place,
               key.empty() ? "the archive holds several arrays and none is called 'data': " + known
                           : "the archive holds no array '" + key + "'; it holds " + known,
               "save the one array that is meant with numpy.savez(file, data=array)");
}

Result<std::string> readEntry(zip_t* archive, zip_uint64_t position, const Location& place,
                              std::size_t most = largest_array) {
  const std::string again = "save the arrays again with numpy.savez, or copy the file again";
  const auto too_large = [&] {
    return error("file-too-large", place, "what it holds unpacks to more than 1 GiB",
                 "give smaller arrays; Sluice reads up to 1 GiB of them");
  };
  // What the archive says of itself comes first: some megabytes can unpack to as many gigabytes.
  zip_stat_t about;
  zip_stat_init(&about);
  const bool told = zip_stat_index(archive, position, 0, &about) == 0 && (about.valid & ZIP_STAT_SIZE) != 0;
  if (told && about.size > most) return too_large();
  const std::size_t end = told ? static_cast<std::size_t>(about.size) : most;
  Entry entry(zip_fopen_index(archive, position, 0));
  if (!entry)
    return error("wrong-format", place, std::string("the array cannot be unpacked: ") + zip_strerror(archive),
                 again);
  std::string bytes;
  std::vector<char> block(std::size_t{1} << 16);
  for (;;) {
    const zip_int64_t got = zip_fread(entry.get(), block.data(), block.size());
    if (got < 0)
      return error("wrong-format", place,
                   std::string("the array cannot be unpacked: ") + zip_file_strerror(entry.get()), again);
    if (got == 0) return bytes;
    bytes.append(block.data(), static_cast<std::size_t>(got));
    if (bytes.size() > end)
      return told ? error("wrong-format", place, "an array unpacks to more than the archive says", again)
                  : too_large();
  }
}

/// CRC-32, as archives have it of each entry.
std::uint32_t checksum(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> of_byte = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit) table[i] = table[i] >> 1U ^ (table[i] % 2 != 0 ? 0xEDB88320U : 0U);
    }
    return table;
  }();
  std::uint32_t sum = ~0U;
  for (const char byte : bytes) sum = of_byte[(sum ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ sum >> 8U;
  return ~sum;
}

/// A zip archive of uncompressed entries, written from its first byte to its last: libzip would want all of
/// them at once. Places and numbers that no 32 or 16 bits hold stand in the records of zip64 as well.
class StoredArchive {
 public:
  explicit StoredArchive(const ByteSink& sink) : sink_(sink) {}

  Result<Done> add(const std::string& name, const std::string& bytes) {
    if (bytes.size() >= none32)
      return error("file-too-large", Location(Where::Array, name), "it has more than 4 GiB",
                   "give smaller arrays");
    const std::string about = number(flag_utf8, 2) + number(stored, 2) + number(first_of_1980, 4) +
                              number(checksum(bytes), 4) + number(bytes.size(), 4) + number(bytes.size(), 4) +
                              number(name.size(), 2);
    const std::string far = offset_ < none32 ? "" : number(1, 2) + number(8, 2) + number(offset_, 8);
    directory_ += "PK\x01\x02" + number(version, 2) + number(version, 2) + about + number(far.size(), 2) +
                  number(0, 10) + number(std::min(offset_, none32), 4) + name + far;
    ++entries_;
    SLUICE_CHECK(put("PK\x03\x04" + number(version, 2) + about + number(0, 2) + name));
    return put(bytes);
  }

  Result<Done> finish() {
    const std::uint64_t begin = offset_, size = directory_.size();
    SLUICE_CHECK(put(directory_));
    constexpr std::uint64_t none16 = 0xFFFF;
    if (begin >= none32 || entries_ >= none16) {
      const std::uint64_t wide_end = offset_;
      SLUICE_CHECK(put("PK\x06\x06" + number(44, 8) + number(version, 2) + number(version, 2) + number(0, 8) +
                       number(entries_, 8) + number(entries_, 8) + number(size, 8) + number(begin, 8)));
      SLUICE_CHECK(put("PK\x06\x07" + number(0, 4) + number(wide_end, 8) + number(1, 4)));
    }
    const std::string entries = number(std::min(entries_, none16), 2);
    return put("PK\x05\x06" + number(0, 4) + entries + entries + number(size, 4) +
               number(std::min(begin, none32), 4) + number(0, 2));
  }

 private:
  static constexpr std::uint64_t none32 = 0xFFFFFFFF;
  static constexpr std::uint64_t version = 45, flag_utf8 = 0x800, stored = 0, first_of_1980 = 0x210000;

  /// In `bytes` bytes, the lowest first; of more than 8 those above are 0.
  static std::string number(std::uint64_t value, std::size_t bytes) {
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < std::min<std::size_t>(bytes, 8); ++i)
      text[i] = static_cast<char>(value >> 8 * i & 0xFFU);
    return text;
  }

  Result<Done> put(const std::string& bytes) {
    offset_ += bytes.size();
    return sink_(bytes);
  }

  const ByteSink& sink_;
  std::string directory_;
  std::uint64_t offset_ = 0, entries_ = 0;
};

Result<IntTensor> integersOf(std::string_view bytes, const Location& place, bool floats) {
  SLUICE_TRY(Array array, arrayOf(bytes, place, floats, sizeof(std::int64_t)));
  const NpyType& type = array.header.type;
  IntTensor tensor{std::move(array.header.shape), std::vector<std::int64_t>(array.count)};
  for (std::size_t i = 0; i < array.count; ++i) {
    const std::string_view raw = array.body.substr(i * type.size, type.size);
    const std::optional<std::int64_t> value = type.is_float ? wholeElement(raw, type) : element(raw, type);
    if (!value) {
      return error("overflow", place, "value number " + std::to_string(i) + " is larger than 2^63-1",
                   "save the array as int64, without such values");
    }
    tensor.data[array.header.fortran_order ? rowMajor(i, tensor.shape) : i] = *value;
  }
  return tensor;
}

Result<IntTensor> integersOfNpz(std::string_view bytes, const Location& place, const std::string& key,
                                bool floats) {
  SLUICE_TRY(const Archive archive, openBytes(bytes, place));
  SLUICE_TRY(const zip_uint64_t position, choose(archive.get(), place, key));
  SLUICE_TRY(const std::string array, readEntry(archive.get(), position, place));
  return integersOf(array, place, floats);
}

Result<IntTensor> loadIntegers(const std::filesystem::path& file, const std::string& key, bool floats) {
  SLUICE_TRY(const std::string bytes, readFile(file));
  const Location place(Where::File, file.string());
  return bytes.starts_with("PK") ? integersOfNpz(bytes, place, key, floats)
                                 : integersOf(bytes, place, floats);
}

}  // namespace

Result<IntTensor> parseNpy(std::string_view bytes, const Location& place) {
  return integersOf(bytes, place, false);
}

Result<FloatTensor> parseFloatNpy(std::string_view bytes, const Location& place) {
  SLUICE_TRY(Array array, arrayOf(bytes, place, true, sizeof(float)));
  const NpyType& type = array.header.type;
  FloatTensor tensor{std::move(array.header.shape), std::vector<float>(array.count)};
  if (type.is_float && type.size == sizeof(float) && !type.big_endian && !array.header.fortran_order) {
    if (array.count > 0) std::memcpy(tensor.data.data(), array.body.data(), array.count * sizeof(float));
    return tensor;
  }
  for (std::size_t i = 0; i < array.count; ++i) {
    const std::string_view raw = array.body.substr(i * type.size, type.size);
    const float value = floatElement(raw, type);
    if (const std::optional<std::int64_t> whole = type.is_float ? std::nullopt : element(raw, type);
        whole && (value >= 0x1p63F || static_cast<std::int64_t>(value) != *whole))
      return error("input-value", place,
                   std::to_string(*whole) + " is no number of float32, to which integers are turned",
                   "keep integers within 2^24, or save the array as float32");
    tensor.data[array.header.fortran_order ? rowMajor(i, tensor.shape) : i] = value;
  }
  return tensor;
}

namespace {

/// The bytes of an .npy file of elements of the type `description`, as they lie in memory.
template <class Number>
std::string npyOf(const std::vector<std::size_t>& extents, const std::vector<Number>& values,
                  const char* description) {
  std::string shape;
  for (const std::size_t extent : extents) shape += std::to_string(extent) + ", ";
  std::string header =
      std::string("{'descr': '") + description + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The values begin at a multiple of 64 bytes; the header ends with a line feed.
  header.resize((header.size() + 10) / 64 * 64 + 64 - 11, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xFFU);
  bytes += static_cast<char>(header.size() >> 8U);
  bytes += header;
  static_assert(std::endian::native == std::endian::little, "the values are written as they lie in memory");
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
  return bytes;
}

}  // namespace

std::string floatNpy(const FloatTensor& tensor) {
  return npyOf(tensor.shape, tensor.data, "<f4");
}

std::string integerNpy(const IntTensor& tensor) {
  return npyOf(tensor.shape, tensor.data, "<i8");
}

Result<TensorSet> loadTensors(const std::filesystem::path& file) {
  const Location place(Where::File, file.string());
  TensorSet tensors;
  const auto add = [&](const std::string& name, std::string_view array) -> Result<Done> {
    SLUICE_TRY(tensors[name], parseFloatNpy(array, place / Location(Where::Array, name)));
    return Done{};
  };
  SLUICE_TRY(const bool is_archive, beginsWith(file, "PK"));
  if (!is_archive) {
    SLUICE_TRY(const std::string bytes, readFile(file));
    SLUICE_CHECK(add(file.stem().string(), bytes));
    return tensors;
  }
  SLUICE_TRY(const Archive archive, openFile(file, place));
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(file, unknown);
  // Of all arrays together: stored ones are as long as the file, and packed ones not much longer.
  std::uint64_t left = unknown ? largest_array : std::max<std::uint64_t>(largest_array, 4 * size);
  const auto arrays = arraysOf(archive.get());
  if (arrays.empty())
    return noArray(place, "save arrays by their names with numpy.savez(file, NAME=array), or leave it out");
  for (const auto& [name, position] : arrays) {
    SLUICE_TRY(const std::string array,
               readEntry(archive.get(), position, place, std::min(left, largest_array)));
    SLUICE_CHECK(add(name, array));
    left -= std::min<std::uint64_t>(left, std::max(array.size(), tensors[name].data.size() * sizeof(float)));
  }
  return tensors;
}

Result<Done> saveTensors(const std::filesystem::path& file, const TensorSet& tensors) {
  return saveTensors(file, [&](const TensorSink& add) -> Result<Done> {
    for (const auto& [name, tensor] : tensors) {
      SLUICE_CHECK(add(name, tensor));
    }
    return Done{};
  });
}

Result<Done> saveTensors(const std::filesystem::path& file,
                         const std::function<Result<Done>(const TensorSink&)>& produce) {
  return writeFileAtomically(file, [&](const ByteSink& bytes) -> Result<Done> {
    StoredArchive archive(bytes);
    SLUICE_CHECK(produce([&](const std::string& name, const FloatTensor& tensor) {
      return archive.add(name + ".npy", floatNpy(tensor));
    }));
    return archive.finish();
  });
}

Result<IntTensor> parseNpz(std::string_view bytes, const Location& place, const std::string& key) {
  return integersOfNpz(bytes, place, key, false);
}

Result<IntTensor> loadNumpy(const std::filesystem::path& file, const std::string& key) {
  return loadIntegers(file, key, false);
}

Result<IntTensor> loadWholeNumbers(const std::filesystem::path& file, const std::string& key) {
  return loadIntegers(file, key, true);
}

}  // namespace sluice::inline interchange
