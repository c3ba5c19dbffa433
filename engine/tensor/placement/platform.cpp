#include "engine/tensor/placement/platform.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/core/embedded_files.h"
#include "engine/program/json_reader.h"
#include "engine/program/spelling.h"

namespace sluice::inline tensor {
namespace {

constexpr std::array<const char*, resource_count> keys{"lut", "lutram", "ff", "bram18", "uram", "dsp"};

void readWithin(JsonDecoder& reading, const JsonCursor& spot, std::int64_t least, std::int64_t most,
                std::int64_t& target) {
  std::int64_t number = least;
  read(reading, spot, number);
  if (number < least || number > most) {
    return reading.refuse("out-of-range", spot, std::to_string(number) + " is out of range",
                          "give a number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  target = number;
}

void readPositive(JsonDecoder& reading, const JsonCursor& spot, double& target) {
  double number = 1;
  read(reading, spot, number);
  if (!(number > 0 && number <= 1e6))
    return reading.refuse("out-of-range", spot, "it must be above 0 and at most a million",
                          "give a positive number");
  target = number;
}

Die readDie(JsonDecoder& reading, const JsonCursor& spot) {
  Die die;
  const ObjectReader object(reading, spot, "a die", {"name", "lut", "lutram", "ff", "bram18", "uram", "dsp"});
  if (!object) return die;
  object.requiredName("name", die.name);
  for (std::size_t resource = 0; resource < resource_count; ++resource) {
    const bool follows = all_resources[resource] == Resource::Ff;
    if (const auto count = follows ? object.find(keys[resource]) : object.require(keys[resource]))
      readWithin(reading, *count, 0, 1'000'000'000, die.resources.count[resource]);
    else if (follows)  // a slice of UltraScale+ has 8 LUTs and 16 flip-flops
      die.resources[Resource::Ff] = 2 * die.resources[Resource::Lut];
  }
  return die;
}

void readMemory(JsonDecoder& reading, const JsonCursor& spot, Platform& platform) {
  PlatformMemory& memory = platform.memory;
  const ObjectReader object(reading, spot, "an external memory",
                            {"kind", "channels", "gigabytes_per_second", "gigabytes", "die"});
  if (!object) return;
  object.optional("kind", memory.kind);
  if (const auto channels = object.require("channels"))
    readWithin(reading, *channels, 1, 4096, memory.channels);
  if (const auto rate = object.require("gigabytes_per_second"))
    readPositive(reading, *rate, memory.gigabytes_per_second);
  if (const auto size = object.require("gigabytes")) readPositive(reading, *size, memory.gigabytes);
  const auto at = object.require("die");
  if (!at) return;
  std::string name;
  read(reading, *at, name);
  std::vector<std::string> names;
  for (const Die& die : platform.dies) names.push_back(die.name);
  const auto found = std::find(names.begin(), names.end(), name);
  memory.die = static_cast<std::size_t>(found - names.begin());
  if (found == names.end())
    reading.refuse("unknown-name", *at, "there is no die '" + name + "'",
                   spellingFix(name, names, "name one of the dies"));
}

void readDies(JsonDecoder& reading, const JsonCursor& spot, std::vector<Die>& dies) {
  constexpr std::size_t most_dies = 16;
  SeenNames seen;
  forEach(reading, spot, "dies", [&](const JsonCursor& one) {
    dies.push_back(readDie(reading, one));
    refuseTwice(reading, one, "die", dies.back().name, seen);
  });
  if (dies.empty() || dies.size() > most_dies)
    reading.refuse("out-of-range", spot, std::to_string(dies.size()) + " dies",
                   "give 1 to 16 dies, in the order they lie");
}

void readPlatform(JsonDecoder& reading, const JsonCursor& root, Platform& platform) {
  const ObjectReader object(reading, root, "a platform",
                            {"title", "note", "clock_mhz", "dies", "crossing_cycles", "memory"});
  if (!object) return;
  object.optional("title", platform.title);
  object.optional("note", platform.note);
  if (const auto clock = object.require("clock_mhz")) readPositive(reading, *clock, platform.clock_mhz);
  if (const auto dies = object.require("dies")) readDies(reading, *dies, platform.dies);
  if (const auto cycles = object.find("crossing_cycles"))
    readWithin(reading, *cycles, 0, 1000, platform.crossing_cycles);
  if (const auto memory = object.require("memory")) readMemory(reading, *memory, platform);
}

}  // namespace

std::string_view text(Resource resource) {
  constexpr std::array<std::string_view, resource_count> names{"LUT",    "LUTRAM", "FF",
                                                               "BRAM18", "URAM",   "DSP"};
  return names[static_cast<std::size_t>(resource)];
}

Resources& Resources::operator+=(const Resources& other) {
  for (std::size_t at = 0; at < resource_count; ++at) count[at] += other.count[at];
  return *this;
}

Resources& Resources::operator-=(const Resources& other) {
  for (std::size_t at = 0; at < resource_count; ++at) count[at] -= other.count[at];
  return *this;
}

Resources share(const Resources& resources, double fraction) {
  Resources part;
  for (std::size_t at = 0; at < resource_count; ++at)
    part.count[at] = static_cast<std::int64_t>(static_cast<double>(resources.count[at]) * fraction);
  return part;
}

std::vector<std::string> builtinPlatforms() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : platformFiles()) names.emplace_back(file.name);
  return names;
}

Result<Platform> platformNamed(const std::string& name_or_file) {
  if (name_or_file.ends_with(".json") || name_or_file.find('/') != std::string::npos)
    return loadPlatform(name_or_file);
  for (const EmbeddedFile& file : platformFiles())
    if (file.name == name_or_file) return parsePlatform(file.text, name_or_file);
  return error("unknown-platform", Location(Where::Platform, name_or_file), "there is no such platform",
               spellingFix(name_or_file, builtinPlatforms(), "give a machine file"));
}

Result<Platform> parsePlatform(std::string_view json, const std::string& name) {
  Result<Platform> platform = parseWhole<Platform>(json, name, readPlatform);
  if (!platform) return platform;
  platform->name = std::filesystem::path(name).stem().string();
  if (platform->title.empty()) platform->title = platform->name;
  return platform;
}

Result<Platform> loadPlatform(const std::filesystem::path& file) {
  return loadWhole(file, parsePlatform, std::uintmax_t{1} << 20);
}

Resources totalResources(const Platform& platform) {
  Resources total;
  for (const Die& die : platform.dies) total += die.resources;
  return total;
}

std::int64_t onChipBytes(const Platform& platform) {
  const Resources total = totalResources(platform);
  return total[Resource::Bram] * (18 * 1024 / 8) + total[Resource::Uram] * (4096 * 72 / 8);
}

double bytesPerCycle(const Platform& platform) {
  return platform.memory.gigabytes_per_second * 1e3 / platform.clock_mhz;
}

double milliseconds(const Platform& platform, double cycles) {
  return cycles / (platform.clock_mhz * 1e3);
}

Machine machineOf(const Platform& platform) {
  Machine machine;
  machine.name = platform.name;
  machine.on_chip_capacity = onChipBytes(platform);
  const double bytes = bytesPerCycle(platform);
  const double per_channel = bytes / static_cast<double>(platform.memory.channels);
  const auto request = 64 * std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(per_channel / 64)));
  machine.hbm_request_bytes = request;
  machine.hbm_channels =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes / static_cast<double>(request)));
  machine.hbm_initiation_interval = 1;
  machine.reference_mode = false;
  return machine;
}

}  // namespace sluice::inline tensor
