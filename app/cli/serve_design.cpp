// The method `design` of `serve`: a search for schedules of the program that is open.

#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/cli/design_json.h"
#include "app/cli/point_json.h"
#include "app/cli/rpc_service.h"
#include "app/cli/search_options.h"
#include "app/cli/step_json.h"
#include "engine/designer/design_store.h"

namespace sluice::cli {
namespace {

std::set<std::string> namesIn(const Parameters& params, const char* name) {
  const std::vector<std::string> names = params.texts(name, {});
  return {names.begin(), names.end()};
}

DesignRequest designRequestFrom(const Parameters& params) {
  DesignRequest request;
  request.objectives = params.texts("objectives", request.objectives);
  Result<std::vector<Constraint>> constraints = constraintsOf(params.texts("constraints", {}));
  if (!constraints) throw refusedBy(constraints.diagnostics());
  request.constraints = *std::move(constraints);
  request.budget = params.count("budget", request.budget);
  request.seed = params.count("seed", request.seed);
  request.most_steps = params.count("steps", request.most_steps);
  constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  if (const std::uint64_t seconds = params.count("seconds", no_limit); seconds != no_limit)
    request.seconds = static_cast<double>(seconds);
  request.allowed = namesIn(params, "allow");
  request.forbidden = namesIn(params, "forbid");
  request.locked = namesIn(params, "lock");
  return request;
}

/// Designs on their way to who waits for them, ten times a second, each once.
class DesignsTold {
 public:
  DesignsTold(Output& output, const Json& id, const Document& document)
      : output_(output), id_(id), document_(document) {}

  void add(const Design& design) {
    Json told = pointOf(document_, design);
    told["schedule"] = scheduleJson(design.schedule);
    points_.push_back(std::move(told));
  }
  void tell(const DesignProgress& progress, bool at_last = false) {
    if (points_.empty() || (!at_last && Clock::now() - last_ < std::chrono::milliseconds(100))) return;
    last_ = Clock::now();
    output_.notify("progress", {{"id", id_},
                                {"evaluated", progress.simulated},
                                {"total", progress.budget},
                                {"frontier", progress.frontier},
                                {"hypervolume", progress.hypervolume},
                                {"points", std::exchange(points_, Json::array())}});
  }

 private:
  using Clock = std::chrono::steady_clock;
  Output& output_;
  const Json& id_;
  const Document& document_;
  Json points_ = Json::array();
  Clock::time_point last_ = Clock::now();
};

}  // namespace

Json RpcService::design(const Call& call) {
  const DesignRequest request = designRequestFrom(call.params);
  const Workload begun = call.params.flag("plain", false) ? withSchedule(workload(), {}) : workload();
  const bool resume = call.params.flag("resume", false);
  const std::string file = call.params.text("store", "");
  if (resume && file.empty()) throw wrongParams("'resume' takes designs from a 'store', and there is none");
  DesignsTold told(output_, call.id, begun.document);
  DesignProgress last;
  std::stop_source stop = call.stop;
  DesignObserver observer;
  observer.design = [&](const Design& design) { told.add(design); };
  observer.progress = [&](const DesignProgress& progress) {
    told.tell(last = progress);
    if (output_.deserted()) stop.request_stop();
  };
  std::unique_ptr<DesignStore> store;
  if (!file.empty()) {
    auto opened = DesignStore::open(file, begun, request, file_, resume, call.stop);
    if (!opened) throw refusedBy(opened.diagnostics());
    store = *std::move(opened);
    observer.store = store.get();
  }
  const Result<DesignResult> result =
      findDesigns(begun, knobs_, request, *executor_, observer, stop.get_token());
  told.tell(last, true);
  if (store)
    if (const Result<Done> stored = store->finish(); !stored) throw refusedBy(stored.diagnostics());
  if (!result) throw refusedBy(result.diagnostics());
  std::vector<DesignReport> reports;
  if (!call.params.flag("quick", false))
    reports = reportFrontier(begun, knobs_, request, *result, *executor_, stop.get_token());
  return designJson(file_, begun, request, *result, reports);
}

}  // namespace sluice::cli
