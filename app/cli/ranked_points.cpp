#include "app/cli/ranked_points.h"

#include "app/cli/diagnostics.h"
#include "app/cli/ranks.h"
#include "engine/explorer/deadlock_cause.h"
#include "engine/explorer/retiming_cache.h"
#include "engine/explorer/store/workload_hash.h"
#include "engine/explorer/tables.h"

namespace sluice::cli {
namespace {

Json pointTaskJson(const PointTask& task) {
  return {{"k", task.knobs}, {"l", static_cast<int>(task.fidelity)}, {"s", task.share}};
}

PointTask pointTaskFrom(const Json& body) {
  return {body.at("k").get<KnobValues>(), static_cast<Fidelity>(body.at("l").get<int>()),
          body.at("s").get<double>()};
}

RankWork pointWork(const Workload& workload) {
  return {
      [&workload, traces = std::make_shared<RetimingCache>()](const Json& task, const std::stop_token& stop) {
        return outcomeJson(evaluateTask(workload, pointTaskFrom(task), stop, traces.get()));
      },
      [](const Json& task, const Diagnostic& why) {
        return outcomeJson(refusedPoint(pointTaskFrom(task), {why}));
      }};
}

class RankedEvaluator : public PointEvaluator {
 public:
  RankedEvaluator(int ranks, std::unique_ptr<Crew> crew)
      : ranks_(static_cast<unsigned>(ranks)), crew_(std::move(crew)) {}

  void evaluate(std::span<const PointTask> tasks, const Finished& finished,
                const std::stop_token& stop) override {
    std::vector<Json> asked;
    for (const PointTask& task : tasks) asked.push_back(pointTaskJson(task));
    crew_->distribute(
        asked,
        [&](std::size_t task, const Json& answer) { finished(task, outcomeFrom(answer, tasks[task])); },
        stop);
  }
  unsigned concurrency() const override { return ranks_; }

 private:
  unsigned ranks_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace

Json outcomeJson(const PointOutcome& outcome) {
  const DesignPoint& point = outcome.point;
  Json metrics = Json::array();
  for (const MetricSpec* metric : registeredMetrics())
    metrics.push_back(std::visit([](auto number) { return Json(number); }, metric->value(point.metrics)));
  Json body = {{"st", text(point.state)}, {"m", std::move(metrics)}, {"w", point.wall_seconds}};
  if (!point.cause.empty()) body["c"] = point.cause;
  if (!outcome.refused.empty()) body["r"] = diagnosticsJson(outcome.refused);
  if (outcome.estimated) body["e"] = true;
  if (point.peak_fifo_tokens) body["p"] = *point.peak_fifo_tokens;
  if (point.deadlock) body["d"] = toJson(*point.deadlock);
  if (!point.failed_at.empty()) body["a"] = point.failed_at;
  if (outcome.retimed) body["t"] = true;
  if (!outcome.why_simulated.empty()) body["y"] = outcome.why_simulated;
  return body;
}

PointOutcome outcomeFrom(const Json& body, const PointTask& task) {
  PointOutcome outcome;
  DesignPoint& point = outcome.point;
  point.knobs = task.knobs;
  point.fidelity = task.fidelity;
  point.state = pointStateOf(body.at("st").get<std::string>()).value_or(PointState::Failed);
  for (std::size_t i = 0; i < registeredMetrics().size(); ++i) {
    const MetricSpec& metric = *registeredMetrics()[i];
    const Json& number = body.at("m").at(i);
    if (number.is_number_unsigned())
      metric.set(point.metrics, number.get<std::uint64_t>());
    else if (number.is_number())  // null: a metric of a plug-in that the point does not have
      metric.set(point.metrics, number.get<double>());
  }
  point.wall_seconds = body.at("w").get<double>();
  point.cause = body.value("c", std::string());
  point.failed_at = body.value("a", std::string());
  outcome.estimated = body.value("e", false);
  if (outcome.estimated) point.fidelity = Fidelity::Symbolic;
  if (body.contains("p")) point.peak_fifo_tokens = body["p"].get<std::uint64_t>();
  if (body.contains("d")) point.deadlock = deadlockFrom(body["d"]);
  outcome.retimed = body.value("t", false);
  outcome.why_simulated = body.value("y", std::string());
  outcome.refused = diagnosticsFrom(body.value("r", Json::array()));
  return outcome;
}

Result<std::unique_ptr<PointEvaluator>> rankedEvaluator(Cluster& cluster, const Workload& workload) {
  SLUICE_TRY(std::unique_ptr<Crew> crew, crewOrWork(cluster, workloadHash(workload), pointWork(workload)));
  std::unique_ptr<PointEvaluator> evaluator;
  if (crew) evaluator = std::make_unique<RankedEvaluator>(cluster.ranks(), std::move(crew));
  return evaluator;
}

}  // namespace sluice::cli
