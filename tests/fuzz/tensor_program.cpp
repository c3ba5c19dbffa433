// Tensor programs as text.

#include "engine/tensor/programs/tensor_program_text.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const Result<TensorProgram> program = parseTensorProgram(fuzz::textOf(data, size), "fuzz");
  if (!program) return fuzz::insistOnReasons(program.diagnostics()), 0;
  const std::string written = text(*program);
  const Result<TensorProgram> again = parseTensorProgram(written, "again");
  fuzz::insist(again && text(*again) == written, "what is printed is read as the same");
  return 0;
}
