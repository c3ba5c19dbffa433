#pragma once
// The model beside a measurement: how far off the run is, and every operator and stream that was measured, by
// what the cycles went to.

#include <string>
#include <vector>

#include "engine/explorer/evaluate.h"
#include "engine/measurements/matching.h"
#include "engine/measurements/measurement.h"

namespace sluice::inline measurements {

/// A number of both; absent where one has none.
struct ModelAndMeasured {
  std::optional<double> model, measured;

  std::optional<double> difference() const;  ///< model - measured
  std::optional<double> error() const;       ///< that, as a share of what was measured; absent for 0
};

/// A node of the document; instances of a region are summed, those that were measured.
struct OperatorErrors {
  std::string place, kind;
  std::size_t count = 0;
  MatchedBy by = MatchedBy::Name;
  std::array<ModelAndMeasured, activities> of;  ///< cycles, by Activity
  ModelAndMeasured total, finished;             ///< cycles

  const ModelAndMeasured& operator[](Activity activity) const {
    return of[static_cast<std::size_t>(activity)];
  }
  /// Sum over the activities that both have of what lies between them; without any, of the total.
  double distance() const;
};

struct StreamErrors {
  StreamId id = 0;
  std::string name;
  MatchedBy by = MatchedBy::Name;
  ModelAndMeasured tokens, most;
  std::optional<double> no_token, no_slot;  ///< cycles, as measured
};

struct ModelErrors {
  ModelAndMeasured cycles;                      ///< of the run
  std::array<ModelAndMeasured, activities> of;  ///< summed over the operators that were measured
  std::vector<OperatorErrors> operators;        ///< largest distance first
  std::vector<StreamErrors> streams;            ///< in the order of the program
  Matching matching;
};

/// What an operator's cycles went to in the model. The run must have a timeline.
ActivityCycles modelCycles(const SimulationResult& run, OperatorId op);

/// `model` must have a timeline. Errors: as match() gives them.
Result<ModelErrors> modelErrors(const PointResult& model, const MeasuredRun& run);

/// A row for each activity of each operator: place, kind, instances, matched_by, activity, model_cycles,
/// measured_cycles, error_cycles; the run first, as "*".
std::string errorsCsv(const ModelErrors& errors);

}  // namespace sluice::inline measurements
