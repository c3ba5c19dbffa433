#include "engine/schedule/compiled_values.h"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/core/extents_text.h"
#include "engine/program/spelling.h"

namespace sluice::inline schedule {
namespace {

/// "layer." of "layer.block".
std::string regionOf(const CompiledProgram& step) {
  const std::string& node = step.compilation.node;
  const std::size_t dot = node.rfind('.');
  return dot == std::string::npos ? "" : node.substr(0, dot + 1);
}

/// A tensor from outside that is given in another shape: what it would mean nobody knows.
std::optional<Diagnostic> misfit(const TensorValue& tensor, const std::string& name,
                                 const FloatTensor& given) {
  const std::vector<std::int64_t>& own = tensor.valid.empty() ? tensor.shape : tensor.valid;
  if (tensor.role == TensorRole::Activation || std::ranges::equal(own, given.shape)) return {};
  return error("shape-mismatch", Location(Where::Tensor, name),
               "it is given as " + extentsText(given.shape) + ", and the program reads " + extentsText(own),
               "give an array of the shape that the program reads, or import the model for the other shape");
}

/// The regions around each instance of the step's nodes: "layer[0].", "layer[1]." ...
std::vector<std::string> instancesOf(const FlatGraph& graph, const CompiledProgram& step) {
  std::vector<std::string> found;
  if (step.lowered.nodes.empty()) return found;
  const std::string& node = step.lowered.nodes.front();
  const std::string origin = regionOf(step) + node;
  for (const FlatOperator& op : graph.operators)
    if (op.origin == origin && op.name.ends_with(node))
      found.push_back(op.name.substr(0, op.name.size() - node.size()));
  return found;
}

/// A name that no operator has may be meant for a tensor of a program.
Diagnostics withSpellings(Diagnostics diagnostics, const std::vector<std::string>& names) {
  for (Diagnostic& one : diagnostics)
    if (one.code == "unknown-tensor" && !names.empty()) {
      one.cause = "the program reads no tensor of that name";
      one.fix = spellingFix(one.place.parts().back().name, names, one.fix);
    }
  return diagnostics;
}

}  // namespace

CompiledValues::CompiledValues(const FlatGraph& graph, std::span<const CompiledProgram> steps,
                               TensorSet& tensors, Precision precision) {
  std::set<std::string> taken;
  for (const CompiledProgram& step : steps) {
    const std::string region = regionOf(step);
    const bool alone = std::ranges::count(steps, region, regionOf) == 1;
    const std::string node = alone ? "" : step.compilation.node.substr(region.size()) + ".";
    const DataflowDesign& design = step.compilation.compiled.design;
    for (const std::string& before : instancesOf(graph, step)) {
      Instance instance{&design.program, before + node, std::make_unique<TensorSet>(), nullptr};
      for (const TensorValue& tensor : design.program.tensors) {
        auto found = tensors.find(instance.label + tensor.name);
        if (found == tensors.end()) found = tensors.find(tensor.name);
        if (found == tensors.end()) {
          if (tensor.role != TensorRole::Activation) made_up_.push_back(instance.label + tensor.name);
          continue;
        }
        if (auto wrong = misfit(tensor, found->first, found->second)) problems_.push_back(*std::move(wrong));
        instance.given->emplace(tensor.name, found->second);
        taken.insert(found->first);
      }
      instance.values =
          std::make_unique<LoweredValues>(design, step.lowered, *instance.given, before, precision);
      instances_.push_back(std::move(instance));
    }
  }
  for (const std::string& name : taken) tensors.erase(name);
}

std::vector<std::string> CompiledValues::outsideNames() const {
  std::vector<std::string> names;
  for (const Instance& instance : instances_)
    for (const TensorValue& tensor : instance.program->tensors)
      if (tensor.role != TensorRole::Activation) names.push_back(instance.label + tensor.name);
  return names;
}

TaskValuesByName CompiledValues::tasks() const {
  TaskValuesByName all;
  for (const Instance& instance : instances_)
    all.insert(instance.values->tasks().begin(), instance.values->tasks().end());
  return all;
}

void CompiledValues::addResults(TensorSet& computed) const {
  for (const Instance& instance : instances_) {
    std::vector<FloatTensor> results = instance.values->results();
    for (std::size_t i = 0; i < results.size(); ++i)
      computed.emplace(instance.label + instance.program->tensors[instance.program->results[i]].name,
                       std::move(results[i]));
  }
}

Result<TensorSet> computeCompiled(const FlatGraph& graph, const InputSet& inputs, ComputeOptions options,
                                  std::span<const CompiledProgram> steps) {
  const CompiledValues values(graph, steps, options.tensors, options.precision);
  if (!values.problems().empty()) return values.problems();
  options.tasks = values.tasks();
  if (options.made_up != nullptr) *options.made_up = values.madeUp();
  Result<TensorSet> computed = compute(graph, inputs, options);
  if (!computed) return withSpellings(computed.diagnostics(), values.outsideNames());
  values.addResults(*computed);
  return computed;
}

Result<TensorSet> computeCompiled(const FlatGraph& graph, const Document& document, const InputSet& inputs,
                                  const KnobValues& knobs, ComputeOptions options) {
  // Steps may add inputs, as those that deal out requests do.
  SLUICE_TRY(const ScheduledProgram scheduled, applySchedule(document, inputs, knobs, options.stop));
  std::vector<CompiledProgram> steps(scheduled.compiled.size());
  for (const auto& [path, program] : scheduled.compiled) steps[program->position] = *program;
  return computeCompiled(graph, scheduled.inputs, std::move(options), steps);
}

}  // namespace sluice::inline schedule
