// Measurements of every format, and how they fit a small program.

#include <sstream>

#include "engine/measurements/measured_timeline.h"
#include "engine/measurements/registry.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

/// load -> gate -> store: what the seeds of the corpus speak of.
sluice::FlatGraph smallGraph() {
  sluice::FlatGraph graph;
  for (const char* name : {"load", "expert[0].gate", "expert[1].gate", "store"}) {
    sluice::FlatOperator& op = graph.operators.emplace_back();
    op.name = name;
    op.origin = op.name.starts_with("expert") ? "expert.gate" : op.name;
  }
  for (std::uint32_t i = 0; i < 2; ++i) {
    sluice::FlatStream& stream = graph.streams.emplace_back();
    stream.name = i == 0 ? "load.out -> expert[0].gate.in" : "expert[0].gate.out -> store.in";
    stream.producer = i, stream.consumer = i + 1, stream.depth = 2;
  }
  return graph;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string text(fuzz::textOf(data, size));
  const MeasurementFormat* format = formatOf(text);
  if (!format) return 0;
  std::istringstream in(text);
  const Result<Measurement> read = format->read(in, "fuzz", {.over_time = true});
  if (!read) return fuzz::insistOnReasons(read.diagnostics()), 0;
  for (const MeasuredRun& run : read->runs) {
    for (const MeasuredOperator& op : run.operators) {
      fuzz::insist(!op.names.empty(), "an operator has a name");
      for (const auto& cycles : op.cycles.of)
        fuzz::insist(!cycles || *cycles >= 0, "cycles are not negative");
    }
    const Result<Matching> matching = match(smallGraph(), run, {3, 3});
    if (!matching) {
      fuzz::insistOnReasons(matching.diagnostics());
      continue;
    }
    if (const auto over_time = measuredTimeline(smallGraph(), run, *matching))
      for (OperatorId id = 0; id < 4; ++id)
        for (const StateAt& state : over_time->statesOf(id))
          fuzz::insist(state.since < state.until, "time goes on");
  }
  return 0;
}
