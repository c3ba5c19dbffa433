// NumPy arrays and archives of them.

#include "engine/interchange/numpy.h"

#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view bytes = fuzz::textOf(data, size);
  if (bytes.starts_with("PK")) {
    const auto array = parseNpz(bytes, "fuzz");
    if (!array) fuzz::insistOnReasons(array.diagnostics());
    return 0;
  }
  const auto integers = parseNpy(bytes, "fuzz");
  if (!integers) fuzz::insistOnReasons(integers.diagnostics());
  const auto floats = parseFloatNpy(bytes, "fuzz");
  if (!floats) fuzz::insistOnReasons(floats.diagnostics());
  return 0;
}
