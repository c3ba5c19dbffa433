#pragma once
// What a run costs in joules, as text and JSON; the name of the option that asks for it.

#include <optional>
#include <string>
#include <string_view>

#include "app/cli/json.h"
#include "engine/energy/report.h"
#include "engine/explorer/evaluate.h"

namespace sluice::cli {

inline constexpr std::string_view technology_option = "--technology";

/// Of a run that ended, in a workload with a technology; else, or where actions cannot be counted, nothing.
std::optional<EnergyReport> energyReport(const PointResult& result);
/// Metrics, parts, regions, operators with the counts of their actions, and the prices with their sources.
Json energyJson(const PointResult& result, const EnergyReport& report);
/// Tables; the operators that cost most only, unless `all`.
std::string energyText(const PointResult& result, const EnergyReport& report, bool all);

}  // namespace sluice::cli
