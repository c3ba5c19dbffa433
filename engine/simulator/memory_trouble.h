#pragma once
// MemoryTrouble: why off-chip memory cannot go on with a run, and the port whose requests it is about.

#include <cstdint>
#include <string>

#include "engine/core/diagnostic.h"

namespace sluice::inline simulator {

struct MemoryTrouble {
  std::uint32_t port = 0;
  Code code = "overflow";
  std::string cause, fix;
};

}  // namespace sluice::inline simulator
