#include "engine/designer/design_store.h"

#include "engine/distributions/sample_store.h"
#include "engine/explorer/store/workload_hash.h"

namespace sluice::inline designer {
namespace {

constexpr const char* knob_name = "graph";
constexpr std::string_view strategy_name = "design, ";

/// Of graphHash(), what a knob's value holds: 60 bits, of which two graphs of one search never share all.
KnobValues knobsOf(const std::string& graph) {
  return {{knob_name, static_cast<std::int64_t>(std::stoull(graph.substr(0, 15), nullptr, 16))}};
}

/// All that decides which design comes when.
std::string strategyOf(const DesignRequest& request) {
  std::string strategy = std::string(strategy_name) + std::to_string(request.most_steps) + " steps";
  strategy += constraintsText(request.constraints);
  for (const std::string& name : request.allowed) strategy += ", +" + name;
  for (const std::string& name : request.forbidden) strategy += ", -" + name;
  for (const std::string& path : request.locked) strategy += ", locked " + path;
  return strategy;
}

}  // namespace

Result<std::unique_ptr<DesignStore>> DesignStore::open(const std::filesystem::path& store,
                                                       const Workload& workload, const DesignRequest& request,
                                                       const std::string& file, bool resume,
                                                       std::stop_source trouble) {
  ExplorationRecord record = explorationHere();
  record.workload = request.traces ? hashesOf(*request.traces).set : workloadHash(workload);
  record.title = workload.document.title;
  record.file = file;
  Knob graph;
  graph.name = knob_name;
  graph.maximum = std::int64_t{1} << 60;
  record.knobs = {graph};
  record.strategy = strategyOf(request) + technologyText(workload);
  if (request.traces) record.strategy += ", " + request.traces->description();
  record.seed = request.seed;
  record.budget = request.budget;
  record.objectives = request.objectives;
  SLUICE_TRY(std::unique_ptr<SqlitePointStore> points,
             SqlitePointStore::open(store, std::move(record), resume, std::move(trouble)));
  return std::unique_ptr<DesignStore>(new DesignStore(std::move(points)));
}

bool DesignStore::isSearch(const ExplorationRecord& record) {
  return record.knobs.size() == 1 && record.knobs.front().name == knob_name &&
         record.strategy.starts_with(strategy_name);
}

Result<std::optional<DesignPoint>> DesignStore::known(const std::string& graph, const KnobValues& knobs) {
  std::optional<DesignPoint> point;
  const std::vector<KnobValues> asked{knobsOf(graph)};
  SLUICE_CHECK(store_->known(asked, Fidelity::Count, [&](std::size_t, DesignPoint found) {
    point = std::move(found);
    point->knobs = knobs;
  }));
  return point;
}

void DesignStore::add(const std::string& graph, const Design& design, bool known) {
  DesignPoint point = design.point;
  point.knobs = knobsOf(graph);
  store_->add(added_++, point, known);
}

}  // namespace sluice::inline designer
