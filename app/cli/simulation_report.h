#pragma once
// What `simulate` prints of a run.

#include <string>

#include "app/cli/json.h"
#include "app/cli/stalls_report.h"
#include "engine/core/float_tensor.h"
#include "engine/explorer/metrics/technology_metrics.h"
#include "engine/fifo/near_misses.h"
#include "engine/fifo/unlock.h"
#include "engine/operators/functional.h"
#include "engine/schedule/compile_tensors.h"

namespace sluice::cli {

/// What was found out about a run beside it, most of it by running it again.
struct RunFindings {
  std::optional<Unlock> unlocked;         ///< of a run with a deadlock
  std::optional<NearMisses> near_misses;  ///< of one that ended, if asked for
  std::optional<StallFindings> stalls;    ///< if asked for
  Diagnostics inputs = {};                ///< warnings of their values
};

/// What a run has stored.
struct ComputedTensors {
  TensorSet tensors;
  std::vector<std::string> made_up;  ///< tensors that it read and nobody gave
};

/// What is to be said of a run: the deadlock in which it ended, in the names of the file, why it has no
/// numbers, or that it needs more memory than there is.
Diagnostics diagnosticsOf(const std::string& file, const PointResult& result);
/// `tensors`: their shapes and sums.
Json simulationJson(const std::string& file, const Workload& workload, const PricedPoint& priced,
                    const RunFindings& findings, const ComputedTensors& computed = {});
/// Tables; the busiest operators and the fullest streams only, unless `all`.
std::string simulationText(const Workload& workload, const PointResult& result, const RunFindings& findings,
                           bool all);

/// The type of what a Printer saw.
const ElementType& printedType(const PointResult& result, const PrintedStream& printed);
/// Whether elements of a type are single numbers: the token's scalar tells them.
bool isNumber(const ElementType& type);

/// What --compute asks for.
struct ComputeArguments {
  std::string precision;             ///< "none", "float32", "bfloat16"
  std::vector<std::string> tensors;  ///< .npz or .npy files; what a later one has, it has instead
  std::string dump;                  ///< folder; empty: none
  std::string dump_npz = {};         ///< file; empty: none
};
/// The precision and the arrays of its files.
Result<ComputeOptions> computeOptions(const ComputeArguments& arguments, std::stop_token stop);
/// The tensors that the program stores, those of its tensor programs as well; written to the folder where
/// there is one.
Result<ComputedTensors> computeTensors(const FlatGraph& graph, const Workload& workload,
                                       const KnobValues& knobs, const ComputeArguments& arguments,
                                       std::stop_token stop);
std::string tensorsText(const ComputedTensors& computed);

}  // namespace sluice::cli
