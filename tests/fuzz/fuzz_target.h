#pragma once
// What every fuzz target has: libFuzzer's entry point, and a way to insist on a property of what was read.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "engine/core/result.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sluice::fuzz {

inline std::string_view textOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A finding, if not.
inline void insist(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// A refusal says where, why and what to do.
inline void insistOnReasons(const Diagnostics& refusal) {
  insist(!refusal.empty(), "a refusal has a diagnostic");
  for (const Diagnostic& d : refusal)
    insist(!d.place.empty() && !d.cause.empty() && !d.fix.empty(), "place, cause and fix are there");
}

}  // namespace sluice::fuzz
