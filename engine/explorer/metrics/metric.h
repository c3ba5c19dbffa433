#pragma once
// A metric: what a design point is judged by. Each is described in the file of its name; code that
// lists, formats, stores or compares metrics asks these descriptions.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/core/units.h"

namespace sluice::inline operators {
struct Cost;
}

namespace sluice::inline simulator {
struct SimulationResult;
}

namespace sluice::inline symbolic {
class Expr;
}

namespace sluice::inline energy {
struct EnergyReport;
}

namespace sluice::inline explorer {

enum class Fidelity;
struct CostValues;
struct MetricSpec;
struct SymbolicResult;

// One line a metric of the engine, in the order of tables and files: its number, and its name in files.
// clang-format off
#define SLUICE_METRICS(X) \
  X(Cycles, cycles) \
  X(Bytes, off_chip_bytes) \
  X(Bytes, on_chip_bytes) \
  X(Flops, flops) \
  X(double, operational_intensity) \
  X(double, compute_utilization) \
  X(double, off_chip_bandwidth_utilization) \
  X(std::uint64_t, token_hops) \
  X(std::uint64_t, hbm_requests) \
  X(Bytes, fifo_bytes) \
  X(Bytes, total_on_chip_bytes) \
  X(Flops, allocated_compute)
// clang-format on

/// A count, exactly, or a fraction or ratio.
using MetricValue = std::variant<std::uint64_t, double>;

/// The value of a metric that a plug-in brought.
struct AddedMetric {
  const MetricSpec* metric = nullptr;
  MetricValue value;
};

/// The values of all metrics at a point.
struct Metrics {
#define X(Number, name) Number name = 0;
  SLUICE_METRICS(X)
#undef X
  std::vector<AddedMetric> added = {};  ///< MetricSpec::value() and set() find theirs
};

enum class MetricKind {
  Count,      ///< whole; the title says of what
  ByteCount,  ///< whole
  Fraction,   ///< 0..1, shown in percent
  Ratio       ///< any number, with a unit
};

/// How much of a metric is shown unasked: each includes what stands before it.
enum class Prominence {
  Detail,    ///< in tables of all metrics, and where it is chosen
  Figure,    ///< a large figure of the current point
  Headline,  ///< an axis of parallel coordinates, a column of an exploration in text
  Objective  ///< searched for, plotted and weighted unless others are chosen
};

/// A term of the symbolic cost, or one over another; none where `term` is null.
struct CostFormula {
  Expr Cost::*term = nullptr;
  Expr Cost::*over = nullptr;

  bool isTerm() const { return term && !over; }
  std::string text(const Cost& cost) const;
  std::string latex(const Cost& cost) const;
  /// Absent where a symbol is open, or where it would divide by 0.
  std::optional<double> value(const CostValues& values) const;
};

struct MetricSpec {
  std::string name;         ///< in files, in JSON and on the command line
  std::string title;        ///< on screen
  std::string short_title;  ///< where there is little room
  std::string column;       ///< heads a column of text
  std::string unit = {};    ///< empty for a fraction
  MetricKind kind = MetricKind::Count;
  bool smaller_is_better = true;
  Prominence prominence = Prominence::Detail;
  /// None: that of a plug-in, whose values are among the added ones.
  std::variant<std::monostate, std::uint64_t Metrics::*, double Metrics::*> member = {};

  // How it is had from a run: counted there, else derived, else by the formula with the symbols that the run
  // measured.
  std::uint64_t SimulationResult::*run = nullptr;  ///< known of an unfinished run, too
  /// From the counts of a run that ended, what was derived before it in the order of the registry, and the
  /// graph and costs of its program.
  double (*derived)(const Metrics& counts, const SymbolicResult& symbolic) = nullptr;

  /// From what a run costs in the workload's technology; no point of a workload without one has the metric.
  double (*priced)(const EnergyReport& report) = nullptr;
  /// What no run comes below, where the report is of the least that one can do (leastEnergyReport()).
  bool least_priced_is_bound = false;

  // How it is had without one.
  CostFormula formula = {};
  /// What no run comes below; null: the symbolic level does not tell. Needs the values of the operators.
  std::uint64_t (*lower_bound)(const SymbolicResult& symbolic) = nullptr;

  bool isWhole() const { return kind == MetricKind::Count || kind == MetricKind::ByteCount; }
  /// At the symbolic level as a lower bound.
  bool knownAt(Fidelity fidelity) const;
  /// NaN where a metric of a plug-in has none: a stored point may be older than the plug-in.
  MetricValue value(const Metrics& metrics) const;
  double number(const Metrics& metrics) const;  ///< value(), rounded from 2^53 on
  /// Left out: a count that no 63 bits hold (checked.h), and what is not finite of a plug-in's metric.
  void set(Metrics& metrics, MetricValue value) const;
  /// Of a value to be minimised, and back.
  double minimised(double value) const { return smaller_is_better ? value : -value; }
};

}  // namespace sluice::inline explorer
