#include "engine/program/dram.h"

#include <algorithm>

namespace sluice {

Dram Dram::preset(HbmModel model) {
  Dram dram;  // HBM2 at 2 Gb/s per pin
  if (model != HbmModel::Hbm3) return dram;
  dram.dram_mhz = 1600;  // 6.4 Gb/s per pin, four transfers a clock
  dram.tCL = 23, dram.tCWL = 7, dram.tRCD = 23, dram.tRP = 23, dram.tRAS = 55, dram.tRTP = 7, dram.tWR = 26;
  dram.tRRD_S = 3, dram.tRRD_L = 6, dram.tFAW = 26;
  dram.tWTR_S = 10, dram.tWTR_L = 13, dram.tRTW = 20;
  dram.tREFI = 6240, dram.tRFC = 416;
  return dram;
}

bool Dram::setMapping(std::string_view text) {
  constexpr std::array<std::string_view, 5> names{"Ch", "Bg", "Ba", "Co", "Ro"};
  if (text.size() != 2 * names.size()) return false;
  Mapping parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), text.substr(text.size() - 2 * (i + 1), 2));
    if (found == names.end()) return false;
    parts[i] = static_cast<Part>(found - names.begin());
    if (std::find(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i), parts[i]) !=
        parts.begin() + static_cast<std::ptrdiff_t>(i))
      return false;
  }
  mapping = parts;
  return true;
}

std::span<const DramNumber> dramNumbers() {
  static constexpr std::array<DramNumber, 27> numbers{{{"core_mhz", &Dram::core_mhz, 1},
                                                       {"dram_mhz", &Dram::dram_mhz, 1},
                                                       {"pseudo_channels", &Dram::pseudo_channels, 1},
                                                       {"bank_groups", &Dram::bank_groups, 1},
                                                       {"banks", &Dram::banks, 1},
                                                       {"row_bytes", &Dram::row_bytes, 1},
                                                       {"burst_bytes", &Dram::burst_bytes, 1},
                                                       {"queue", &Dram::queue, 1},
                                                       {"controller_latency", &Dram::controller_latency, 0},
                                                       {"tBL", &Dram::tBL, 1},
                                                       {"tCL", &Dram::tCL, 0},
                                                       {"tCWL", &Dram::tCWL, 0},
                                                       {"tRCD", &Dram::tRCD, 0},
                                                       {"tRP", &Dram::tRP, 0},
                                                       {"tRAS", &Dram::tRAS, 0},
                                                       {"tRTP", &Dram::tRTP, 0},
                                                       {"tWR", &Dram::tWR, 0},
                                                       {"tCCD_S", &Dram::tCCD_S, 1},
                                                       {"tCCD_L", &Dram::tCCD_L, 1},
                                                       {"tRRD_S", &Dram::tRRD_S, 0},
                                                       {"tRRD_L", &Dram::tRRD_L, 0},
                                                       {"tFAW", &Dram::tFAW, 0},
                                                       {"tWTR_S", &Dram::tWTR_S, 0},
                                                       {"tWTR_L", &Dram::tWTR_L, 0},
                                                       {"tRTW", &Dram::tRTW, 0},
                                                       {"tREFI", &Dram::tREFI, 0},
                                                       {"tRFC", &Dram::tRFC, 0}}};
  return numbers;
}

}  // namespace sluice
