#include "app/cli/search_options.h"

#include "engine/explorer/search/strategies.h"
#include "engine/program/chosen_knobs.h"

namespace sluice::cli {

std::vector<std::string> strategyNames() {
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies()) names.emplace_back(strategy.name);
  return names;
}

std::vector<Option> goalOptions(std::vector<std::string>& objectives, std::vector<std::string>& constraints,
                                const std::vector<std::string>& usual) {
  std::string without;
  for (const std::string& name : usual) without += (without.empty() ? "" : ",") + name;
  return {{"--objective,--objectives",
           &objectives,
           "one to three metrics, with commas between them or the option again (" + without +
               "); over a set of traces also p95(METRIC), mean, min, max, worst, cv and P(deadlock)",
           {.type = "METRIC", .commas = true}},
          {"--constraint",
           &constraints,
           "METRIC<=NUMBER or METRIC>=NUMBER, over a set of traces 'P(deadlock)=0'; may be given again",
           {.type = "CONDITION", .one_each = true}}};
}

std::vector<Option> searchOptions(SearchOptions& options) {
  return with(
      with(with(with(fileOptions(options), technologyOptions(options)),
                {assignments("--set", options.sets, "keep a knob at one value; the others vary: KNOB=VALUE",
                             "KNOB=VALUE"),
                 {"--threads", &options.threads, "threads; 0 is one per core", {.range = Range{0, 1024}}}}),
           goalOptions(options.objectives, options.constraints, ExploreOptions{}.objectives)),
      {{"--budget", &options.budget, "most points to evaluate", {.range = Range{1, std::int64_t{1} << 40}}},
       {"--seed", &options.seed, "of the random choices of a strategy"}});
}

Result<std::vector<Constraint>> constraintsOf(const std::vector<std::string>& texts) {
  std::vector<Constraint> constraints;
  for (const std::string& text : texts) {
    SLUICE_TRY(Constraint constraint, parseConstraint(text));
    constraints.push_back(std::move(constraint));
  }
  return constraints;
}

Result<ExploreOptions> exploreOptions(const SearchOptions& options, const KnobValues& knobs) {
  ExploreOptions request;
  request.objectives = options.objectives;
  request.budget = options.budget;
  request.seed = options.seed;
  std::vector<std::string> kept;
  for (const std::string& set : options.sets) kept.push_back(assignment(set).first);
  request.fixed = chosenKnobs(knobs, kept);
  SLUICE_TRY(request.constraints, constraintsOf(options.constraints));
  return request;
}

}  // namespace sluice::cli
