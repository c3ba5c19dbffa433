#include "engine/program/dram.h"

#include <algorithm>

namespace sluice::inline program {

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

}  // namespace sluice::inline program
