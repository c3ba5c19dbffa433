#include "engine/figures/experiment.h"
#include "engine/core/cancelled.h"

#include <algorithm>
#include <mutex>

namespace sluice::figures {
namespace {

double activeOnChipBytes(const PointResult& result) {
  const FlatGraph& graph = result.symbolic.graph;
  double bytes = 0;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const FlatOperator& op = graph.operators[i];
    const bool fed =
        op.inputs.empty() || std::any_of(op.inputs.begin(), op.inputs.end(), [&](StreamId stream) {
          return result.simulation.streams[stream].tokens > 0;
        });
    if (fed) bytes += result.symbolic.operators[i].on_chip_bytes.value_or(0);
  }
  return bytes;
}

Result<Outcome> runOne(const Experiment& experiment, const FigureRequest& request) {
  Document document = experiment.document;
  document.machine.hbm_controller_wait = request.controller_wait;
  const auto workload = makeWorkload(std::move(document), {});
  if (!workload) return workload.diagnostics();
  KnobValues knobs = defaultKnobs(experiment.document);
  for (const auto& [name, value] : experiment.knobs) knobs[name] = value;
  Result<SymbolicResult> symbolic = evaluateSymbolic(**workload, knobs);
  if (!symbolic) return symbolic.diagnostics();
  const PointResult result =
      simulatePoint(**workload, knobs, *std::move(symbolic), RecordMode::Count, request.stop);
  if (result.point.state != PointState::Done) {
    return Diagnostic{Severity::Error, experiment.document.title,
                      "the run did not finish: " + result.point.cause, "use traces that fit, or report this"};
  }
  return Outcome{experiment.inputs, result.point.metrics, result.symbolic.total.compute.value_or(0),
                 activeOnChipBytes(result)};
}

}  // namespace

Result<std::vector<Outcome>> runAll(std::span<const Experiment> experiments, const FigureRequest& request) {
  std::vector<Outcome> outcomes(experiments.size());
  std::vector<Diagnostics> problems(experiments.size());
  std::mutex mutex;
  std::size_t done = 0;
  request.executor->parallelFor(
      experiments.size(),
      [&](std::size_t i) {
        Result<Outcome> outcome = runOne(experiments[i], request);
        if (outcome) {
          outcomes[i] = *outcome;
        } else {
          problems[i] = outcome.diagnostics();
        }
        const std::lock_guard lock(mutex);
        if (request.progress) request.progress(++done, experiments.size());
      },
      request.stop);
  if (request.stop.stop_requested()) return cancelledDiagnostic();
  for (const Diagnostics& problem : problems)
    if (!problem.empty()) return problem;
  return outcomes;
}

KnobValues knobsOf(const Document& document, const std::map<std::string, std::string>& values) {
  KnobValues knobs;
  for (const auto& [name, written] : values) {
    const auto knob = std::find_if(document.knobs.begin(), document.knobs.end(),
                                   [&name = name](const Knob& k) { return k.name == name; });
    if (knob == document.knobs.end()) throw std::logic_error("the workload has no knob '" + name + "'");
    const auto choice = std::find(knob->choices.begin(), knob->choices.end(), written);
    knobs[name] = choice != knob->choices.end() ? choice - knob->choices.begin() : std::stoll(written);
  }
  return knobs;
}

std::vector<std::int64_t> expertCounts(const Document& document) {
  const Input& routing = document.inputs.front();
  if (!routing.data) return routing.counts;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(routing.experts), 0);
  for (const std::int64_t expert : routing.data->data) ++counts[static_cast<std::size_t>(expert)];
  return counts;
}

FigureChart::Curve barCurve(std::string name, bool published, std::vector<double> values) {
  FigureChart::Curve curve{std::move(name), {}, std::move(values), {}, published};
  for (std::size_t i = 0; i < curve.y.size(); ++i) curve.x.push_back(static_cast<double>(i));
  return curve;
}

}  // namespace sluice::figures
