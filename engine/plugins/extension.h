#pragma once
// Extension: what is added to the engine from outside of it - operators, transformations, search strategies,
// depth strategies, metrics, importers - in one call, when a program starts.

#include <vector>

#include "engine/core/result.h"
#include "engine/explorer/metrics/metric.h"
#include "engine/explorer/search/strategies.h"
#include "engine/fifo/strategies/strategies.h"
#include "engine/importers/importer.h"
#include "engine/operators/operator.h"
#include "engine/schedule/transformation.h"

namespace sluice::inline plugins {

/// What is pointed to, and names, live as long as the program.
struct Extension {
  std::vector<const Operator*> operators = {};
  std::vector<const Transformation*> transformations = {};
  std::vector<Strategy> strategies = {};
  std::vector<DepthStrategy> depth_strategies = {};
  std::vector<const MetricSpec*> metrics = {};
  std::vector<const Importer*> importers = {};
};

/// Adds all of it to the registries, behind what is there. Before anything reads them: later it is a bug, and
/// throws std::logic_error. Errors, below `place`: a name is taken, or one of them breaks a rule (rules.h);
/// what stands before it has been added.
Result<Done> extend(const Extension& extension, const Location& place);

}  // namespace sluice::inline plugins
