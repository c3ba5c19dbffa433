#pragma once
// What a run costs in joules, as text and JSON; the name of the option that asks for it.

#include <string>
#include <string_view>

#include "app/cli/json.h"
#include "engine/energy/report.h"
#include "engine/explorer/evaluate.h"
#include "engine/explorer/metrics/technology_metrics.h"

namespace sluice::cli {

inline constexpr std::string_view technology_option = "--technology";

/// Metrics, parts, regions, operators with the counts of their actions, and the prices with their sources.
Json energyJson(const PointResult& result, const EnergyReport& report);
/// Tables; the operators that cost most only, unless `all`.
std::string energyText(const PointResult& result, const EnergyReport& report, bool all);

}  // namespace sluice::cli
