// Proof of sameness: both programs of a shrunk pair in functional mode, and what they store compared.

#include "engine/designer/sameness.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>
#include <vector>

#include "engine/core/enum_names.h"
#include "engine/core/extents_text.h"
#include "engine/designer/shrunk_pair.h"
#include "engine/operators/functional.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/schedule/compiled_values.h"
#include "engine/tensor/programs/tensor_values.h"

namespace sluice::inline designer {
namespace {

/// Of the largest magnitude in a tensor. Schedules add the terms of a sum in another order and float32 rounds
/// every partial sum, to 6e-8 of it: n terms of either sign end up about 6e-8 x sqrt(n) apart, 8e-6 for 2^14
/// of them, and a few sums in a row add theirs. A wrong program is further off: a single term of such a sum
/// that is missing or doubled changes it by about 1 / sqrt(n) of its magnitude, 8e-3.
constexpr double tolerance = 1e-4;

/// Tokens in FIFOs that no shrunk program fills: values do not depend on depths.
constexpr std::uint64_t deep = std::uint64_t{1} << 20;

constexpr EnumName<Sameness::Verdict> verdict_names[] = {{Sameness::Verdict::Same, "same"},
                                                         {Sameness::Verdict::Different, "different"},
                                                         {Sameness::Verdict::Unknown, "unknown"}};

// --- what programs store --------------------------------------------------------------------------------

bool deadlocked(const Result<TensorSet>& stored) {
  return !stored && std::ranges::any_of(stored.diagnostics(),
                                        [](const Diagnostic& found) { return found.code == "deadlock"; });
}

/// Whether streams feed back: a loop that has room for all its tokens may run for ever.
bool feedsBack(const FlatGraph& graph) {
  std::vector<std::size_t> open(graph.operators.size());
  std::vector<OperatorId> ready;
  for (std::size_t i = 0; i < open.size(); ++i) {
    open[i] = graph.operators[i].inputs.size();
    if (open[i] == 0) ready.push_back(static_cast<OperatorId>(i));
  }
  std::size_t reached = 0;
  for (; !ready.empty(); ++reached) {
    const FlatOperator& op = graph.operators[ready.back()];
    ready.pop_back();
    for (const StreamId stream : op.outputs)
      if (const OperatorId next = graph.streams[stream].consumer; --open[next] == 0) ready.push_back(next);
  }
  return reached < open.size();
}

/// What a scheduled program stores, or a plain one without tensor programs. A shrunk program may deadlock
/// where it does not at full size, and a plain one where its schedule makes do with less: if `may_deepen`, it
/// is run again with deep FIFOs.
Result<TensorSet> storedBy(const ScheduledProgram& scheduled, const KnobValues& knobs, bool may_deepen,
                           const std::stop_token& stop) {
  SLUICE_TRY(FlatGraph graph, elaborate(scheduled.document, knobs, builtInCatalog(), stop));
  SLUICE_CHECK(inferTypes(graph, scheduled.inputs, stop));
  std::vector<CompiledProgram> steps(scheduled.compiled.size());
  for (const auto& [path, program] : scheduled.compiled) steps[program->position] = *program;
  const auto run = [&]() -> Result<TensorSet> {
    ComputeOptions options;
    options.stop = stop;
    return computeCompiled(graph, scheduled.inputs, std::move(options), steps);
  };
  Result<TensorSet> stored = run();
  if (!may_deepen || !deadlocked(stored) || feedsBack(graph)) return stored;
  for (FlatStream& stream : graph.streams) stream.depth = std::max(stream.depth, deep);
  return run();
}

std::string regionsBefore(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot + 1);
}

/// The results of tensor programs on dense tensors, named as CompiledValues names them: "y", in a region
/// "layer[2].y", of several programs side by side "block.y".
TensorSet denseResults(const std::vector<HeldProgram>& held) {
  std::map<std::string, std::set<std::string>> side_by_side;  // by their regions
  for (const HeldProgram& one : held) side_by_side[regionsBefore(one.path)].insert(one.path);
  TensorSet results;
  for (const HeldProgram& one : held) {
    const std::string region = regionsBefore(one.path);
    const bool alone = side_by_side[region].size() == 1;
    const std::string label =
        regionsBefore(one.instance) + (alone ? "" : one.path.substr(region.size()) + ".");
    const std::vector<FloatTensor> all = tensorValues(one.program);
    for (const std::size_t result : one.program.results)
      results.emplace(label + one.program.tensors[result].name, all[result]);
  }
  return results;
}

using Stored = std::shared_ptr<const TensorSet>;

Result<Stored> storedByPlain(const Workload& plain, const KnobValues& knobs, const std::stop_token& stop) {
  SLUICE_TRY(const std::vector<HeldProgram> held, heldPrograms(plain.document, knobs, stop));
  ScheduledProgram rest{plain.document, plain.inputs};
  eraseTensorPrograms(rest.document.program);
  TensorSet stored = denseResults(held);
  if (!rest.document.program.nodes.empty()) {
    SLUICE_TRY(TensorSet others, storedBy(rest, knobs, true, stop));
    stored.merge(others);
  }
  return std::make_shared<const TensorSet>(std::move(stored));
}

// --- comparison -----------------------------------------------------------------------------------------

/// "[3, 5]" of element number `element`.
std::string placeIn(const FloatTensor& tensor, std::size_t element) {
  std::string place;
  for (std::size_t i = tensor.shape.size(); i-- > 0;) {
    const std::size_t extent = std::max<std::size_t>(tensor.shape[i], 1);
    place = std::to_string(element % extent) + (place.empty() ? "" : ", ") + place;
    element /= extent;
  }
  return "[" + place + "]";
}

std::string numberText(double number) {
  char text[32];
  (void)std::snprintf(text, sizeof text, "%.7g", number);
  return text;
}

/// The largest finite magnitude; nothing where no element is finite.
std::optional<double> magnitudeOf(const FloatTensor& tensor) {
  std::optional<double> largest;
  for (const float element : tensor.data)
    if (std::isfinite(element)) largest = std::max(largest.value_or(0), std::abs(double{element}));
  return largest;
}

/// Relative to the tensor's magnitude; what is no number equals only the like.
double differenceOf(double actual, double expected, double magnitude) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return 0;
  if (!std::isfinite(actual) || !std::isfinite(expected) || magnitude == 0) return HUGE_VAL;
  return std::abs(actual - expected) / magnitude;
}

void compareTensor(const std::string& name, const FloatTensor& expected, const FloatTensor& actual,
                   Sameness& sameness) {
  if (actual.shape != expected.shape || actual.data.size() != expected.data.size()) {
    sameness.verdict = Sameness::Verdict::Different;
    sameness.why = "tensor '" + name + "' is " + extentsText(actual.shape) + " instead of " +
                   extentsText(expected.shape);
    return;
  }
  const std::optional<double> magnitude = magnitudeOf(expected);
  if (!magnitude && !expected.data.empty()) {
    sameness.verdict = Sameness::Verdict::Unknown;
    sameness.why = "the plain program stores no finite number in tensor '" + name + "'";
    return;
  }
  for (std::size_t i = 0; i < expected.data.size(); ++i) {
    const double difference = differenceOf(actual.data[i], expected.data[i], *magnitude);
    sameness.largest_difference = std::max(sameness.largest_difference, difference);
    if (difference <= tolerance || sameness.verdict == Sameness::Verdict::Different) continue;
    sameness.verdict = Sameness::Verdict::Different;
    sameness.why = "tensor '" + name + "', element " + placeIn(expected, i) + ": " +
                   numberText(actual.data[i]) + " instead of " + numberText(expected.data[i]);
  }
}

/// Tensors that only the scheduled program stores are its own matter: a schedule may keep some of its own.
void compareAll(const TensorSet& expected, const TensorSet& actual, Sameness& sameness) {
  sameness.verdict = Sameness::Verdict::Same;
  if (expected.empty()) {
    sameness.verdict = Sameness::Verdict::Unknown;
    sameness.why = "the plain program stores no tensor that could be compared";
  }
  for (const auto& [name, tensor] : expected) {
    if (sameness.verdict != Sameness::Verdict::Same) return;
    const auto found = actual.find(name);
    if (found != actual.end()) {
      compareTensor(name, tensor, found->second, sameness);
    } else {
      sameness.verdict = Sameness::Verdict::Different;
      sameness.why = "tensor '" + name + "' is not stored";
    }
  }
}

/// Why a run gave nothing to compare.
Sameness undecided(const char* program, const Diagnostics& diagnostics) {
  Sameness sameness;
  const bool cancelled = isCancelled(diagnostics);
  sameness.why =
      (cancelled ? "" : std::string("the ") + program + " program does not run: ") + causeOf(diagnostics);
  return sameness;
}

/// Runs both programs of the pair.
Sameness samenessOf(const ShrunkPair& pair, const KnobValues& knobs, PlainPrograms& known,
                    const std::stop_token& stop) {
  const Result<Stored> expected =
      known.stored.of(pair.plain, [&] { return storedByPlain(pair.plain, knobs, stop); });
  if (!expected) return undecided("plain", expected.diagnostics());
  const Result<ScheduledProgram> scheduled =
      applySchedule(pair.scheduled.document, pair.scheduled.inputs, knobs, stop);
  if (!scheduled) return undecided("scheduled", scheduled.diagnostics());
  // At full size, FIFOs that deadlock are the design's own fault.
  const Result<TensorSet> actual = storedBy(*scheduled, knobs, !pair.sizes.empty(), stop);
  if (!actual) return undecided("scheduled", actual.diagnostics());
  Sameness sameness;
  compareAll(**expected, *actual, sameness);
  return sameness;
}

Sameness compared(const Workload& plain, const Workload& scheduled, const KnobValues& knobs,
                  PlainPrograms& known, const std::stop_token& stop) {
  Sameness sameness;
  // Fewer tokens may not fit the rest of a program, in ways that only a run tells: then all of them.
  for (const ShrunkInputs inputs : {ShrunkInputs::Yes, ShrunkInputs::No}) {
    const ShrunkPair pair = shrink(plain, scheduled, knobs, known, inputs, stop);
    if (!pair.why.empty() && !sameness.why.empty()) break;  // the first reason tells more
    if (pair.why.empty())
      sameness = samenessOf(pair, knobs, known, stop);
    else
      sameness.why = pair.why;
    sameness.sizes = pair.sizes;
    if (sameness.verdict != Sameness::Verdict::Unknown || pair.sizes.empty() || stop.stop_requested()) break;
  }
  return sameness;
}

}  // namespace

const char* text(Sameness::Verdict verdict) {
  return nameIn(verdict_names, verdict);
}

Sameness checkSameness(const Workload& workload, const KnobValues& knobs, const std::stop_token& stop) {
  return checkSameness(workload, workload, knobs, stop);
}

Sameness checkSameness(const Workload& workload, const KnobValues& knobs, PlainPrograms& known,
                       const std::stop_token& stop) {
  return compared(workload, workload, knobs, known, stop);
}

Sameness checkSameness(const Workload& plain, const Workload& scheduled, const KnobValues& knobs,
                       const std::stop_token& stop) {
  PlainPrograms known;
  return compared(plain, scheduled, knobs, known, stop);
}

}  // namespace sluice::inline designer
