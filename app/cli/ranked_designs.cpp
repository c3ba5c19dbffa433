#include "app/cli/ranked_designs.h"

#include "app/cli/ranked_points.h"
#include "app/cli/ranks.h"
#include "app/cli/step_json.h"
#include "engine/designer/designer.h"
#include "engine/explorer/store/workload_hash.h"

namespace sluice::cli {
namespace {

Json designTaskJson(const DesignTask& task) {
  std::vector<ScheduleStep> steps;
  for (const ScheduleStep& step : task.schedule)
    if (step.enabled) steps.push_back(step);
  return {{"steps", scheduleJson(steps)}, {"horizon", task.horizon}, {"most", task.most_resumptions}};
}

DesignTask designTaskFrom(const Json& body) {
  return {scheduleFrom(body.at("steps")), body.at("horizon").get<Cycles>(),
          body.at("most").get<std::uint64_t>()};
}

Json runJson(const DesignRun& run) {
  Json body = {{"end", static_cast<int>(run.end)}};
  if (run.end == DesignRun::End::Done) body["point"] = outcomeJson({run.point, {}});
  if (run.bound)
    body["bound"] = {static_cast<int>(run.bound->bottleneck), run.bound->where, run.bound->share};
  return body;
}

DesignRun runFrom(const Json& body, const KnobValues& knobs) {
  DesignRun run{.end = static_cast<DesignRun::End>(body.at("end").get<int>())};
  if (run.end == DesignRun::End::Done) run.point = outcomeFrom(body.at("point"), {knobs}).point;
  if (body.contains("bound")) {
    const Json& bound = body["bound"];
    run.bound = {static_cast<Bottleneck>(bound.at(0).get<int>()), bound.at(1).get<std::string>(),
                 bound.at(2).get<double>()};
  }
  return run;
}

std::string subjectOf(const Workload& workload, const KnobValues& knobs) {
  return "designs of " + workloadHash(workload) + " " + Json(knobs).dump();
}

/// Both are copied: a few shared pointers and the document.
RankWork designWork(const Workload& workload, const KnobValues& knobs) {
  const auto plain = std::make_shared<const Workload>(withSchedule(workload, {}));
  return {[plain, knobs](const Json& task, const std::stop_token& stop) {
            return runJson(runDesign(*plain, knobs, designTaskFrom(task), stop));
          },
          [knobs](const Json&, const Diagnostic& why) {
            return runJson({DesignRun::End::Done, refusedPoint({knobs}, {why}).point, {}});
          }};
}

class RankedRunner : public DesignRunner {
 public:
  RankedRunner(const KnobValues& knobs, std::unique_ptr<Crew> crew) : knobs_(knobs), crew_(std::move(crew)) {}

  void run(std::span<const DesignTask> tasks, const Finished& finished,
           const std::stop_token& stop) override {
    std::vector<Json> asked;
    for (const DesignTask& task : tasks) asked.push_back(designTaskJson(task));
    crew_->distribute(
        asked, [&](std::size_t task, const Json& answer) { finished(task, runFrom(answer, knobs_)); }, stop);
  }

 private:
  const KnobValues& knobs_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace

Result<std::unique_ptr<DesignRunner>> rankedRunner(Cluster& cluster, const Workload& workload,
                                                   const KnobValues& knobs) {
  SLUICE_TRY(std::unique_ptr<Crew> crew,
             crewOrWork(cluster, subjectOf(workload, knobs), designWork(workload, knobs)));
  std::unique_ptr<DesignRunner> runner;
  if (crew) runner = std::make_unique<RankedRunner>(knobs, std::move(crew));
  return runner;
}

}  // namespace sluice::cli
