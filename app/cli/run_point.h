#pragma once
// A design point that has been opened and run: where subcommands about deadlocks begin.

#include "app/cli/command.h"
#include "engine/explorer/metrics/technology_metrics.h"
#include "engine/fifo/depth_search.h"

namespace sluice::cli {

struct RunPoint {
  Opened opened;
  PointResult point;                   ///< it ended, or deadlocked
  std::optional<EnergyReport> energy;  ///< as energyReport() of the point
};

/// Absent: it could not be run, or failed; that has been told, and `exit_code` set.
std::optional<RunPoint> runPoint(const FileOptions& options, const std::stop_token& stop, int& exit_code);

SearchBudget budgetOf(double seconds, std::stop_token stop);

}  // namespace sluice::cli
