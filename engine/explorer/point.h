#pragma once
// A design point and what is known of it.

#include <optional>
#include <string>
#include <vector>

#include "engine/core/location.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/program/document.h"
#include "engine/simulator/result.h"

namespace sluice::inline explorer {

/// How a point was evaluated: every level knows what the one before it knows, and more.
///   Symbolic  lower bounds of cycles and traffic, without a run (see boundsOf())
///   Count     everything in Metrics, by a run that counts only
///   Record    the occupancy of every FIFO, too
enum class Fidelity { Symbolic, Count, Record };
const char* text(Fidelity fidelity);  ///< "symbolic", "count", "record"
std::optional<Fidelity> fidelityOf(const std::string& text);
std::vector<std::string> levelNames();

enum class PointState { Done, Deadlocked, Infeasible, Failed, Cancelled };

/// Why a point deadlocks: the wait cycle that closed first.
struct DeadlockCause {
  std::vector<std::string> members;  ///< operators that wait for each other
  std::vector<std::string> full;     ///< the full FIFOs between them: what a repair can deepen
  Cycles closed_at = 0;
  std::size_t wait_cycles = 0;  ///< there are, independent of each other
};

struct DesignPoint {
  KnobValues knobs;
  PointState state = PointState::Done;
  /// Meaningful for Done and Infeasible (over the on-chip capacity); of Deadlocked, the on-chip bytes as far
  /// as they are known before a run.
  Metrics metrics;
  std::string cause;      ///< for everything but Done: one line
  std::string failed_at;  ///< of Failed: the operator or node at which; empty where it is not at one
  double wall_seconds = 0;
  Fidelity fidelity = Fidelity::Count;
  std::optional<std::uint64_t> peak_fifo_tokens;  ///< Record: sum over the FIFOs of the most tokens in each
  std::optional<DeadlockCause> deadlock = {};     ///< of Deadlocked
};

/// Exactly; absent for what the point's level does not tell, and of a point without metrics.
std::optional<MetricValue> exactMetric(const DesignPoint& point, const MetricSpec& metric);
/// The same as one number, NaN where it is absent, or where there is no such metric.
double metric(const DesignPoint& point, const MetricSpec& metric);
double metric(const DesignPoint& point, const std::string& name);
/// The operator, node or region that a place names; empty if it names none.
std::string operatorIn(const Location& place);
/// What the cause of a point is about, that at which it begins first: "expert[3].gate".
std::vector<std::string> operatorsOfCause(const DesignPoint& point);
/// Done or Infeasible: its metrics are there.
bool measured(const DesignPoint& point);

}  // namespace sluice::inline explorer
