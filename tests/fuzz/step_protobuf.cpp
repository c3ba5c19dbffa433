// STeP graphs as serialised protobuf messages.

#include "engine/interchange/step_protobuf.h"
#include "tests/fuzz/opening.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  StepGraphOptions options;
  options.folder = "/nonexistent";
  const Result<Document> document = importStepProtobuf(fuzz::textOf(data, size), "fuzz", options);
  if (document)
    fuzz::open(*document);
  else
    fuzz::insistOnReasons(document.diagnostics());
  return 0;
}
