#pragma once
// Calibration: numbers of the machine and of the workload that make the model's runs most like measured ones.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/executor.h"
#include "engine/explorer/evaluate.h"
#include "engine/measurements/least_squares.h"
#include "engine/measurements/measurement.h"

namespace sluice::inline measurements {

/// A number of the document that is fitted: of its machine, a constant, or a knob.
struct FitParameter {
  enum class Kind : std::uint8_t { Machine, Timing, Constant, Knob };

  std::string name;  ///< the machine's key ("hbm_latency"), of its memory's timing ("tCL"), or the name
  Kind kind = Kind::Constant;
  WholeParameter number;
};

/// "NAME" or "NAME=LEAST:MOST"; "machine.NAME" where a constant or a knob has the same name. Errors: nothing
/// of that name, an expression, which is no number of its own, bounds that do not hold its value.
Result<FitParameter> fitParameter(const Document& document, const KnobValues& knobs, const std::string& text);

struct CalibrationRequest {
  std::shared_ptr<const Workload> workload;
  KnobValues knobs;
  std::vector<MeasuredRun> runs;  ///< each with its cycles or its operators
  std::vector<FitParameter> parameters;
  std::string source;  ///< of the provenance: what was measured
  std::stop_token stop;
  std::function<void(std::size_t evaluations, double error)> progress;  ///< from one thread
};

struct FittedParameter {
  std::string name;
  std::int64_t before = 0, after = 0;
  std::optional<double>
      half_width;     ///< of the 95 % confidence interval; absent: the measurements do not tell
  Range range;        ///< of the numbers that were tried
  bool left = false;  ///< the measurements do not tell another number from the one before, which it keeps
  bool excludes_before = false;  ///< they tell it from the one before, at 95 %
  bool atBound() const { return after == range.minimum || after == range.maximum; }
  /// The measurements do not say what it is: it is at a bound, or its interval is as wide as itself.
  bool undetermined() const;
  /// Or it may not be: the interval of a model that is taken as linear does not hold the number before, which
  /// may fit as well where others make up for it.
  bool doubtful() const;
};

struct CalibratedRun {
  Location place;
  std::map<std::string, std::int64_t> at;
  std::optional<double> measured;  ///< cycles of the run
  double before = 0, after = 0;    ///< those of the model
  std::optional<double> left_out;  ///< those of the model when it was fitted without this run
};

struct Calibration {
  std::vector<FittedParameter> parameters;
  std::vector<CalibratedRun> runs;
  double error_before = 0, error_after = 0;  ///< mean of |model - measured| / measured over the runs' cycles
  std::optional<double> error_left_out;      ///< the same, each run by the fit to all others
  std::size_t evaluations = 0;               ///< sets of numbers that were tried
  Document document;                         ///< with the numbers and their provenance
  std::vector<std::string> ignored;          ///< columns that are neither knobs nor constants
  Diagnostics notes;  ///< runs that are likely of another program, numbers that the runs do not determine
};

/// Squares of what runs and operators are off, as shares of the measured run's cycles, are made least. A
/// number that is doubtful then, and fits as well where it was (the F test at 95 %), is left there; if all
/// are, nothing is calibrated. Errors: nothing measured, fewer numbers measured than fitted, runs that the
/// model cannot do, a stop request.
Result<Calibration> calibrate(const CalibrationRequest& request, Executor& executor);

}  // namespace sluice::inline measurements
