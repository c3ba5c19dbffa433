#include "engine/measurements/calibration.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "engine/core/cancelled.h"
#include "engine/explorer/tables.h"
#include "engine/measurements/confirmation.h"
#include "engine/measurements/errors.h"
#include "engine/measurements/fit_document.h"
#include "engine/measurements/measured_point.h"
#include "engine/program/trust.h"

namespace sluice::inline measurements {
namespace {

constexpr std::size_t most_parameters = 16;

/// A run that the model did, beside the measured one.
struct Answer {
  double cycles = 0;
  std::vector<double> residuals;
  std::optional<Diagnostic> mismatch;  ///< the measured one is likely of another program
};

class Calibrator {
 public:
  Calibrator(const CalibrationRequest& request, Executor& executor)
      : request_(request),
        executor_(executor),
        fit_(numbersOf(request.parameters), [this](auto points) { return evaluateAll(points); }) {}

  Result<Calibration> run() {
    SLUICE_CHECK(preparePoints());
    SLUICE_CHECK(checkStart());
    const WholePoint before = fit_.start();
    WholePoint after = fit_.fit();
    Calibration result;
    while (leaveOne(after, result.parameters)) {
    }
    if (request_.stop.stop_requested()) return cancelledDiagnostic();  // not everything was evaluated
    for (std::size_t i = 0; i < points_.size(); ++i)
      result.runs.push_back({request_.runs[i].place,
                             request_.runs[i].at,
                             request_.runs[i].cycles,
                             cycles_.at(before)[i],
                             cycles_.at(after)[i],
                             {}});
    leaveOut(after, result);
    if (request_.stop.stop_requested()) return cancelledDiagnostic();
    result.error_before = meanError(result, &CalibratedRun::before);
    result.error_after = meanError(result, &CalibratedRun::after);
    result.evaluations = fit_.evaluations();
    result.ignored.assign(ignored_.begin(), ignored_.end());
    result.notes = mismatches_;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (auto other = otherPoint(request_.runs[i].point, *points_[i].workload, points_[i].knobs))
        result.notes.push_back(*std::move(other));
    for (const FittedParameter& each : result.parameters)
      if (each.undetermined()) result.notes.push_back(undetermined(each));
    std::ranges::move(unusedColumns(ignored_, request_.workload->document), std::back_inserter(result.notes));
    result.document = request_.workload->document;
    KnobValues knobs;
    setNumbers(request_.parameters, after, result.document, knobs);
    if (!std::ranges::all_of(result.parameters, &FittedParameter::left))
      result.document.provenance =
          Provenance{Trust::Calibrated, source(result), detail(result), coveredContent(result.document)};
    return result;
  }

 private:
  static std::vector<WholeParameter> numbersOf(const std::vector<FitParameter>& parameters) {
    std::vector<WholeParameter> numbers;
    for (const FitParameter& each : parameters) numbers.push_back(each.number);
    return numbers;
  }

  Result<Done> preparePoints() {
    const auto wrong = [](std::string cause, std::string fix) {
      return error("too-few-measurements", "the measurements", std::move(cause), std::move(fix));
    };
    if (request_.runs.empty()) return wrong("there are none", "give at least one file");
    if (request_.parameters.size() > most_parameters)
      return error("too-many", "the fit", "there are more than 16 numbers to fit", "fit fewer at once");
    for (const MeasuredRun& run : request_.runs) {
      if (run.cycles && *run.cycles <= 0)
        return wrong("a run took no cycles", "leave " + text(run.place) + " out");
      if (!run.cycles && run.operators.empty())
        return wrong("a run has neither cycles nor operators", "leave " + text(run.place) + " out");
      for (const FitParameter& parameter : request_.parameters)
        if (run.at.contains(parameter.name))
          return error("conflicting-options", run.place,
                       "the measurement says what '" + parameter.name + "' is", "do not fit it");
      SLUICE_TRY(MeasuredPoint point, measuredPoint(request_.workload, request_.knobs, run, ignored_));
      points_.push_back(std::move(point));
    }
    return Done{};
  }

  /// What is wrong at the numbers that the document has is reported; elsewhere it is no point of the fit.
  Result<Done> checkStart() {
    std::size_t numbers = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      SLUICE_TRY(const Answer answer, answerOf(fit_.start(), i));
      if (answer.mismatch) mismatches_.push_back(*answer.mismatch);
      numbers += answer.residuals.size();
    }
    if (numbers >= request_.parameters.size()) return Done{};
    return error("too-few-measurements", "the measurements",
                 "they have " + std::to_string(numbers) + (numbers == 1 ? " number; " : " numbers; ") +
                     std::to_string(request_.parameters.size()) + " are to be fitted",
                 "measure more, or fit fewer numbers");
  }

  /// The parameters of the fit; if the last of those that may not be determined can be left where it was, it
  /// is, and there is another fit.
  bool leaveOne(WholePoint& after, std::vector<FittedParameter>& parameters) {
    const std::vector<std::optional<double>> widths = fit_.halfWidths(after);
    parameters.resize(after.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      const FitParameter& asked = request_.parameters[i];
      parameters[i] = {asked.name, asked.number.start, after[i],
                       widths[i],  asked.number.range, parameters[i].left};
    }
    for (std::size_t i = after.size(); i-- > 0 && !request_.stop.stop_requested();) {
      if (parameters[i].left || !parameters[i].doubtful()) continue;
      const std::optional<WholePoint> without = fit_.leave(i, after);
      parameters[i].excludes_before = !without && fit_.freedom(after) > 0;
      if (!without) continue;
      after = *without;
      return parameters[i].left = true;
    }
    return false;
  }

  Result<Answer> answerOf(const WholePoint& numbers, std::size_t index) const {
    const MeasuredPoint& at = points_[index];
    const MeasuredRun& run = request_.runs[index];
    Workload workload = *at.workload;
    KnobValues knobs = at.knobs;
    setNumbers(request_.parameters, numbers, workload.document, knobs);
    const RecordMode mode = run.operators.empty() ? RecordMode::Count : RecordMode::Timeline;
    SLUICE_TRY(const PointResult model, evaluate(workload, knobs, mode, request_.stop));
    if (model.point.state != PointState::Done && model.point.state != PointState::Infeasible)
      return error("run-failed", run.place,
                   "the model's run " + std::string(text(model.point.state)) + ": " + model.point.cause,
                   "leave the run out, or calibrate a program that ends");
    Answer answer{static_cast<double>(model.simulation.cycles), {}, {}};
    const double unit = run.cycles ? *run.cycles : answer.cycles;
    if (run.cycles) answer.residuals.push_back((answer.cycles - *run.cycles) / unit);
    if (run.operators.empty()) return answer;
    SLUICE_TRY(const ModelErrors errors, modelErrors(model, run));
    answer.mismatch = likelyMismatch(errors.matching, run);
    for (const OperatorErrors& row : errors.operators) {
      for (const ModelAndMeasured& each : row.of)
        if (const auto difference = each.difference()) answer.residuals.push_back(*difference / unit);
      if (const auto difference = row.total.difference()) answer.residuals.push_back(*difference / unit);
    }
    return answer;
  }

  std::vector<std::optional<Residuals>> evaluateAll(std::span<const WholePoint> points) {
    const std::size_t runs = points_.size();
    std::vector<std::optional<Answer>> answers(points.size() * runs);
    executor_.parallelFor(
        answers.size(),
        [&](std::size_t i) {
          if (Result<Answer> answer = answerOf(points[i / runs], i % runs)) answers[i] = *std::move(answer);
        },
        request_.stop);
    std::vector<std::optional<Residuals>> all(points.size());
    for (std::size_t p = 0; p < points.size(); ++p) {
      Residuals residuals;
      std::vector<double> cycles;
      for (std::size_t r = 0; r < runs && answers[p * runs + r]; ++r) {
        residuals.push_back(std::move(answers[p * runs + r]->residuals));
        cycles.push_back(answers[p * runs + r]->cycles);
      }
      if (residuals.size() < runs) continue;
      tell(cycles);
      cycles_[points[p]] = std::move(cycles);
      all[p] = std::move(residuals);
    }
    return all;
  }

  void tell(const std::vector<double>& cycles) {
    double error = 0;
    for (std::size_t i = 0; i < cycles.size(); ++i)
      if (const auto& measured = request_.runs[i].cycles)
        error += std::abs(cycles[i] - *measured) / *measured / static_cast<double>(cycles.size());
    least_error_ = std::min(least_error_, error);
    if (request_.progress) request_.progress(cycles_.size() + 1, least_error_);
  }

  /// Each run by the fit to all others, where enough is left for one.
  void leaveOut(const WholePoint& after, Calibration& result) {
    const Residuals* residuals = fit_.at(after);
    if (!residuals || points_.size() < 2) return;
    std::size_t all = 0;
    for (const auto& each : *residuals) all += each.size();
    for (std::size_t i = 0; i < points_.size() && !request_.stop.stop_requested(); ++i) {
      if (all - residuals->at(i).size() < request_.parameters.size()) continue;
      const WholePoint without = fit_.fitFrom(after, i);
      if (const auto found = cycles_.find(without); found != cycles_.end())
        result.runs[i].left_out = found->second[i];
    }
    double sum = 0;
    std::size_t count = 0;
    for (const CalibratedRun& run : result.runs)
      if (run.left_out && run.measured)
        sum += std::abs(*run.left_out - *run.measured) / *run.measured, ++count;
    if (count > 0) result.error_left_out = sum / static_cast<double>(count);
  }

  static double meanError(const Calibration& result, double CalibratedRun::*cycles) {
    double sum = 0;
    std::size_t count = 0;
    for (const CalibratedRun& run : result.runs)
      if (run.measured) sum += std::abs(run.*cycles - *run.measured) / *run.measured, ++count;
    return count == 0 ? 0 : sum / static_cast<double>(count);
  }

  static std::string shareText(double share) {
    std::string digits = std::to_string(std::round(share * 1000) / 10);
    return digits.substr(0, digits.find('.') + 2) + " %";
  }

  static Diagnostic undetermined(const FittedParameter& number) {
    std::string cause = std::to_string(number.after);
    if (number.left)
      cause += " is left: these runs do not tell it from other numbers";
    else if (number.atBound())
      cause += ", where the fit ended, is a bound (" + text(number.range) + "); the best may lie beyond";
    else if (number.half_width)
      cause += " ± " + std::to_string(static_cast<std::int64_t>(std::ceil(*number.half_width))) +
               " is no more exact than the number is large";
    else if (number.excludes_before)
      cause += " fits no better than numbers near it";
    else
      cause += " fits, and there are no measurements left to tell how exact it is";
    if (number.excludes_before)
      cause += std::string("; these runs tell only that it is ") +
               (number.after > number.before ? "more" : "less") + " than " + std::to_string(number.before);
    return warning("undetermined-number", Location(Where::Option, "--fit " + number.name), cause,
                   "measure runs that depend on it more, leave it out of the fit, or give other bounds");
  }

  /// The label of every number that comes of it names what was not determined.
  std::string source(const Calibration& result) const {
    std::string names;
    for (const FittedParameter& each : result.parameters)
      if (each.undetermined()) names += (names.empty() ? "" : ", ") + each.name;
    return names.empty() ? request_.source : request_.source + "; not determined by them: " + names;
  }

  static std::string detail(const Calibration& result) {
    std::string words;
    for (const FittedParameter& each : result.parameters) {
      words += (words.empty() ? "" : ", ") + each.name + " " + std::to_string(each.after);
      if (each.half_width)
        words += " ± " + std::to_string(static_cast<std::int64_t>(std::ceil(*each.half_width)));
      if (each.left)
        words += " (as it was, not determined)";
      else if (each.undetermined())
        words += each.atBound() ? " (at its bound, not determined" : " (not determined";
      if (!each.left && each.undetermined())
        words += each.excludes_before ? std::string(", but ") + (each.after > each.before ? "more" : "less") +
                                            " than " + std::to_string(each.before) + ")"
                                      : ")";
    }
    words += "; mean error " + shareText(result.error_after) + ", before " + shareText(result.error_before);
    if (result.error_left_out) words += ", leaving each run out " + shareText(*result.error_left_out);
    return words;
  }

  const CalibrationRequest& request_;
  Executor& executor_;
  std::vector<MeasuredPoint> points_;
  std::map<WholePoint, std::vector<double>> cycles_;
  std::set<std::string> ignored_;
  Diagnostics mismatches_;
  double least_error_ = std::numeric_limits<double>::infinity();
  LeastSquares fit_;
};

}  // namespace

bool FittedParameter::doubtful() const {
  return undetermined() || std::abs(static_cast<double>(after - before)) > *half_width;
}

bool FittedParameter::undetermined() const {
  return left || atBound() || !half_width || *half_width >= std::max(1.0, static_cast<double>(after));
}

Result<Calibration> calibrate(const CalibrationRequest& request, Executor& executor) {
  return Calibrator(request, executor).run();
}

}  // namespace sluice::inline measurements
