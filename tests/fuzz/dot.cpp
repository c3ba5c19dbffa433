// Graphviz DOT.

#include "engine/interchange/dot.h"

#include "tests/fuzz/opening.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const Result<Document> document = readDot(fuzz::textOf(data, size), "fuzz");
  if (!document) return fuzz::insistOnReasons(document.diagnostics()), 0;
  fuzz::open(*document);
  const Result<Document> again = readDot(writeDot(*document), "again");
  fuzz::insist(again && writeDocument(*again) == writeDocument(*document), "written as DOT it is the same");
  return 0;
}
