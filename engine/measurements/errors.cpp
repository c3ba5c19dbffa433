#include "engine/measurements/errors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/core/csv.h"
#include "engine/simulator/timeline.h"

namespace sluice::inline measurements {
namespace {

void add(std::optional<double>& sum, const std::optional<double>& more) {
  if (more) sum = sum.value_or(0) + *more;
}

std::string placeOf(const FlatOperator& op) {
  return op.inferred ? op.origin + ".broadcast" : op.origin;  // an inferred one has the place of its source
}

/// The operators and the measurements of one place.
struct Place {
  std::string kind;
  MatchedBy by = MatchedBy::Name;
  std::set<OperatorId> ids;
  ActivityCycles measured;
  std::optional<double> total, finished;
};

std::map<std::string, Place> placesOf(const FlatGraph& graph, const MeasuredRun& run,
                                      const Matching& matching) {
  std::map<std::string, Place> places;
  for (const Matched<OperatorId>& matched : matching.operators) {
    const FlatOperator& op = graph.operators[matched.ids.front()];
    Place& place = places[placeOf(op)];
    place.kind = op.spec->kind;
    place.by = std::max(place.by, matched.by);
    place.ids.insert(matched.ids.begin(), matched.ids.end());
    const MeasuredOperator& measured = run.operators[matched.measured];
    for (std::size_t i = 0; i < activities; ++i) add(place.measured.of[i], measured.cycles.of[i]);
    add(place.total, measured.total);
    if (measured.finished) place.finished = std::max(place.finished.value_or(0), *measured.finished);
  }
  return places;
}

OperatorErrors errorsOf(const std::string& name, const Place& place, const SimulationResult& model) {
  using enum Activity;
  OperatorErrors row{name, place.kind, place.ids.size(), place.by, {}, {}, {}};
  ActivityCycles ours;
  double finished = 0;
  for (const OperatorId id : place.ids) {
    const ActivityCycles cycles = modelCycles(model, id);
    for (std::size_t i = 0; i < activities; ++i) add(ours.of[i], cycles.of[i]);
    finished = std::max(finished, static_cast<double>(model.operators[id].finished));
  }
  const double all = ours.sum();
  ours[Stream] = *ours[Token] + *ours[Slot];
  for (std::size_t i = 0; i < activities; ++i)
    if (place.measured.of[i]) row.of[i] = {ours.of[i], place.measured.of[i]};
  if (place.total) row.total = {all, place.total};
  if (place.finished) row.finished = {finished, place.finished};
  return row;
}

std::vector<StreamErrors> streamErrors(const PointResult& model, const MeasuredRun& run,
                                       const Matching& matching) {
  std::map<StreamId, StreamErrors> rows;
  for (const Matched<StreamId>& matched : matching.streams) {
    const MeasuredStream& measured = run.streams[matched.measured];
    const StreamId id = matched.ids.front();
    StreamErrors& row = rows[id];
    row.id = id;
    row.name = model.symbolic.graph.streams[id].name;
    row.by = matched.by;
    const StreamStats& stats = model.simulation.streams[id];
    if (measured.tokens) row.tokens = {static_cast<double>(stats.tokens), measured.tokens};
    if (measured.most) row.most = {static_cast<double>(stats.max_occupancy), measured.most};
    add(row.no_token, measured.no_token), add(row.no_slot, measured.no_slot);
  }
  std::vector<StreamErrors> streams;
  for (auto& [id, row] : rows) streams.push_back(std::move(row));
  return streams;
}

}  // namespace

std::optional<double> ModelAndMeasured::difference() const {
  if (!model || !measured) return std::nullopt;
  return *model - *measured;
}

std::optional<double> ModelAndMeasured::error() const {
  if (!model || !measured || *measured == 0) return std::nullopt;
  return (*model - *measured) / *measured;
}

double OperatorErrors::distance() const {
  double sum = 0;
  bool any = false;
  for (const ModelAndMeasured& each : of)
    if (const auto difference = each.difference()) sum += std::abs(*difference), any = true;
  return any ? sum : std::abs(total.difference().value_or(0));
}

ActivityCycles modelCycles(const SimulationResult& run, OperatorId op) {
  const StateCycles states = run.timeline->statesWithin(op, 0, run.timeline->end());
  const auto of = [&](ProcessState state) {
    return static_cast<double>(states[static_cast<std::size_t>(state)]);
  };
  ActivityCycles cycles;
  cycles[Activity::Compute] = of(ProcessState::Running);
  cycles[Activity::Token] = of(ProcessState::Starved);
  cycles[Activity::Slot] = of(ProcessState::Blocked);
  cycles[Activity::Memory] = of(ProcessState::Memory) + of(ProcessState::Unit);
  return cycles;
}

Result<ModelErrors> modelErrors(const PointResult& model, const MeasuredRun& run) {
  const FlatGraph& graph = model.symbolic.graph;
  std::vector<std::uint64_t> tokens;
  for (const StreamStats& stream : model.simulation.streams) tokens.push_back(stream.tokens);
  ModelErrors errors;
  SLUICE_TRY(errors.matching, match(graph, run, tokens));
  errors.cycles = {static_cast<double>(model.simulation.cycles), run.cycles};
  for (const auto& [name, place] : placesOf(graph, run, errors.matching))
    errors.operators.push_back(errorsOf(name, place, model.simulation));
  for (const OperatorErrors& row : errors.operators)
    for (std::size_t i = 0; i < activities; ++i)
      add(errors.of[i].model, row.of[i].model), add(errors.of[i].measured, row.of[i].measured);
  std::stable_sort(
      errors.operators.begin(), errors.operators.end(),
      [](const OperatorErrors& a, const OperatorErrors& b) { return a.distance() > b.distance(); });
  errors.streams = streamErrors(model, run, errors.matching);
  return errors;
}

std::string errorsCsv(const ModelErrors& errors) {
  CsvTable table({"place", "kind", "instances", "matched_by", "activity", "model_cycles", "measured_cycles",
                  "error_cycles"});
  const auto add_row = [&](const OperatorErrors& row, const std::string& activity,
                           const ModelAndMeasured& value) {
    if (!value.model || !value.measured) return;
    table.row({row.place, row.kind, std::to_string(row.count), text(row.by), activity,
               csvNumber(*value.model), csvNumber(*value.measured), csvNumber(*value.difference())});
  };
  const auto add_all = [&](const OperatorErrors& row) {
    for (std::size_t i = 0; i < activities; ++i) add_row(row, text(static_cast<Activity>(i)), row.of[i]);
    add_row(row, "total", row.total);
  };
  add_all({"*", "", 1, MatchedBy::Name, errors.of, errors.cycles, {}});
  for (const OperatorErrors& row : errors.operators) add_all(row);
  return table.text();
}

}  // namespace sluice::inline measurements
