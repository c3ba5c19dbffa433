#pragma once
// How the authors of a STeP graph ran it: what their front end hands to the simulator as HBMConfig and
// SimConfig, here as JSON files. A graph holds none of it.
//
//   hbm_config.json   {"addr_offset": 64, "channel_num": 32, "per_channel_latency": 2,
//                      "per_channel_init_interval": 2, "per_channel_outstanding": 1,
//                      "per_channel_start_up_time": 14}
//   sim_config.json   {"channel_depth": 2, "config_dict": {"17": 16}, "mock_bf16": true,
//                      "functional_sim": false, "on_chip_bandwidth": 64, "buffer_depths": {"23": 4}}
//
// In an HBMConfig every key but per_channel_outstanding, which nothing depends on, is needed; a SimConfig
// holds any of its keys. resources/schemas/README.md says what each means.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/program/document.h"

namespace sluice::inline interchange {

/// The reference's off-chip memory; written into Machine's numbers of the same meaning.
struct HbmConfig {
  std::int64_t request_bytes = 64, channels = 32;
  std::int64_t latency = 2, initiation_interval = 2, start_up = 14;  ///< cycles

  void applyTo(Machine& machine) const;
  bool operator==(const HbmConfig&) const = default;
};

struct SimConfig {
  static constexpr std::int64_t default_depth = 1024;  ///< of a channel whose depth is null or not told

  std::optional<std::int64_t> channel_depth;           ///< tokens
  std::map<std::int64_t, std::int64_t> depths;         ///< operator id -> depth of the channels that leave it
  std::optional<bool> mock_bf16;                       ///< floats move as two bytes
  bool functional = false;                             ///< the run computed, too: no matter of the program
  std::optional<std::int64_t> on_chip_bandwidth;       ///< bytes per cycle of one memory unit
  std::map<std::int64_t, std::int64_t> buffer_depths;  ///< id of a RandomOffChipStore -> tiles that it holds
  bool operator==(const SimConfig&) const = default;
};

/// Errors name line and key, and what is expected there.
Result<HbmConfig> parseHbmConfig(std::string_view json, const std::string& name);
Result<SimConfig> parseSimConfig(std::string_view json, const std::string& name);

}  // namespace sluice::inline interchange
