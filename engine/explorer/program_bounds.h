#pragma once
// Lower bounds of a program on a machine that hold for every schedule: what no design can beat, and how far a
// design is from it. bounds.h is for one scheduled point.
//
// They hold for the transformations of Sluice (provedSteps()); a transformation of a plug-in may do anything,
// so with one among the further steps every bound is 0. They are for one design point: knobs and inputs are
// bound, and what depends on the inputs (experts that receive tokens, lengths of requests) is as they say.

#include <optional>
#include <string>
#include <vector>

#include "engine/explorer/operator_floors.h"

namespace sluice::inline explorer {

/// What a design may use; absent: as much as it likes.
struct BoundBudget {
  std::optional<Bytes> on_chip_bytes;
  std::optional<Flops> compute;  ///< allocated FLOPs per cycle of all operators together
};

enum class BindingBound { None, Compute, Traffic, CriticalPath };
const char* text(BindingBound bound);  ///< "none", "compute", "compulsory traffic", "critical path"

/// Every number is 0 where nothing can be proved.
struct ProgramBounds {
  Flops flops = 0;                ///< operations
  Bytes off_chip_bytes = 0;       ///< bytes: read or written at least once
  Bytes on_chip_bytes = 0;        ///< bytes: held by operators, as the metric counts them
  Cycles compute_cycles = 0;      ///< cycles: `flops` on the compute of the budget; 0 without a budget
  Cycles traffic_cycles = 0;      ///< cycles: the requests of `off_chip_bytes` at the peak of the memory
  Cycles critical_cycles = 0;     ///< cycles: the chain to `critical_operator` and its own work
  std::string critical_operator;  ///< by its name in the graph; empty: none
  Cycles cycles = 0;              ///< cycles: the largest of the three
  BindingBound binding = BindingBound::None;  ///< which it is
  double energy = 0;                          ///< joules, in the workload's technology; 0 without one
  double energy_delay_product = 0;            ///< joule seconds, likewise
  std::string infeasible;  ///< why no schedule keeps the budget or the machine's memory; empty: one may
};

/// The transformations that the proofs cover; with those of compiled designs.
const FurtherSteps& provedSteps();

/// Of the plain program: the workload's own schedule is left out, any other may take its place. Errors: what
/// elaborate() and infer() refuse, and more bytes or operations than can be counted (overflow).
Result<ProgramBounds> programBounds(const Workload& workload, const KnobValues& knobs,
                                    const BoundBudget& budget = {});
/// Of every design that begins with the workload's schedule and goes on with `further` steps, any number of
/// each: a subtree of the search can be cut where these are no better than a design that is there.
Result<ProgramBounds> partialBounds(const Workload& workload, const KnobValues& knobs,
                                    const FurtherSteps& further = provedSteps(),
                                    const BoundBudget& budget = {});

/// A bound as it is reported, by the name of its member.
struct ReportedBound {
  const char *name, *title, *unit;     ///< no unit: the text of the value has it
  MetricValue value;                   ///< 0: nothing is proved
  const MetricSpec* metric = nullptr;  ///< null: one of those that `cycles` is the largest of
  bool isProved() const { return number() > 0; }
  double number() const;
};
/// All of them, in the order of tables.
std::vector<ReportedBound> reportedBounds(const ProgramBounds& bounds);
/// Of a metric by its name; absent where nothing is proved.
std::optional<double> boundOf(const ProgramBounds& bounds, const std::string& metric);

/// How far a point is from the bound of a metric.
struct BoundGap {
  const MetricSpec* metric = nullptr;
  double bound = 0;
  double value = 0;
  double ratio = 0;  ///< value over bound: 1.08 = within 1.08 of it
};
/// Of each metric that has a bound and that the point tells, in the order of the registry.
std::vector<BoundGap> withinBound(const DesignPoint& point, const ProgramBounds& bounds);

}  // namespace sluice::inline explorer
