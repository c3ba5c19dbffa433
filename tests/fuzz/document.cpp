// The native file, opened as every verb and the window do.

#include "tests/fuzz/opening.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const Result<Document> document = parseDocument(fuzz::textOf(data, size), "fuzz");
  if (document)
    fuzz::open(*document);
  else
    fuzz::insistOnReasons(document.diagnostics());
  return 0;
}
