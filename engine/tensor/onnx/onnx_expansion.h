#pragma once
// One operator of ONNX as several simpler ones: what the rules of expansions/ build with.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor/onnx/onnx_inference.h"

namespace sluice::inline tensor {

/// The simpler nodes of one. A rule that adds none leaves the node as it is.
class OnnxExpansion {
 public:
  OnnxExpansion(OnnxGraph& graph, const OnnxNode& whole) : node(whole), graph_(graph) {}

  const OnnxNode& node;
  std::vector<OnnxNode> made;

  bool has(std::size_t input) const { return input < node.inputs.size() && !node.inputs[input].empty(); }
  std::string in(std::size_t input) const { return has(input) ? node.inputs[input] : ""; }
  bool wants(std::size_t output) const {
    return output < node.outputs.size() && !node.outputs[output].empty();
  }
  std::int64_t opset() const { return graph_.opset; }
  const OnnxValue* value(const std::string& name) const {
    const auto found = graph_.values.find(name);
    return found == graph_.values.end() ? nullptr : &found->second;
  }

  std::string add(const std::string& op, std::vector<std::string> inputs) {
    const std::string result = node.outputs[0] + " part " + std::to_string(made.size() + 1);
    made.push_back({op, node.name, std::move(inputs), {result}, {}, {}, {}, {}});
    return result;
  }
  /// What was added last makes a result of the node.
  void give(std::size_t output = 0) { made.back().outputs[0] = node.outputs[output]; }
  /// Over one dimension, which becomes 1.
  std::string reduced(const std::string& op, const std::string& x, std::int64_t axis) {
    const std::string result = add(op, {x});
    made.back().lists["axes"] = {axis};
    return result;
  }
  std::string unsqueezed(const std::string& x, std::int64_t axis) {
    const std::string result = add("Unsqueeze", {x});
    made.back().lists["axes"] = {axis};
    return result;
  }
  std::string number(double number, std::int64_t type = onnx_float) { return constant({number}, {}, type); }
  std::string shapeOf(std::vector<double> extents) {
    const auto rank = static_cast<std::int64_t>(extents.size());
    return constant(std::move(extents), {rank}, onnx_int64);
  }

 private:
  std::string constant(std::vector<double> elements, OnnxShape shape, std::int64_t type) {
    const std::string name = node.outputs[0] + " number " + std::to_string(++constants_);
    OnnxValue own;
    own.shape = std::move(shape);
    own.type = type;
    own.constant = true;
    own.elements = std::move(elements);
    graph_.values[name] = std::move(own);
    return name;
  }

  OnnxGraph& graph_;
  std::size_t constants_ = 0;
};

struct OnnxExpansionRule {
  std::string_view op;
  void (*expand)(OnnxExpansion&);
};

/// Null: an operator of that name is none that is expanded.
const OnnxExpansionRule* onnxExpansionRule(std::string_view op);

}  // namespace sluice::inline tensor
