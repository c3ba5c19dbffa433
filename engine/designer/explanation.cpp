#include "engine/designer/explanation.h"

#include <algorithm>

namespace sluice::inline designer {
namespace {

Stage stageOf(const Workload& workload, const KnobValues& knobs, const std::vector<ScheduleStep>& schedule,
              const std::stop_token& stop) {
  const Result<PointResult> result =
      evaluate(withSchedule(workload, schedule), knobs, RecordMode::Count, stop);
  if (!result) return {schedule, refusedPoint({knobs}, result.diagnostics()).point, {}};
  return {schedule, result->point, bindingResource(result->symbolic.graph, *result)};
}

/// The search may have run it; a design under traces has no run of its own.
std::optional<Stage> knownStage(const DesignResult& result, const std::vector<ScheduleStep>& schedule) {
  const auto known = std::ranges::find_if(
      result.designs, [&](const Design& design) { return design.bound && design.schedule == schedule; });
  if (known == result.designs.end()) return {};
  return Stage{schedule, known->point, *known->bound};
}

/// The designs that share the first `position` steps with a design, and end with another one.
std::vector<std::size_t> rivalsOf(const DesignRequest& request, const DesignResult& result,
                                  const std::vector<ScheduleStep>& schedule, std::size_t position) {
  std::vector<std::size_t> rivals;
  std::vector<double> values;
  for (std::size_t i = 0; i < result.designs.size(); ++i) {
    const Design& other = result.designs[i];
    if (other.schedule.size() != position + 1 || other.point.fidelity == Fidelity::Symbolic ||
        other.point.state != PointState::Done || other.schedule[position] == schedule[position] ||
        !std::equal(schedule.begin(), schedule.begin() + static_cast<std::ptrdiff_t>(position),
                    other.schedule.begin()))
      continue;
    rivals.push_back(i);
    for (const std::string& name : request.objectives)
      values.push_back(minimised(name, metric(other.point, name)));
  }
  std::vector<std::size_t> ordered;
  for (const std::vector<std::size_t>& front : paretoFronts(values, request.objectives.size()))
    for (const std::size_t i : front) ordered.push_back(rivals[i]);
  return ordered;
}

}  // namespace

std::vector<Stage> stagesOf(const DesignResult& result, std::span<const std::size_t> designs) {
  std::vector<Stage> stages;
  for (const std::size_t design : designs) {
    std::vector<ScheduleStep> beginning = result.designs.front().schedule;
    const std::vector<ScheduleStep>& schedule = result.designs[design].schedule;
    for (std::size_t length = beginning.size();; ++length) {
      if (std::ranges::find(stages, beginning, &Stage::schedule) == stages.end())
        stages.push_back({beginning});
      if (length == schedule.size()) break;
      beginning.push_back(schedule[length]);
    }
  }
  return stages;
}

void runStage(Stage& stage, const Workload& workload, const KnobValues& knobs, const DesignResult& result,
              const std::stop_token& stop) {
  std::optional<Stage> known = knownStage(result, stage.schedule);
  stage = known ? *std::move(known) : stageOf(workload, knobs, stage.schedule, stop);
}

std::vector<LineageStep> lineageOf(const DesignRequest& request, const DesignResult& result,
                                   std::size_t design, std::span<const Stage> stages) {
  const std::vector<ScheduleStep>& schedule = result.designs.at(design).schedule;
  const auto stageAt = [&](std::size_t length) -> const Stage& {
    return *std::ranges::find_if(stages, [&](const Stage& stage) {
      return std::ranges::equal(stage.schedule, std::span(schedule).first(length));
    });
  };
  std::vector<LineageStep> lineage;
  for (std::size_t position = result.designs.front().schedule.size(); position < schedule.size();
       ++position) {
    const Stage &before = stageAt(position), &after = stageAt(position + 1);
    lineage.push_back({position, before.point, after.point, before.bound, after.bound,
                       rivalsOf(request, result, schedule, position)});
  }
  return lineage;
}

}  // namespace sluice::inline designer
