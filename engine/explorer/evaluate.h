#pragma once
// Evaluates one design point: elaborate, infer, simulate, measure. The one path that CLI, sweep and window
// share.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>

#include "engine/explorer/cost_values.h"
#include "engine/explorer/point.h"
#include "engine/operators/inference.h"
#include "engine/operators/registry.h"
#include "engine/schedule/schedule.h"
#include "engine/simulator/result.h"

namespace sluice::inline energy {
struct Technology;
}

namespace sluice::inline explorer {

/// Where values of inputs come from that are not written in the document.
struct InputFiles {
  std::filesystem::path folder;  ///< that relative paths are taken from
  /// In place of the document's own; an empty path: values that come from no file.
  std::map<std::string, std::filesystem::path> given;
};

/// A document whose inputs are loaded: what an evaluation needs. Immutable and shared between threads.
struct Workload {
  Document document;
  InputSet inputs;
  std::shared_ptr<const Technology> technology = nullptr;  ///< the machine's; null: it has none
  std::optional<InputFiles> files = {};  ///< none: what does not fit is not blamed on inputs
};

/// Loads or generates the document's inputs. `files` replaces an input's source: input name -> .npy/.npz path
/// (the command line's --input routing=FILE). Relative paths are taken from `folder`.
Result<std::shared_ptr<const Workload>> makeWorkload(
    Document document, const std::filesystem::path& folder,
    const std::map<std::string, std::filesystem::path>& files = {});

struct SymbolicResult {
  /// The program after its schedule, with what the schedule added to the inputs; null without a schedule.
  std::shared_ptr<const ScheduledProgram> scheduled;
  FlatGraph graph;
  Inference inference;
  CostValues total;
  /// Parallel to graph.operators; a sweep (Count mode, no progress wanted) leaves them out.
  std::vector<CostValues> operators;
  KnownSymbols bound;
  Diagnostics warnings;  ///< of padding; of precheck() and checkInputs() in the session
  std::shared_ptr<const Technology> technology = nullptr;  ///< the workload's
};
Result<SymbolicResult> evaluateSymbolic(const Workload& workload, const KnobValues& knobs,
                                        const CostModel& model = {}, const std::stop_token& stop = {});

/// Fraction done in 0..1 (an estimate) and simulated cycles so far. Called from the simulating thread, at
/// most every ~30 ms.
using SimulationProgress = std::function<void(double fraction, Cycles cycle)>;
/// The fraction follows a guess from peaks of the machine: from here on it was too low, and it is unknown how
/// much is left.
constexpr double guess_holds = 0.9;

struct PointResult {
  DesignPoint point;
  SymbolicResult symbolic;  ///< with `total` completed from the run's measured symbols
  SimulationResult simulation;
};
/// A deadlock or a fault is a result (point.state), not an error. Errors: what elaborate() and infer()
/// refuse.
Result<PointResult> evaluate(const Workload& workload, const KnobValues& knobs, RecordMode mode,
                             std::stop_token stop = {}, const SimulationProgress& progress = {});
/// The second half of evaluate(), for who has the first already: `symbolic` is evaluateSymbolic() of the same
/// workload and knobs.
PointResult simulatePoint(const Workload& workload, const KnobValues& knobs, SymbolicResult symbolic,
                          RecordMode mode, std::stop_token stop = {},
                          const SimulationProgress& progress = {});
/// How evaluateBy() comes to the run of a point.
using PointRun = std::function<SimulationResult(const SymbolicResult&, const InputSet&)>;
/// simulatePoint(), counting only, with a run by `run`.
PointResult simulatePoint(const Workload& workload, const KnobValues& knobs, SymbolicResult symbolic,
                          const PointRun& run);
/// evaluate(), counting only, with a run by `run`.
Result<PointResult> evaluateBy(const Workload& workload, const KnobValues& knobs, const PointRun& run);

}  // namespace sluice::inline explorer
