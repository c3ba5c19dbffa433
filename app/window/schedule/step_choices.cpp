#include "app/window/schedule/step_choices.h"

#include <algorithm>

#include "engine/schedule/compiled_program.h"
#include "engine/schedule/node_roles.h"
#include "engine/tensor/dataflow/rewrites.h"
#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

/// The ends of streams in a graph, without those at the boundary of its region.
void collectEnds(const Graph& graph, const std::string& prefix, Endpoint Stream::*end,
                 std::vector<std::string>& ends) {
  for (const Stream& stream : graph.streams) {
    const Endpoint& at = stream.*end;
    if (at.node != "region") ends.push_back(prefix + at.node + "." + at.port);
  }
}

std::vector<std::string> allInputs(const Document& program) {
  std::vector<std::string> inputs;
  collectEnds(program.program, "", &Stream::to, inputs);
  for (const std::string& path : nodePaths(program)) {
    const Node* node = findNode(program, path);
    if (node->body) collectEnds(node->body->body, path + ".", &Stream::to, inputs);
  }
  return inputs;
}

std::vector<std::string> nodeCandidates(const Document& program, const ArgumentSpec& argument) {
  std::vector<std::string> fitting;
  for (const std::string& path : nodePaths(program))
    if (mayName(argument, *findNode(program, path))) fitting.push_back(path);
  return fitting;
}

std::vector<std::string> portCandidates(const Document& program, ArgumentKind kind,
                                        const std::string& region) {
  if (kind == ArgumentKind::AnyInput) {
    std::vector<std::string> inputs = allInputs(program);
    inputs.insert(inputs.begin(), "*");
    return inputs;
  }
  const Node* around = region.empty() ? nullptr : findNode(program, region);
  if (!around || !around->body) return {};
  if (kind == ArgumentKind::RegionInput) return around->body->inputs;
  std::vector<std::string> outputs;
  collectEnds(around->body->body, "", &Stream::from, outputs);
  return outputs;
}

/// Commands that add a step for a node, in the order of the menu.
const std::vector<StepOffer>& nodeSteps() {
  static const std::vector<StepOffer> offers{{"schedule.tileDynamic", {"tile", {{"method", "dynamic"}}}},
                                             {"schedule.tileStatic", {"tile", {{"method", "static"}}}},
                                             {"schedule.parallelize", {"parallelize", {}}},
                                             {"schedule.timeMultiplex", {"time_multiplex", {}}},
                                             {"schedule.fuse", {"compile_tensors", {}}},
                                             {"schedule.cut", {"hierarchical_tile", {}}},
                                             {"schedule.split", {"split", {}}}};
  return offers;
}

/// What a step works on: its first argument.
const ArgumentSpec& subjectOf(const ScheduleStep& step) {
  return findTransformation(step.transformation)->spec.arguments.front();
}

}  // namespace

std::vector<std::string> candidates(const Document& program, const ArgumentSpec& argument,
                                    const std::string& region) {
  std::vector<std::string> names = namesNode(argument)   ? nodeCandidates(program, argument)
                                   : namesPort(argument) ? portCandidates(program, argument.kind, region)
                                                         : argument.choices;
  std::vector<std::string> once;
  for (const std::string& name : names)
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  return once;
}

std::vector<std::string> designPlaces(const CompiledPrograms& compiled, const std::string& program,
                                      const DataflowRewrite& rewrite) {
  const auto found = compiled.find(program);
  if (found == compiled.end()) return {};
  const DataflowDesign& design = found->second->compilation.compiled.rewritable;
  std::vector<std::string> places;
  for (const RewriteChoice& choice : applicablePlaces(design, rewrite))
    places.push_back(placeName(design, choice.place));
  if (!places.empty()) places.insert(places.begin(), "everywhere");
  return places;
}

std::vector<std::string> stepCommands() {
  std::vector<std::string> commands;
  for (const StepOffer& offer : nodeSteps()) commands.push_back(offer.command);
  commands.push_back("schedule.depth");
  return commands;
}

std::string whyNotFused(const Document& program, const std::string& path) {
  const Node* node = findNode(program, path);
  if (!node) return "Select a tensor program to fuse its kernels";
  if (holdsTensorProgram(*node)) return {};
  const std::string what =
      node->body ? "The operators of region '" + path + "' are" : "Operator '" + path + "' is";
  return what +
         " fused already: what passes between STeP operators stays on chip, in FIFOs. Only the kernels of a "
         "tensor program can be " +
         "apart, with off-chip memory between them";
}

std::vector<StepOffer> stepsForNode(const Document& program, const std::string& path) {
  const Node* node = findNode(program, path);
  if (!node) return {};
  std::vector<StepOffer> offers;
  for (StepOffer offer : nodeSteps()) {
    const ArgumentSpec& subject = subjectOf(offer.step);
    if (!mayName(subject, *node)) continue;
    offer.step.arguments[subject.name] = Value(path);
    offers.push_back(std::move(offer));
  }
  return offers;
}

std::vector<StepOffer> stepsForStream(const Document& program, const std::string& origin) {
  const Stream* stream = findStream(program, origin);
  if (!stream || stream->to.node == "region") return {};
  const std::string region = graphOfStream(origin);
  const std::string to = (region.empty() ? "" : region + ".") + text(stream->to);
  return {{"schedule.depth", {"fifo_depth", {{"to", to}}}}};
}

}  // namespace sluice::ui
