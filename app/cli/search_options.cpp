#include "app/cli/search_options.h"

#include <CLI/CLI.hpp>

namespace sluice::cli {

void addSearchOptions(CLI::App& command, SearchOptions& options) {
  addFileOptions(command, options, false);
  command.add_option("--threads", options.threads, "threads; 0 is one per core")
      ->check(CLI::Range(0u, 1024u));
  command.add_option("--objectives", options.objectives, "one to three metrics, comma-separated")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--budget", options.budget, "most points to evaluate")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  command.add_option("--seed", options.seed, "of the random choices of a strategy");
  command
      .add_option("--constraint", options.constraints, "METRIC<=NUMBER or METRIC>=NUMBER; may be given again")
      ->allow_extra_args(false)
      ->type_name("CONDITION");
}

Result<ExploreOptions> exploreOptions(const SearchOptions& options) {
  ExploreOptions request;
  request.objectives = options.objectives;
  request.budget = options.budget;
  request.seed = options.seed;
  for (const std::string& text : options.constraints) {
    Result<Constraint> constraint = parseConstraint(text);
    if (!constraint) return constraint.diagnostics();
    request.constraints.push_back(*std::move(constraint));
  }
  return request;
}

}  // namespace sluice::cli
