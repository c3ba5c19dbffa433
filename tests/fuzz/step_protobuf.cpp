// STeP graphs as serialised protobuf messages.

#include "engine/interchange/step_protobuf.h"
#include "tests/fuzz/opening.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  StepGraphOptions options;
  options.folder = "/nonexistent";
  const Result<StepGraphImport> graph = importStepProtobuf(fuzz::textOf(data, size), "fuzz", options);
  if (graph)
    fuzz::open(graph->document);
  else
    fuzz::insistOnReasons(graph.diagnostics());
  return 0;
}
