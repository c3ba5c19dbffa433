// ONNX models: what is understood of them is a program that can be written and read.

#include "engine/tensor/onnx/onnx.h"

#include "engine/tensor/programs/tensor_program_text.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const auto import = importOnnx(fuzz::textOf(data, size), "fuzz", {{{"seq", 64}}});
  if (!import) return fuzz::insistOnReasons(import.diagnostics()), 0;
  fuzz::insist(bool(parseTensorProgram(text(import->program), "again")), "the program is read");
  return 0;
}
