#include "engine/measurements/confirmation.h"

#include <algorithm>

#include "engine/explorer/tables.h"
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
    SLUICE_CHECK(expectEqual(row[Activity::Compute], place, "cycles of computing"));
    SLUICE_CHECK(expectEqual(row.total, place, "cycles in all"));
  }
  for (const StreamErrors& row : errors.streams) {
    const Location place(Where::Stream, row.name);
    SLUICE_CHECK(expectEqual(row.tokens, place, "tokens"));
    SLUICE_CHECK(expectEqual(row.most, place, "the most tokens at once"));
  }
  return Done{};
}

bool same(const ModelAndMeasured& value) {
  return !value.measured || value.model == value.measured;
}

/// Waits and ends, too. Who waits in the last cycles of a stream depends on when its end is seen, which
/// need not change a cycle of the run (engine/rtl/README.md).
std::size_t equalInAll(const std::vector<OperatorErrors>& operators) {
  return static_cast<std::size_t>(std::ranges::count_if(operators, [](const OperatorErrors& row) {
    return std::ranges::all_of(row.of, same) && same(row.total) && same(row.finished);
  }));
}

/// " at tile = 16, ways = 4".
std::string pointText(const Document& document, const KnobValues& knobs) {
  std::string text;
  for (const Knob& knob : document.knobs)
    text += (text.empty() ? " at " : ", ") + knob.name + " = " + knobText(knob, knobs.at(knob.name));
  return text;
}

}  // namespace

Result<Provenance> confirmedByRtl(std::span<const MeasuredComparison> runs, const Document& document,
                                  std::string source) {
  if (runs.empty()) return error("missing-data", "the measurement", "it holds no runs", "measure one");
  std::size_t operators = 0, equal = 0, streams = 0;
  for (const MeasuredComparison& run : runs) {
    if (run.of_model)
      return error("measurement-mismatch", "the measurement",
                   "it is a recording of Sluice's own simulator, which confirms nothing",
                   "give what something else recorded: 'make vcd' in the project of 'emit rtl', say");
    SLUICE_CHECK(expectEqual(run.errors));
    operators += run.errors.operators.size();
    equal += equalInAll(run.errors.operators);
    streams += run.errors.streams.size();
  }
  std::string detail = "the same cycles in " + several(runs.size(), "run");
  if (operators > 0)
    detail += ", the same computing of " + several(operators, "operator") + ", of which " +
              std::to_string(equal) + " wait the same";
  if (streams > 0) detail += ", the same tokens of " + several(streams, "stream");
  // What one run confirms is its own point: the label says where.
  if (runs.size() == 1) source += pointText(document, runs.front().model.point.knobs);
  return Provenance{Trust::Rtl, std::move(source), std::move(detail), coveredContent(document)};
}

}  // namespace sluice::inline measurements
