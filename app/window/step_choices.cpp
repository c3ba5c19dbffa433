#include "app/window/step_choices.h"

#include <algorithm>

#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

bool isProduct(const Node& node) {
  if (node.kind != "BinaryMap" && node.kind != "BinaryMapAccum") return false;
  const auto function = node.parameters.find("function");
  const std::string name = function == node.parameters.end() ? "matmul" : text(function->second);
  return name == "matmul" || name == "dynamic_matmul";
}

bool isLoad(const Node& node) {
  return node.kind.ends_with("OffChipLoad");
}

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

std::vector<std::string> nodeCandidates(const Document& program, const std::string& argument) {
  std::vector<std::string> fitting;
  for (const std::string& path : nodePaths(program)) {
    const Node& node = *findNode(program, path);
    const bool region = static_cast<bool>(node.body);
    const bool fits = argument == "region"    ? region
                      : argument == "load"    ? isLoad(node)
                      : argument == "node"    ? isProduct(node)
                      : argument == "program" ? node.kind == "TensorProgram"
                                              : !region;
    if (fits) fitting.push_back(path);
  }
  return fitting;
}

std::vector<std::string> portCandidates(const Document& program, const std::string& argument,
                                        const std::string& region) {
  const Node* around = region.empty() ? nullptr : findNode(program, region);
  if (argument == "to") {
    std::vector<std::string> inputs = allInputs(program);
    inputs.insert(inputs.begin(), "*");
    return inputs;
  }
  if (!around || !around->body) return {};
  if (argument == "input") return around->body->inputs;
  std::vector<std::string> outputs;
  collectEnds(around->body->body, "", &Stream::from, outputs);
  return outputs;
}

}  // namespace

std::vector<std::string> candidates(const Document& program, const ArgumentSpec& argument,
                                    const std::string& region) {
  std::vector<std::string> names =
      argument.kind == ArgumentKind::Node   ? nodeCandidates(program, argument.name)
      : argument.kind == ArgumentKind::Port ? portCandidates(program, argument.name, region)
                                            : argument.choices;
  std::vector<std::string> once;
  for (const std::string& name : names)
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  return once;
}

std::vector<std::string> stepCommands() {
  return {"schedule.tileDynamic", "schedule.tileStatic", "schedule.parallelize", "schedule.timeMultiplex",
          "schedule.fuse",        "schedule.cut",        "schedule.split",       "schedule.depth"};
}

std::string whyNotFused(const Document& program, const std::string& path) {
  const Node* node = findNode(program, path);
  if (!node) return "Select a tensor program to fuse its kernels";
  if (node->kind == "TensorProgram") return {};
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
  if (node->kind == "TensorProgram") return {{"schedule.fuse", {"compile_tensors", {{"program", path}}}}};
  if (node->body) {
    return {{"schedule.tileDynamic", {"tile", {{"region", path}, {"method", "dynamic"}}}},
            {"schedule.tileStatic", {"tile", {{"region", path}, {"method", "static"}}}},
            {"schedule.parallelize", {"parallelize", {{"region", path}}}},
            {"schedule.timeMultiplex", {"time_multiplex", {{"region", path}}}}};
  }
  if (isProduct(*node)) return {{"schedule.cut", {"hierarchical_tile", {{"node", path}}}}};
  if (isLoad(*node)) return {{"schedule.split", {"split", {{"load", path}}}}};
  return {};
}

std::vector<StepOffer> stepsForStream(const Document& program, const std::string& origin) {
  const Stream* stream = findStream(program, origin);
  if (!stream || stream->to.node == "region") return {};
  const std::string region = origin.substr(0, origin.rfind('#'));
  const std::string to = (region.empty() ? "" : region + ".") + text(stream->to);
  return {{"schedule.depth", {"fifo_depth", {{"to", to}}}}};
}

}  // namespace sluice::ui
