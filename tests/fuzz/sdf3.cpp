// SDF3's XML, and the throughput of what it holds.

#include "engine/csdf/sdf3.h"

#include "engine/csdf/throughput.h"
#include "tests/fuzz/opening.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const Result<ReadCsdf> read = readSdf3(fuzz::textOf(data, size), "fuzz");
  if (!read) return fuzz::insistOnReasons(read.diagnostics()), 0;
  const Result<ReadCsdf> again = readSdf3(writeSdf3(read->graph), "again");
  fuzz::insist(again && writeSdf3(again->graph) == writeSdf3(read->graph), "written as SDF3 it is the same");
  std::size_t phases = 0;
  for (const CsdfActor& actor : read->graph.actors) phases += actor.phases();
  if (phases > 1000) return 0;  // it takes longer than the next input is worth
  const Result<Repetition> repetition = repetitionVector(read->graph);
  if (!repetition) return fuzz::insistOnReasons(repetition.diagnostics()), 0;
  for (const std::int64_t rounds : repetition->of_actor)
    if (rounds > 100) return 0;
  if (const Result<CsdfThroughput> answer = csdfThroughput(read->graph); !answer)
    fuzz::insistOnReasons(answer.diagnostics());
  return 0;
}
