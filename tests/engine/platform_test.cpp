// Machine files: the built-in ones, what a user is told about mistakes, and the machine that a document gets.

#include "engine/tensor/placement/platform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/core/atomic_file.h"
#include "engine/program/file_format.h"

namespace sluice::platform_test {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

Platform builtin(const std::string& name) {
  Result<Platform> platform = platformNamed(name);
  EXPECT_TRUE(platform) << text(platform.diagnostics());
  return platform ? *platform : Platform{};
}

TEST(Platforms, TheBuiltInOnes) {
  EXPECT_THAT(builtinPlatforms(), UnorderedElementsAre("generic", "u280", "u55c"));
  const Platform u55c = builtin("u55c");
  EXPECT_EQ(u55c.name, "u55c");
  EXPECT_EQ(u55c.dies.size(), 3u);
  const Resources total = totalResources(u55c);
  EXPECT_EQ(total[Resource::Dsp], 9024);
  EXPECT_EQ(total[Resource::Uram], 960);
  EXPECT_EQ(total[Resource::Bram], 2 * 2016);
  EXPECT_EQ(u55c.memory.channels, 32);
  EXPECT_DOUBLE_EQ(u55c.memory.gigabytes_per_second, 32 * 14.375);
  EXPECT_EQ(u55c.memory.die, 0u);
  EXPECT_DOUBLE_EQ(milliseconds(u55c, 250'000), 1);
  // About what the paper's table calls 41 MB.
  EXPECT_NEAR(static_cast<double>(onChipBytes(u55c)), 41 * 1024 * 1024, 2.0 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(builtin("u280").memory.gigabytes, 8);
  for (const std::string& name : builtinPlatforms()) EXPECT_FALSE(builtin(name).note.empty()) << name;
}

/// The memory node of the machine is never faster than the platform's memory, and slower by less than one
/// request a cycle; the document's checker takes it.
TEST(Platforms, MachineHasThePlatformsBandwidthAndCapacity) {
  Platform platform = builtin("u55c");
  for (const double clock : {50.0, 200.0, 250.0, 300.0, 1000.0}) {
    for (const double bandwidth : {10.0, 100.0, 460.0, 2000.0}) {
      platform.clock_mhz = clock;
      platform.memory.gigabytes_per_second = bandwidth;
      const Machine machine = machineOf(platform);
      const auto number = [](const Value& value) { return *value.integer(); };
      const double served =
          static_cast<double>(number(machine.hbm_request_bytes) * number(machine.hbm_channels)) /
          static_cast<double>(number(machine.hbm_initiation_interval));
      const double wanted = bandwidth * 1e3 / clock;
      EXPECT_LE(number(machine.hbm_channels), platform.memory.channels);
      EXPECT_LE(served, std::max(wanted, 64.0));
      EXPECT_GT(served, wanted - static_cast<double>(number(machine.hbm_request_bytes)));
    }
  }
  Document document;
  document.machine = machineOf(builtin("u55c"));
  const std::string file = writeDocument(document);
  const Result<Document> again = parseDocument(file, "machine.sluice");
  ASSERT_TRUE(again) << text(again.diagnostics());
  EXPECT_EQ(again->machine, document.machine);
  EXPECT_EQ(*document.machine.hbm_channels.integer(), 28);
}

std::string plain(const std::string& dies, const std::string& memory) {
  return R"({"clock_mhz": 100, "dies": [)" + dies + R"(], "crossing_cycles": 1, "memory": {)" + memory + "}}";
}

const std::string die_a = R"({"name": "a", "lut": 1, "lutram": 1, "bram18": 1, "uram": 1, "dsp": 1})";
const std::string memory_a = R"("channels": 2, "gigabytes_per_second": 1, "gigabytes": 1, "die": "a")";

TEST(Platforms, MistakesAreExplained) {
  ASSERT_TRUE(parsePlatform(plain(die_a, memory_a), "x.json"));
  const auto refusal = [](const std::string& json) {
    const Result<Platform> platform = parsePlatform(json, "x.json");
    EXPECT_FALSE(platform) << json;
    if (platform) return std::string();
    for (const Diagnostic& diagnostic : platform.diagnostics()) EXPECT_FALSE(diagnostic.fix.empty());
    return text(platform.diagnostics());
  };
  EXPECT_THAT(refusal("{}"), HasSubstr("clock_mhz"));
  EXPECT_THAT(refusal(plain("", memory_a)), HasSubstr("0 dies"));
  EXPECT_THAT(refusal(plain(die_a + "," + die_a, memory_a)), HasSubstr("'a'"));
  EXPECT_THAT(refusal(plain(R"({"name": "a", "lut": -1})", memory_a)), HasSubstr("-1 is out of range"));
  EXPECT_THAT(refusal(plain(R"({"name": "a"})", memory_a)), HasSubstr("uram"));
  EXPECT_THAT(
      refusal(plain(die_a, R"("channels": 0, "gigabytes_per_second": 0, "gigabytes": 1, "die": "b")")),
      testing::AllOf(HasSubstr("$.memory.channels"), HasSubstr("$.memory.gigabytes_per_second"),
                     HasSubstr("there is no die 'b'")));
  EXPECT_THAT(refusal(plain(die_a + R"(, 7)", memory_a)), HasSubstr("$.dies[1]"));
  const Result<Platform> unknown = platformNamed("u55");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(text(unknown.diagnostics()), HasSubstr("u55c"));
  EXPECT_FALSE(platformNamed("nowhere/at_all.json"));
}

TEST(Platforms, AFileOfOnesOwn) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "my_card.json";
  ASSERT_TRUE(writeFileAtomically(file, plain(die_a, memory_a)));
  const Result<Platform> platform = platformNamed(file.string());
  ASSERT_TRUE(platform) << text(platform.diagnostics());
  EXPECT_EQ(platform->name, "my_card");
  EXPECT_EQ(platform->dies.front().name, "a");
  std::filesystem::remove(file);
}

}  // namespace sluice::platform_test
