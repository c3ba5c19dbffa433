#include "app/window/schedule/step_choices.h"

#include <algorithm>

#include "engine/schedule/compiled_program.h"
#include "engine/schedule/node_roles.h"
#include "engine/tensor/dataflow/rewrites.h"
#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

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
