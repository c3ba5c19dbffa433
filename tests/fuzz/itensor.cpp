// Iterative tensor types.

#include "engine/itensor/canonical.h"
#include "engine/itensor/itensor_text.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const Result<WrittenITensor> read = parseITensor(fuzz::textOf(data, size));
  if (!read) return fuzz::insistOnReasons(read.diagnostics()), 0;
  const std::string written = text(read->type);
  const Result<WrittenITensor> again = parseITensor(written);
  fuzz::insist(again && text(again->type) == written, "what is printed is read as the same");
  const ITensor canonical = canonicalForm(read->type);
  fuzz::insist(text(canonicalForm(canonical)) == text(canonical), "a canonical form is canonical");
  return 0;
}
