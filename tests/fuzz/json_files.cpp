// The smaller JSON files: machine files, loop nests, kernels with their times. The first byte says which.

#include "engine/tensor/loop_nests/loop_nest_file.h"
#include "engine/tensor/placement/platform.h"
#include "engine/tensor/sizing/timed_graph_file.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  if (size == 0) return 0;
  const std::string_view json = fuzz::textOf(data + 1, size - 1);
  Diagnostics refusal;
  if (data[0] == 'p') {
    if (const auto read = parsePlatform(json, "fuzz"); !read) refusal = read.diagnostics();
  } else if (data[0] == 'l') {
    if (const auto read = parseLoopProgram(json, "fuzz"); !read) refusal = read.diagnostics();
  } else if (const auto read = parseTimedGraph(json, "fuzz"); !read) {
    refusal = read.diagnostics();
  }
  if (!refusal.empty()) fuzz::insistOnReasons(refusal);
  return 0;
}
