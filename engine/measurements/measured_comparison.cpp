#include "engine/measurements/measured_comparison.h"

#include "engine/core/cancelled.h"
#include "engine/measurements/measured_point.h"

namespace sluice::inline measurements {
namespace {

ComparedValue valueOf(const ModelAndMeasured& value) {
  return {value.model, value.measured};
}

ComparedOperator operatorOf(const OperatorErrors& row) {
  ComparedOperator op;
  op.place = op.place_a = row.place;
  op.kind = row.kind;
  op.count_a = op.count_b = row.count;
  op.busy = valueOf(row[Activity::Compute]);
  // Where the file does not tell a token from a slot, it stands where most of such waits belong.
  const bool told = row[Activity::Token].measured || row[Activity::Slot].measured;
  op.starved = valueOf(row[told ? Activity::Token : Activity::Stream]);
  op.blocked = valueOf(row[Activity::Slot]);
  op.memory = valueOf(row[Activity::Memory]);
  op.total = valueOf(row.total);
  op.finished = valueOf(row.finished);
  return op;
}

ComparedStream streamOf(const StreamErrors& row, const FlatGraph& graph) {
  ComparedStream stream;
  stream.name = row.name;
  stream.origin_a = stream.origin_b = graph.streams[row.id].origin;
  stream.tokens = valueOf(row.tokens);
  stream.most = valueOf(row.most);
  return stream;
}

std::vector<ComparedMatch> matchesOf(const ModelErrors& errors) {
  std::vector<ComparedMatch> matches;
  const Matching& matching = errors.matching;
  using Of = ComparedMatch::Of;
  for (const std::string& name : matching.unknown) matches.push_back({name, Of::Measurement});
  for (const std::string& name : matching.operators_not_measured) matches.push_back({name, Of::Operator});
  for (const std::string& name : matching.streams_not_measured) matches.push_back({name, Of::Stream});
  for (const OperatorErrors& row : errors.operators)
    matches.push_back({row.place, Of::Operator, text(row.by)});
  for (const StreamErrors& row : errors.streams) matches.push_back({row.name, Of::Stream, text(row.by)});
  return matches;
}

}  // namespace

Result<MeasuredComparison> compareWithModel(std::shared_ptr<const Workload> workload, const KnobValues& knobs,
                                            const MeasuredRun& run, std::set<std::string>& ignored,
                                            const std::stop_token& stop) {
  SLUICE_TRY(const MeasuredPoint point, measuredPoint(std::move(workload), knobs, run, ignored));
  const bool whole = run.operators.empty() && run.streams.empty();
  SLUICE_TRY(PointResult model,
             evaluate(*point.workload, point.knobs, whole ? RecordMode::Count : RecordMode::Timeline, stop));
  if (stop.stop_requested()) return cancelledDiagnostic();
  MeasuredComparison compared{std::move(model), {}, run.of_model, run.point, run.recording};
  if (whole) {
    compared.errors.cycles = {static_cast<double>(compared.model.simulation.cycles), run.cycles};
  } else {
    SLUICE_TRY(compared.errors, modelErrors(compared.model, run));
  }
  return compared;
}

Result<std::vector<MeasuredComparison>> compareWithModel(const std::shared_ptr<const Workload>& workload,
                                                         const KnobValues& knobs,
                                                         const std::vector<MeasuredRun>& runs,
                                                         std::set<std::string>& ignored,
                                                         const std::stop_token& stop) {
  std::vector<MeasuredComparison> all;
  for (const MeasuredRun& run : runs) {
    SLUICE_TRY(MeasuredComparison one, compareWithModel(workload, knobs, run, ignored, stop));
    all.push_back(std::move(one));
  }
  return all;
}

Comparison comparisonOf(const MeasuredComparison& compared) {
  Comparison result;
  result.measured = true;
  const ModelErrors& errors = compared.errors;
  result.metrics.push_back({findMetric("cycles"), valueOf(errors.cycles)});
  for (const OperatorErrors& row : errors.operators) result.operators.push_back(operatorOf(row));
  for (const StreamErrors& row : errors.streams)
    result.streams.push_back(streamOf(row, compared.model.symbolic.graph));
  result.matches = matchesOf(errors);
  for (std::size_t i = 0; i < activities; ++i)
    if (errors.of[i].measured)
      result.causes.push_back({text(static_cast<Activity>(i)), valueOf(errors.of[i])});
  return result;
}

}  // namespace sluice::inline measurements
