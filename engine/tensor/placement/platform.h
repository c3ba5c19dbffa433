#pragma once
// An accelerator card: its dies with what each holds, the way between them, the memory beside them. Read from
// a JSON machine file; resources/platforms/ has some, which are part of the program.

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/program/document.h"

namespace sluice::inline tensor {

enum class Resource {
  Lut,
  LutRam,  ///< LUTs that can be memory, 64 bits each
  Ff,      ///< flip-flops
  Bram,    ///< blocks of 18 kbit
  Uram,    ///< blocks of 4096 words of 72 bits
  Dsp
};

inline constexpr std::size_t resource_count = 6;
inline constexpr std::array all_resources{Resource::Lut,  Resource::LutRam, Resource::Ff,
                                          Resource::Bram, Resource::Uram,   Resource::Dsp};

/// "LUT", "LUTRAM", "FF", "BRAM18", "URAM", "DSP".
std::string_view text(Resource resource);

/// A number of each.
struct Resources {
  std::array<std::int64_t, resource_count> count{};

  std::int64_t& operator[](Resource resource) { return count[static_cast<std::size_t>(resource)]; }
  std::int64_t operator[](Resource resource) const { return count[static_cast<std::size_t>(resource)]; }
  Resources& operator+=(const Resources& other);
  Resources& operator-=(const Resources& other);
  bool operator==(const Resources&) const = default;
};

/// Each number times `fraction`, rounded down.
Resources share(const Resources& resources, double fraction);

struct Die {
  std::string name;
  Resources resources;

  bool operator==(const Die&) const = default;
};

/// Memory beside the chip, reached from one of its dies.
struct PlatformMemory {
  std::string kind;
  std::int64_t channels = 1;
  double gigabytes_per_second = 1;
  double gigabytes = 1;
  std::size_t die = 0;

  bool operator==(const PlatformMemory&) const = default;
};

/// Dies lie in a row: a stream from the first to the third crosses twice.
struct Platform {
  std::string name;
  std::string title;
  std::string note;  ///< where its numbers are from
  double clock_mhz = 100;
  std::vector<Die> dies;
  std::int64_t crossing_cycles = 0;  ///< that one crossing adds to a stream's way
  PlatformMemory memory;

  bool operator==(const Platform&) const = default;
};

/// The platforms that are part of the program, by name.
std::vector<std::string> builtinPlatforms();
/// A built-in one's name, or a machine file: what ends in ".json" or has a '/'.
Result<Platform> platformNamed(const std::string& name_or_file);

/// `name` says where the text is from.
Result<Platform> parsePlatform(std::string_view json, const std::string& name);
Result<Platform> loadPlatform(const std::filesystem::path& file);

/// Of all dies.
Resources totalResources(const Platform& platform);
/// What all BRAM and URAM blocks hold.
std::int64_t onChipBytes(const Platform& platform);
/// Of the external memory, per cycle of the chip's clock.
double bytesPerCycle(const Platform& platform);
double milliseconds(const Platform& platform, double cycles);

/// The platform as the machine of a document. Its memory node serves whole requests: as many channels of 64
/// bytes (or the smallest multiple that suffices) a cycle as the bandwidth has room for, at most one request
/// a cycle less than it. Latencies are the machine's own defaults, no source gives the platforms'.
Machine machineOf(const Platform& platform);

}  // namespace sluice::inline tensor
