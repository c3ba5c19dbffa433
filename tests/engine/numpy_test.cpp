// NumPy files, written here byte by byte: what is right must be read, what is wrong must be refused with all
// three of place, cause, fix.

#include "engine/interchange/numpy.h"
#include "engine/traces/trace_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

namespace sluice::numpy_test {

using testing::HasSubstr;

void append(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::string npy(const std::string& header, const std::string& body, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  append(bytes, header.size(), version == 1 ? 2 : 4);
  return bytes + header + body;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }   \n";
}

std::string values(const std::vector<std::int64_t>& numbers, int size) {
  std::string bytes;
  for (std::int64_t number : numbers) append(bytes, static_cast<std::uint64_t>(number), size);
  return bytes;
}

std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

/// The bytes as one stored block of a deflate stream: deflated as far as the archive is concerned.
std::string deflated(const std::string& bytes) {
  std::string out(1, '\x01');
  append(out, bytes.size(), 2);
  append(out, ~bytes.size() & 0xFFFF, 2);
  return out + bytes;
}

struct Member {
  std::string name, bytes;
  bool deflate = false;
  std::uint32_t crc_error = 0;
  std::optional<std::uint32_t> claims = {};  ///< unpacked bytes, where the archive lies
};

std::string zip(const std::vector<Member>& members) {
  std::string archive, directory;
  for (const Member& member : members) {
    const std::string packed = member.deflate ? deflated(member.bytes) : member.bytes;
    std::string common;
    append(common, 20, 2);
    append(common, 0, 2);
    append(common, member.deflate ? 8 : 0, 2);
    append(common, 0, 2);
    append(common, 0x21, 2);
    append(common, crc32(member.bytes) ^ member.crc_error, 4);
    append(common, packed.size(), 4);
    append(common, member.claims.value_or(static_cast<std::uint32_t>(member.bytes.size())), 4);
    append(common, member.name.size(), 2);
    append(common, 0, 2);
    const std::size_t offset = archive.size();
    archive += "PK\x03\x04" + common + member.name + packed;
    directory += std::string("PK\x01\x02") + std::string("\x14\x00", 2) + common;
    append(directory, 0, 2);
    append(directory, 0, 2);
    append(directory, 0, 2);
    append(directory, 0, 4);
    append(directory, offset, 4);
    directory += member.name;
  }
  std::string end = "PK\x05\x06";
  append(end, 0, 4);
  append(end, members.size(), 2);
  append(end, members.size(), 2);
  append(end, directory.size(), 4);
  append(end, archive.size(), 4);
  append(end, 0, 2);
  return archive + directory + end;
}

void expectRefused(const Result<IntTensor>& result, const std::string& part) {
  ASSERT_FALSE(result) << "expected: " << part;
  const Diagnostic& diagnostic = result.diagnostics().front();
  EXPECT_FALSE(diagnostic.place.empty());
  EXPECT_FALSE(diagnostic.fix.empty());
  EXPECT_THAT(diagnostic.cause, HasSubstr(part));
}

const std::string two_by_three = npy(header("<i8", "(2, 3)"), values({1, 2, 3, 4, 5, -6}, 8));

TEST(Numpy, ReadsEveryIntegerType) {
  const std::vector<std::pair<std::string, int>> types = {{"<i8", 8}, {"<i4", 4}, {"<i2", 2}, {"|i1", 1},
                                                          {"<u8", 8}, {"<u4", 4}, {"<u2", 2}, {"|u1", 1},
                                                          {"|b1", 1}, {"?", 1}};
  for (const auto& [type, size] : types) {
    const Result<IntTensor> tensor = parseNpy(npy(header(type, "(3,)"), values({1, 0, 1}, size)), "a.npy");
    ASSERT_TRUE(tensor) << type << ": " << text(tensor.diagnostics());
    EXPECT_EQ(*tensor, (IntTensor{{3}, {1, 0, 1}})) << type;
  }
}

TEST(Numpy, KeepsSigns) {
  for (const auto& [type, size] :
       std::vector<std::pair<std::string, int>>{{"<i8", 8}, {"<i4", 4}, {"<i2", 2}, {"|i1", 1}}) {
    const Result<IntTensor> tensor = parseNpy(npy(header(type, "(2,)"), values({-1, -128}, size)), "a.npy");
    ASSERT_TRUE(tensor);
    EXPECT_EQ(tensor->data, (std::vector<std::int64_t>{-1, -128})) << type;
  }
  const Result<IntTensor> byte = parseNpy(npy(header("|u1", "(1,)"), "\xFF"), "a.npy");
  ASSERT_TRUE(byte);
  EXPECT_EQ(byte->data.front(), 255);
}

TEST(Numpy, ReadsBigEndian) {
  const Result<IntTensor> tensor =
      parseNpy(npy(header(">i2", "(2,)"), std::string("\x01\x02\xFF\xFE", 4)), "a.npy");
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->data, (std::vector<std::int64_t>{258, -2}));
}

TEST(Numpy, ReadsBothOrdersAndAllVersions) {
  const IntTensor expected{{2, 3}, {1, 2, 3, 4, 5, -6}};
  const Result<IntTensor> c_order = parseNpy(two_by_three, "a.npy");
  ASSERT_TRUE(c_order);
  EXPECT_EQ(*c_order, expected);
  for (int version : {1, 2, 3}) {
    const Result<IntTensor> tensor =
        parseNpy(npy(header("<i8", "(2, 3)", true), values({1, 4, 2, 5, 3, -6}, 8), version), "a.npy");
    ASSERT_TRUE(tensor);
    EXPECT_EQ(*tensor, expected);
  }
  const Result<IntTensor> cube =
      parseNpy(npy(header("|u1", "(2, 2, 2)", true), values({0, 4, 2, 6, 1, 5, 3, 7}, 1)), "a.npy");
  ASSERT_TRUE(cube);
  EXPECT_EQ(cube->data, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Numpy, ReadsScalarsAndEmptyArrays) {
  const Result<IntTensor> scalar = parseNpy(npy(header("<i4", "()"), values({7}, 4)), "a.npy");
  ASSERT_TRUE(scalar);
  EXPECT_EQ(*scalar, (IntTensor{{}, {7}}));
  const Result<IntTensor> empty = parseNpy(npy(header("<i4", "(0, 3)"), ""), "a.npy");
  ASSERT_TRUE(empty);
  EXPECT_EQ(*empty, (IntTensor{{0, 3}, {}}));
}

TEST(Numpy, RefusesHostileArrays) {
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "not a NumPy array"},
      {"hello, world, this is text", "not a NumPy array"},
      {"\x93NUMPY", "ends inside the .npy preamble"},
      {two_by_three.substr(0, 9), "ends inside the .npy preamble"},
      {"\x93NUMPY\x02\x00\x01\x00"s, "ends inside the .npy preamble"},
      {"\x93NUMPY\x09\x00\x01\x00\x00\x00"s, "version 9"},
      {two_by_three.substr(0, 30), "ends inside the .npy header"},
      {"\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF{}"s, "not plausible"},
      {two_by_three.substr(0, two_by_three.size() - 1), "47 follow"},
      {two_by_three + "x", "49 follow"},
      {npy(header("|O", "(1,)"), "x"), "Python objects"},
      {npy(header("<f8", "(1,)"), values({0}, 8)), "floating-point"},
      {npy(header("<c16", "(1,)"), values({0, 0}, 8)), "another kind"},
      {npy(header("<i3", "(1,)"), "abc"), "another kind"},
      {npy(header("<U1", "(1,)"), "abcd"), "another kind"},
      {npy(header("<i8", "(9223372036854775807, 9223372036854775807)"), ""), "more than 1 GiB"},
      {npy(header("<i8", "(4294967296, 4294967296)"), ""), "more than 1 GiB"},
      {npy(header("<i8", "(134217729,)"), ""), "more than 1 GiB"},
      {npy(header("<i8", "(99999999999999999999,)"), ""), "'shape'"},
      {npy(header("<i8", "(-1,)"), ""), "'shape'"},
      {npy(header("<i8", "(1 2)"), ""), "'shape'"},
      {npy(header("<i8", "[1]"), values({0}, 8)), "'shape'"},
      {npy("{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (1,)}", values({0}, 8)), "structured"},
      {npy("{'descr': '<i8', 'fortran_order': maybe, 'shape': (1,)}", values({0}, 8)),
       "neither True nor False"},
      {npy("{'descr': '<i8', 'shape': (1,)}", values({0}, 8)), "missing"},
      {npy("{'descr': '<i8', 'descr': '<i8', 'fortran_order': False, 'shape': (1,)}", values({0}, 8)),
       "twice"},
      {npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1,), 'x': 1}", values({0}, 8)), "unknown"},
      {npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1,)} 5", values({0}, 8)), "follows"},
      {npy("{'descr", ""), "quoted key"},
      {npy("", ""), "begin with"},
      {npy(header("<u8", "(1,)"), std::string(8, '\xFF')), "larger than 2^63-1"},
  };
  for (const auto& [bytes, part] : cases) expectRefused(parseNpy(bytes, "bad.npy"), part);
}

TEST(Numpy, EveryTruncationIsRefused) {
  for (std::size_t length = 0; length < two_by_three.size(); ++length)
    EXPECT_FALSE(parseNpy(two_by_three.substr(0, length), "cut.npy"));
  const std::string archive = zip({{"data.npy", two_by_three, true}});
  for (std::size_t length = 0; length < archive.size(); ++length)
    EXPECT_FALSE(parseNpz(archive.substr(0, length), "cut.npz"));
}

TEST(Numpy, EveryFlippedByteIsReadOrRefused) {
  const std::string archive = zip({{"data.npy", two_by_three, true}});
  for (std::size_t at = 0; at < archive.size(); ++at) {
    for (int flip : {0x01, 0x80, 0xFF}) {
      std::string damaged = archive;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      const Result<IntTensor> tensor = parseNpz(damaged, "flipped.npz");
      EXPECT_TRUE(tensor || !tensor.diagnostics().front().fix.empty());
    }
  }
}

TEST(Numpy, ReadsArchives) {
  for (bool deflate : {false, true}) {
    const Result<IntTensor> tensor = parseNpz(zip({{"anything.npy", two_by_three, deflate}}), "a.npz");
    ASSERT_TRUE(tensor) << text(tensor.diagnostics());
    EXPECT_EQ(tensor->shape, (std::vector<std::size_t>{2, 3}));
  }
}

TEST(Numpy, ChoosesTheArray) {
  const std::string other = npy(header("<i8", "(1,)"), values({9}, 8));
  const std::string archive =
      zip({{"other.npy", other, false}, {"data.npy", two_by_three, true}, {"note.txt", "hello", false}});
  const Result<IntTensor> data = parseNpz(archive, "a.npz");
  ASSERT_TRUE(data);
  EXPECT_EQ(data->shape.size(), 2u);
  const Result<IntTensor> named = parseNpz(archive, "a.npz", "other");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->data, (std::vector<std::int64_t>{9}));
  expectRefused(parseNpz(archive, "a.npz", "missing"), "no array 'missing'; it holds 'other', 'data'");
  expectRefused(parseNpz(zip({{"a.npy", other, false}, {"b.npy", other, false}}), "a.npz"),
                "none is called 'data': 'a', 'b'");
}

TEST(Numpy, RefusesHostileArchives) {
  // Before anything is unpacked.
  expectRefused(parseNpz(zip({{"data.npy", two_by_three, true, 0, 0x7fffffff}}), "bomb.npz"),
                "more than 1 GiB");
  EXPECT_FALSE(parseNpz(zip({{"data.npy", two_by_three, true, 0, 10}}), "bomb.npz"));
  expectRefused(parseNpz("PK\x03\x04garbage that is no archive at all", "bad.npz"), "cannot be opened");
  expectRefused(parseNpz(zip({}), "bad.npz"), "no array");
  expectRefused(parseNpz(zip({{"readme.txt", "hello", false}}), "bad.npz"), "no array");
  expectRefused(parseNpz(zip({{"data.npy", two_by_three, false, 1}}), "bad.npz"), "cannot be unpacked");
  expectRefused(parseNpz(zip({{"data.npy", "not an array", true}}), "bad.npz"), "not a NumPy array");
}

/// Where an input's array is not the only one, the option that names it is the fix.
TEST(Numpy, ASetOfTracesNamesTheArray) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir());
  std::ofstream(folder / "sluice_two.npz", std::ios::binary)
      << zip({{"a.npy", npy(header("<i8", "(2, 1)"), values({1, 2}, 8)), false},
              {"b.npy", npy(header("<i8", "(2, 1)"), values({3, 0}, 8)), false}});
  Input routing;
  routing.name = "routing";
  routing.kind = InputKind::Routing;
  routing.tokens = 2, routing.experts = 4, routing.top_k = 1;
  const Result<TraceSet> either = loadTraceSet(routing, "set:sluice_two.npz", folder);
  ASSERT_FALSE(either);
  EXPECT_THAT(either.diagnostics().front().fix, HasSubstr("key=NAME"));
  const Result<TraceSet> second = loadTraceSet(routing, "set:sluice_two.npz,key=b", folder);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->traces.at(0).values.data, (std::vector<std::int64_t>{3, 0}));
}

TEST(Numpy, LoadsFilesByContent) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir());
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return folder / name;
  };
  EXPECT_TRUE(loadNumpy(write("sluice_a.bin", two_by_three)));
  EXPECT_TRUE(loadNumpy(write("sluice_b.bin", zip({{"x.npy", two_by_three, true}}))));
  const Result<IntTensor> missing = loadNumpy(folder / "sluice_no_such_file.npy");
  ASSERT_FALSE(missing);
  EXPECT_THAT(text(missing.diagnostics()), HasSubstr("sluice_no_such_file"));
}

/// The arrays that the reference runs' front end saved.
TEST(Numpy, ReadsWhatNumpyWrites) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SLUICE_BINARY_DIR "/reference_runs")) {
    if (entry.path().extension() != ".npy") continue;
    ++files;
    const Result<IntTensor> tensor = loadNumpy(entry.path());
    ASSERT_TRUE(tensor) << text(tensor.diagnostics());
    std::size_t elements = 1;
    for (const std::size_t extent : tensor->shape) elements *= extent;
    EXPECT_EQ(tensor->data.size(), elements) << entry.path();
    // Behind a header that is padded to 64 bytes.
    EXPECT_EQ((std::filesystem::file_size(entry.path()) - 8 * elements) % 64, 0u) << entry.path();
  }
  EXPECT_EQ(files, 198u);
}

TEST(Numpy, FloatsOfBothSizesAndOrdersAreRead) {
  const std::string single = values({0x3fc00000, 0xc0000000}, 4);  // 1.5, -2
  const Result<FloatTensor> little = parseFloatNpy(npy(header("<f4", "(2,)"), single), "a.npy");
  ASSERT_TRUE(little);
  EXPECT_EQ(*little, (FloatTensor{{2}, {1.5F, -2.0F}}));
  const Result<FloatTensor> large =
      parseFloatNpy(npy(header(">f8", "(1, 1)"), std::string("\x3f\xf8\0\0\0\0\0\0", 8)), "a.npy");
  ASSERT_TRUE(large);
  EXPECT_EQ(*large, (FloatTensor{{1, 1}, {1.5F}}));
  const Result<FloatTensor> whole = parseFloatNpy(npy(header("<i2", "(2,)"), values({7, -1}, 2)), "a.npy");
  ASSERT_TRUE(whole);
  EXPECT_EQ(*whole, (FloatTensor{{2}, {7.0F, -1.0F}}));
  // 1.5, -2, the smallest above 0, the largest, infinity, not a number.
  const Result<FloatTensor> half = parseFloatNpy(
      npy(header("<f2", "(6,)"), values({0x3e00, 0xc000, 0x0001, 0x7bff, 0xfc00, 0x7e00}, 2)), "a.npy");
  ASSERT_TRUE(half);
  EXPECT_EQ(std::vector<float>(half->data.begin(), half->data.begin() + 5),
            (std::vector<float>{1.5F, -2.0F, 0x1p-24F, 65504.0F, -std::numeric_limits<float>::infinity()}));
  EXPECT_TRUE(std::isnan(half->data[5]));
  const Result<FloatTensor> above = parseFloatNpy(npy(header("<u8", "(1,)"), values({-1}, 8)), "a.npy");
  ASSERT_TRUE(above);
  EXPECT_EQ(above->data[0], 0x1p64F);
  const Result<FloatTensor> wide = parseFloatNpy(npy(header("<f16", "(1,)"), std::string(16, '\0')), "a.npy");
  ASSERT_FALSE(wide);
  EXPECT_THAT(wide.diagnostics().front().fix, HasSubstr("float32")) << "integers would lose the values";
  EXPECT_FALSE(parseFloatNpy(npy(header("<f4", "(3,)"), single), "a.npy"));
}

TEST(Numpy, MemoryIsCountedAsItWillBeTaken) {
  // 200 million bytes become 1.6 GB of integers, and 0.8 GB of floats.
  const std::string small = npy(header("|u1", "(200000000,)"), "");
  EXPECT_THAT(parseNpy(small, "a.npy").diagnostics().front().cause, HasSubstr("more than 1 GiB"));
  EXPECT_THAT(parseFloatNpy(small, "a.npy").diagnostics().front().cause, HasSubstr("0 follow it"));
}

TEST(Numpy, WrittenFloatsAreReadBack) {
  for (const FloatTensor& tensor : {FloatTensor{{2, 3}, {0, -1.25F, 3e38F, 1e-40F, 5, 6}},
                                    FloatTensor{{}, {4}}, FloatTensor{{0, 7}, {}}, FloatTensor{{1}, {2}}}) {
    const std::string bytes = floatNpy(tensor);
    EXPECT_EQ((bytes.size() - 4 * tensor.data.size()) % 64, 0U) << "the values must be aligned";
    const Result<FloatTensor> back = parseFloatNpy(bytes, "a.npy");
    ASSERT_TRUE(back) << back.diagnostics().front().cause;
    EXPECT_EQ(*back, tensor);
  }
}

}  // namespace sluice::numpy_test
