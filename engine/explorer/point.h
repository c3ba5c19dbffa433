#pragma once
// A design point and what is known of it.

#include <optional>
#include <string>
#include <vector>

#include "engine/program/document.h"
#include "engine/simulator/result.h"

namespace sluice {

struct Metrics {
  Cycles cycles = 0;
  /// By the equations, symbols bound from the inputs or the run.
  Bytes off_chip_bytes = 0;                   ///< engine/symbolic/cost_model.md 4
  Bytes on_chip_bytes = 0;                    ///< engine/symbolic/cost_model.md 3
  Flops flops = 0;                            ///< measured in the run
  double operational_intensity = 0;           ///< FLOPs per off-chip byte
  double compute_utilization = 0;             ///< flops / (cycles * allocated FLOPs per cycle)
  double off_chip_bandwidth_utilization = 0;  ///< off-chip bytes / (cycles * peak bytes per cycle)
  std::uint64_t token_hops = 0;
  std::uint64_t hbm_requests = 0;
};

/// The metrics that can be plotted or searched, by their JSON names.
const std::vector<std::string>& metricNames();
double metric(const Metrics& metrics, const std::string& name);  ///< NaN for an unknown name
void setMetric(Metrics& metrics, const std::string& name, double value);
bool isCount(const std::string& name);            ///< a whole number
std::string metricUnit(const std::string& name);  ///< "cycles", "bytes", "" ...
bool smallerIsBetter(const std::string& name);

/// How a point was evaluated: every level knows what the one before it knows, and more.
///   Symbolic  lower bounds of cycles and traffic, without a run (see boundsOf())
///   Count     everything in Metrics, by a run that counts only
///   Record    the occupancy of every FIFO, too
enum class Level { Symbolic, Count, Record };
const char* text(Level level);  ///< "symbolic", "count", "record"
std::optional<Level> levelOf(const std::string& text);

enum class PointState { Done, Deadlocked, Infeasible, Failed, Cancelled };

/// Why a point deadlocks: the circle that closed first.
struct DeadlockCause {
  std::vector<std::string> members;  ///< operators that wait for each other
  std::vector<std::string> full;     ///< the full FIFOs between them: what a repair can deepen
  Cycles closed_at = 0;
  std::size_t circles = 0;  ///< there are, independent of each other
};

struct DesignPoint {
  KnobValues knobs;
  PointState state = PointState::Done;
  /// Meaningful for Done and Infeasible (over the on-chip capacity); of Deadlocked, the on-chip bytes as far
  /// as they are known before a run.
  Metrics metrics;
  std::string cause;  ///< for everything but Done: one line
  double wall_seconds = 0;
  Level level = Level::Count;
  std::optional<std::uint64_t> peak_fifo_tokens;  ///< Record: sum over the FIFOs of the most tokens in each
  std::optional<DeadlockCause> deadlock = {};     ///< of Deadlocked
};

/// As metric(), NaN for what the point's level does not tell.
double metric(const DesignPoint& point, const std::string& name);
/// Done or Infeasible: its metrics are there.
bool measured(const DesignPoint& point);

}  // namespace sluice
