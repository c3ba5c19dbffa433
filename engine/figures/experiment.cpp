#include "engine/figures/experiment.h"
#include "engine/core/cancelled.h"
#include "engine/figures/built_experiment.h"

#include <algorithm>
#include <mutex>

namespace sluice::inline figures {
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

/// A choice knob's value by its text, a document's knobs by name.
KnobValues knobsOf(const Document& document, const std::map<std::string, std::string>& values) {
  KnobValues knobs = defaultKnobs(document);
  for (const auto& [name, written] : values) {
    const auto knob = std::ranges::find(document.knobs, name, &Knob::name);
    if (knob == document.knobs.end()) throw std::logic_error("the workload has no knob '" + name + "'");
    const auto choice = std::ranges::find(knob->choices, written);
    knobs[name] = choice != knob->choices.end() ? choice - knob->choices.begin() : std::stoll(written);
  }
  return knobs;
}

std::vector<std::int64_t> expertTokens(const Input& routing) {
  if (!routing.data) return routing.counts;
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(routing.experts), 0);
  for (const std::int64_t expert : routing.data->data) ++tokens[static_cast<std::size_t>(expert)];
  return tokens;
}

Result<Outcome> run(const BuiltExperiment& built, const std::stop_token& stop) {
  SLUICE_TRY(SymbolicResult symbolic, evaluateSymbolic(*built.workload, built.knobs));
  const PointResult result =
      simulatePoint(*built.workload, built.knobs, std::move(symbolic), RecordMode::Count, stop);
  if (result.point.state != PointState::Done) {
    return error("run-not-finished", built.workload->document.title,
                 "the run did not finish: " + result.point.cause, "use traces that fit, or report this");
  }
  return Outcome{built.inputs, result.point.metrics, result.symbolic.total.compute.value_or(0),
                 activeOnChipBytes(result), built.expert_tokens};
}

}  // namespace

Diagnostic noFolderOfTraces(const std::filesystem::path& folder) {
  return error("file-not-found", Location(Where::File, folder.string()), "there is no such folder",
               "give the folder of the papers' traces, or none to run on synthetic input");
}

Result<BuiltExperiment> build(const Experiment& experiment, const FigureRequest& request) {
  SLUICE_TRY(Document document, buildWorkload(experiment.workload, experiment.model, experiment.sizes));
  document.machine.hbm_controller_wait = request.controller_wait;
  BuiltExperiment built;
  Traces traces(request.traces);
  for (Input& input : document.inputs) {
    const bool routing = input.kind == InputKind::Routing;
    if (routing && !experiment.routing.empty()) {
      input.counts = experiment.routing;
    } else {
      SLUICE_TRY(const FigureInputs bound,
                 routing ? traces.bindRouting(input, experiment.model)
                         : traces.bindLengths(input, experiment.batch, experiment.start));
      built.inputs.add(bound);
    }
    if (routing) built.expert_tokens = expertTokens(input);
  }
  built.knobs = knobsOf(document, experiment.knobs);
  SLUICE_TRY(built.workload, makeWorkload(std::move(document), {}));
  return built;
}

Result<Done> runJobs(std::size_t count, const std::function<Result<Done>(std::size_t)>& job,
                     const FigureRequest& request) {
  std::vector<Diagnostics> problems(count);
  std::mutex mutex;
  std::size_t finished = 0;
  request.executor->parallelFor(
      count,
      [&](std::size_t number) {
        if (const Result<Done> done = job(number); !done) problems[number] = done.diagnostics();
        const std::lock_guard lock(mutex);
        if (request.progress) request.progress(++finished, count);
      },
      request.stop);
  if (request.stop.stop_requested()) return cancelledDiagnostic();
  for (const Diagnostics& problem : problems)
    if (!problem.empty()) return problem;
  return Done{};
}

Result<std::vector<Outcome>> runAll(const std::vector<Experiment>& experiments,
                                    const FigureRequest& request) {
  std::vector<BuiltExperiment> built;
  for (const Experiment& experiment : experiments) {
    if (request.stop.stop_requested()) return cancelledDiagnostic();
    SLUICE_TRY(BuiltExperiment one, build(experiment, request));
    built.push_back(std::move(one));
  }
  std::vector<Outcome> outcomes(experiments.size());
  const auto job = [&](std::size_t number) -> Result<Done> {
    SLUICE_TRY(outcomes[number], run(built[number], request.stop));
    return Done{};
  };
  SLUICE_CHECK(runJobs(experiments.size(), job, request));
  return outcomes;
}

}  // namespace sluice::inline figures
