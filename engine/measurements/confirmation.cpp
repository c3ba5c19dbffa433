#include "engine/measurements/confirmation.h"

#include <algorithm>

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
bool same(const ModelAndMeasured& value) {
  return !value.measured || value.model == value.measured;
}

Result<Done> expectEqual(const ModelAndMeasured& value, const Location& place, const std::string& what) {
  if (same(value)) return Done{};
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

/// Waits and ends, too. Who waits in the last cycles of a stream depends on when its end is seen, which
/// need not change a cycle of the run (engine/rtl/README.md).
std::size_t equalInAll(const std::vector<OperatorErrors>& operators) {
  return static_cast<std::size_t>(std::ranges::count_if(operators, [](const OperatorErrors& row) {
    return std::ranges::all_of(row.of, same) && same(row.total) && same(row.finished);
  }));
}

/// Only RTL that Sluice emitted for this very point may confirm it: anything else that has cycles - a table,
/// a recording of other hardware, of the model - may have them from anywhere.
Result<std::string> wordOfRecording(const std::string& point, const MeasuredComparison& run) {
  const Location place("the measurement");
  if (run.of_model)
    return error("measurement-mismatch", place,
                 "it is a recording of Sluice's own simulator, which confirms nothing",
                 "give what the emitted RTL recorded: 'make vcd' in the project of 'emit rtl'");
  if (run.point.empty())
    return error(
        "measurement-mismatch", place,
        "it is no recording of RTL that 'emit rtl' wrote, and other cycles confirm nothing",
        "give what 'make vcd' records in that project; 'calibrate' fits the model to other measurements");
  if (run.point != point)
    return error("measurement-mismatch", place,
                 "it is RTL of another program, or of other values of knobs and inputs",
                 "give the knobs and inputs that 'emit rtl' was given, or emit and record the program as it "
                 "is now");
  return confirmedPoint(point, run.recording);
}

Result<std::string> wordOfPaper(const std::string& point, const MeasuredComparison&) {
  return publishedPoint(point);
}

/// What confirmed it before, and still does; else nothing.
Provenance before(const Document& document) {
  if (!document.provenance || trustOf(document).changed) return {};
  const Provenance& provenance = *document.provenance;
  const bool names_points = provenance.covers.find(' ') != std::string::npos;
  const bool counts =
      provenance.trust == Trust::Calibrated || (provenance.trust != Trust::Model && names_points);
  return counts ? provenance : Provenance{};
}

void append(std::string& text, const std::string& more) {
  text += (text.empty() ? "" : "; ") + more;
}

/// How much of the runs is the same.
std::string detailOf(std::span<const MeasuredComparison> runs) {
  std::size_t operators = 0, equal = 0, streams = 0;
  for (const MeasuredComparison& run : runs) {
    operators += run.errors.operators.size();
    equal += equalInAll(run.errors.operators);
    streams += run.errors.streams.size();
  }
  std::string detail = "the same cycles in " + several(runs.size(), "run");
  if (operators > 0)
    detail += ", the same computing of " + several(operators, "operator") + ", of which " +
              std::to_string(equal) + " wait the same";
  if (streams > 0) detail += ", the same tokens of " + several(streams, "stream");
  return detail;
}

}  // namespace

std::optional<Diagnostic> otherPoint(const std::string& recorded, const Workload& workload,
                                     const KnobValues& knobs) {
  if (recorded.empty() || recorded == coveredPoint(workload.document, knobs, workload.inputs))
    return std::nullopt;
  return warning("measurement-mismatch", Location("the measurement"),
                 "it is RTL of another program, or of other values of knobs and inputs, than the model ran",
                 "give the knobs (--set) and inputs (--input) that 'emit rtl' was given");
}

const Evidence emitted_rtl{Trust::Rtl, wordOfRecording};
const Evidence printed_cycles{Trust::Published, wordOfPaper};

Result<Provenance> confirmed(const Evidence& evidence, std::span<const MeasuredComparison> runs,
                             const Workload& workload, const std::string& source) {
  if (runs.empty()) return error("missing-data", "the measurement", "it holds no runs", "measure one");
  const Document& document = workload.document;
  Provenance provenance = before(document);
  if (provenance.covers.empty()) provenance.covers = coveredContent(document);
  const std::size_t known = provenance.covers.size();
  for (const MeasuredComparison& run : runs) {
    const std::string point = coveredPoint(document, run.model.point.knobs, workload.inputs);
    SLUICE_TRY(const std::string word, evidence.word(point, run));
    SLUICE_CHECK(expectEqual(run.errors));
    if (trustOfPoint(provenance.covers, point) < evidence.trust) provenance.covers += " " + word;
  }
  if (provenance.covers.size() == known) return provenance;  // it said so already
  append(provenance.source, source);
  append(provenance.detail, detailOf(runs));
  if (provenance.trust == Trust::Model) provenance.trust = evidence.trust;
  return provenance;
}

}  // namespace sluice::inline measurements
