#pragma once
// What everything in a registry has: palette, help, dialogs and messages rely on it.

#include <string>
#include <vector>

#include "engine/explorer/metrics/metric.h"
#include "engine/explorer/search/strategies.h"
#include "engine/fifo/strategies/strategies.h"
#include "engine/importers/importer.h"
#include "engine/operators/operator.h"
#include "engine/schedule/transformation.h"

namespace sluice::inline plugins {

/// The rules that it breaks, each as "parameter 'rank' has no help"; empty: none.
std::vector<std::string> brokenRules(const Operator& op);
std::vector<std::string> brokenRules(const Transformation& transformation);
std::vector<std::string> brokenRules(const Strategy& strategy);
std::vector<std::string> brokenRules(const DepthStrategy& strategy);
std::vector<std::string> brokenRules(const MetricSpec& metric);
std::vector<std::string> brokenRules(const Importer& importer);

}  // namespace sluice::inline plugins
