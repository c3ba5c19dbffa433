#include "engine/measurements/confirmation.h"

#include "engine/program/trust.h"

namespace sluice::inline measurements {
namespace {

std::string several(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string cyclesText(double cycles) {
  return std::to_string(static_cast<std::int64_t>(cycles));
}

/// What both have must be the same; what was not measured says nothing.
Result<Done> expectEqual(const ModelAndMeasured& value, const Location& place, const std::string& what) {
  if (!value.measured || value.model == value.measured) return Done{};
  return error(
      "measurement-mismatch", place,
      what + ": the model has " + (value.model ? cyclesText(*value.model) : "none") + ", and " +
          cyclesText(*value.measured) + " were measured",
      "confirm a program whose every number agrees; 'calibrate' fits the model to what was measured");
}

Result<Done> expectEqual(const ModelErrors& errors) {
  if (!errors.cycles.measured)
    return error("measurement-mismatch", "the measured run", "it does not tell its cycles",
                 "measure the cycles of the whole run, too");
  SLUICE_CHECK(expectEqual(errors.cycles, "the run", "cycles"));
  for (const OperatorErrors& row : errors.operators) {
    const Location place(Where::Node, row.place);
    for (std::size_t i = 0; i < activities; ++i)
      SLUICE_CHECK(expectEqual(row.of[i], place, std::string("cycles of ") + text(static_cast<Activity>(i))));
    SLUICE_CHECK(expectEqual(row.total, place, "cycles in all"));
    SLUICE_CHECK(expectEqual(row.finished, place, "the cycle at which it is done"));
  }
  for (const StreamErrors& row : errors.streams) {
    const Location place(Where::Stream, row.name);
    SLUICE_CHECK(expectEqual(row.tokens, place, "tokens"));
    SLUICE_CHECK(expectEqual(row.most, place, "the most tokens at once"));
  }
  return Done{};
}

}  // namespace

Result<Provenance> confirmedByRtl(std::span<const MeasuredComparison> runs, const Document& document,
                                  std::string source) {
  if (runs.empty()) return error("missing-data", "the measurement", "it holds no runs", "measure one");
  std::size_t operators = 0, streams = 0;
  for (const MeasuredComparison& run : runs) {
    SLUICE_CHECK(expectEqual(run.errors));
    operators = std::max(operators, run.errors.operators.size());
    streams = std::max(streams, run.errors.streams.size());
  }
  std::string detail = "the same cycles in " + several(runs.size(), "run");
  if (operators + streams > 0)
    detail +=
        ", and the same numbers of " + several(operators, "operator") + " and " + several(streams, "stream");
  return Provenance{Trust::Rtl, std::move(source), std::move(detail), coveredContent(document)};
}

}  // namespace sluice::inline measurements
