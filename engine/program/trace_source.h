#pragma once
// What the source of an input may be besides a file: a set of traces, of which an evaluation takes each in
// turn (engine/traces/README.md).

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::inline program {

inline constexpr std::string_view trace_set_prefix = "set:";

/// "set:zipf,count=1000,exponent=1" is one, "trace.npz" is not.
inline bool isTraceSet(std::string_view source) {
  return source.starts_with(trace_set_prefix);
}

/// One of a set.
struct TraceName {
  std::string name;
  std::size_t number = 0;  ///< in its source
};

}  // namespace sluice::inline program
