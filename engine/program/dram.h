#pragma once
// Dram: a high-bandwidth memory down to its banks. Numbers of its own clock unless another unit is given.
// Presets: public values of JESD235 (HBM2) and JESD238 (HBM3); engine/simulator/README.md says which.

#include <array>
#include <cstdint>
#include <string_view>

namespace sluice::inline program {

enum class HbmModel { Node, Hbm2, Hbm3 };

struct Dram {
  /// Parts of an address, from the least significant one.
  enum class Part : std::uint8_t { Channel, BankGroup, Bank, Column, Row };
  using Mapping = std::array<Part, 5>;

  std::uint64_t core_mhz = 1000;  ///< of the accelerator's cycles
  std::uint64_t dram_mhz = 1000;
  std::uint64_t pseudo_channels = 2;         ///< per channel, each with its own banks and bus
  std::uint64_t bank_groups = 4, banks = 4;  ///< per pseudo channel, per bank group
  std::uint64_t row_bytes = 1024, burst_bytes = 32;
  std::uint64_t queue = 32;               ///< bursts of a pseudo channel that the scheduler chooses from
  std::uint64_t controller_latency = 10;  ///< accelerator cycles, of the way there and back together
  std::uint64_t tBL = 2, tCL = 14, tCWL = 4, tRCD = 14, tRP = 14, tRAS = 34, tRTP = 5, tWR = 16;
  std::uint64_t tCCD_S = 2, tCCD_L = 4, tRRD_S = 4, tRRD_L = 6, tFAW = 16;
  std::uint64_t tWTR_S = 6, tWTR_L = 8, tRTW = 14;
  std::uint64_t tREFI = 3900, tRFC = 260;  ///< tREFI = 0: never refreshed
  Mapping mapping{Part::Channel, Part::BankGroup, Part::Column, Part::Bank, Part::Row};

  static Dram preset(HbmModel model);  ///< of Hbm2 or Hbm3
  /// Sets the mapping from "RoBaCoBgCh", most significant part first; false if that is not each part once.
  bool setMapping(std::string_view text);
};

}  // namespace sluice::inline program
