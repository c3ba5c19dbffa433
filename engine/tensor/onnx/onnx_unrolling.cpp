#include "engine/tensor/onnx/onnx_unrolling.h"

#include <algorithm>

#include "engine/tensor/onnx/onnx_inference.h"

namespace sluice::inline tensor {
namespace {

constexpr std::int64_t most_iterations = 512;
constexpr std::size_t most_nodes = std::size_t{1} << 17;

std::string inputOf(const OnnxNode& node, std::size_t i) {
  return i < node.inputs.size() ? node.inputs[i] : "";
}

/// Null: the graph has no such value.
const OnnxValue* known(const OnnxGraph& graph, const std::string& name) {
  const auto found = graph.values.find(name);
  return found == graph.values.end() ? nullptr : &found->second;
}

}  // namespace

OnnxUnrolling::OnnxUnrolling(OnnxGraph& graph, const OnnxNode& node) : graph_(graph), node_(node) {
  const auto body = node.bodies.find("body");
  if (body == node.bodies.end() || node.outputs.empty()) return;
  body_ = body->second.get();
  const std::size_t first = isLoop() ? 2 : 0, behind = isLoop() ? 1 : 0;
  const std::size_t states = this->states();
  if (node.inputs.size() < first + states || body_->outputs.size() < behind + states ||
      body_->outputs.size() - behind != node.outputs.size()) {
    body_ = nullptr;
    return;
  }
  state_.assign(node.inputs.begin() + static_cast<std::ptrdiff_t>(first),
                node.inputs.begin() + static_cast<std::ptrdiff_t>(first + states));
  if (isLoop()) condition_ = inputOf(node, 1);
  given_.resize(node.outputs.size() - states);
}

std::size_t OnnxUnrolling::states() const {
  const auto parts = static_cast<std::size_t>(std::clamp<std::int64_t>(
      integerOf(node_, "num_scan_inputs", 0), 0, static_cast<std::int64_t>(node_.inputs.size())));
  return isLoop() ? node_.inputs.size() - std::min<std::size_t>(2, node_.inputs.size())
                  : node_.inputs.size() - parts;
}

/// "out/body/x" as "out/body[3]/x". Constants of the body are those of all iterations.
std::string OnnxUnrolling::inThis(const std::string& name) const {
  const std::string before = nameInBody(node_.outputs[0], "body", "");
  const OnnxValue* const value = known(graph_, name);
  if (!name.starts_with(before) || (value != nullptr && value->constant)) return name;
  return nameInBody(node_.outputs[0], "body[" + std::to_string(done_) + "]", name.substr(before.size()));
}

OnnxNode OnnxUnrolling::inThis(OnnxNode node) const {
  for (auto* names : {&node.inputs, &node.outputs})
    for (std::string& name : *names) name = inThis(name);
  std::set<std::string> captured;
  for (const std::string& name : node.captured) captured.insert(inThis(name));
  node.captured = std::move(captured);
  for (auto& [which, body] : node.bodies) {
    auto own = std::make_shared<OnnxBody>(*body);
    for (OnnxNode& inner : own->nodes) inner = inThis(std::move(inner));
    for (auto* names : {&own->inputs, &own->outputs})
      for (std::string& name : *names) name = inThis(name);
    body = std::move(own);
  }
  node.name += " [" + std::to_string(done_) + "]";
  return node;
}

void OnnxUnrolling::addConstant(const std::string& name, std::int64_t type, double number) {
  OnnxValue value;
  value.shape = OnnxShape{};
  value.type = type;
  value.constant = true;
  value.elements = {number};
  graph_.values[name] = std::move(value);
}

std::int64_t OnnxUnrolling::listed(const char* attribute, std::size_t i) const {
  const auto list = node_.lists.find(attribute);
  return list != node_.lists.end() && i < list->second.size() ? list->second[i] : 0;
}

/// Of what a Scan walks.
std::optional<std::int64_t> OnnxUnrolling::length() const {
  std::optional<std::int64_t> all;
  for (std::size_t i = states(); i < node_.inputs.size(); ++i) {
    const OnnxValue* const value = known(graph_, node_.inputs[i]);
    if (value == nullptr || !value->shape) return {};
    const auto axis = dimensionOf(listed("scan_input_axes", i - states()), value->shape->size());
    if (!axis || (all && all != (*value->shape)[*axis])) return {};
    all = (*value->shape)[*axis];
  }
  return all;
}

std::optional<bool> OnnxUnrolling::goesOn() const {
  if (body_ == nullptr || (!isLoop() && graph_.opset < 9)) return {};
  std::optional<std::int64_t> trips;
  if (!isLoop()) {
    if (!(trips = length())) return {};
  } else if (const std::string most = inputOf(node_, 0); !most.empty()) {
    const OnnxValue* const value = known(graph_, most);
    if (value == nullptr || !value->constant || !value->number()) return {};
    trips = integerFrom(*value->number());
  }
  if (trips && done_ >= *trips) return false;
  if (!condition_.empty()) {
    const OnnxValue* const value = known(graph_, condition_);
    if (value == nullptr || !value->constant || !value->number()) return {};
    if (*value->number() == 0) return false;
  }
  if (done_ == most_iterations || static_cast<std::size_t>(done_ + 1) * body_->nodes.size() > most_nodes)
    return {};
  return true;
}

/// What the body's inputs are in this iteration.
std::vector<OnnxNode> OnnxUnrolling::inputs() {
  std::vector<OnnxNode> nodes;
  const std::string name = node_.name + " [" + std::to_string(done_) + "]";
  const auto isState = [&](std::size_t i) { return i < state_.size(); };
  const std::size_t first = isLoop() ? 2 : 0;
  for (std::size_t i = 0; i < body_->inputs.size(); ++i) {
    const std::string own = inThis(body_->inputs[i]);
    if (isLoop() && i < 2) {
      addConstant(own, i == 0 ? onnx_int64 : onnx_bool, i == 0 ? static_cast<double>(done_) : 1);
    } else if (isState(i - first)) {
      nodes.push_back({"Identity", name, {state_[i - first]}, {own}, {}, {}, {}, {}});
    } else if (const std::size_t part = i - first - state_.size();
               state_.size() + part < node_.inputs.size()) {
      const bool backwards = listed("scan_input_directions", part) != 0;
      addConstant(own + " at", onnx_int64, static_cast<double>(backwards ? *length() - 1 - done_ : done_));
      nodes.push_back(
          {"Gather", name, {node_.inputs[state_.size() + part], own + " at"}, {own}, {}, {}, {}, {}});
      nodes.back().integers["axis"] = listed("scan_input_axes", part);
    }
  }
  return nodes;
}

std::vector<OnnxNode> OnnxUnrolling::iteration() {
  std::vector<OnnxNode> nodes = inputs();
  for (const OnnxNode& node : body_->nodes) nodes.push_back(inThis(node));
  const std::size_t behind = isLoop() ? 1 : 0;
  if (isLoop() && !condition_.empty()) condition_ = inThis(body_->outputs[0]);
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] = inThis(body_->outputs[behind + i]);
  for (std::size_t i = 0; i < given_.size(); ++i)
    given_[i].push_back(inThis(body_->outputs[behind + state_.size() + i]));
  ++done_;
  return nodes;
}

std::optional<std::vector<OnnxNode>> OnnxUnrolling::results() const {
  std::vector<OnnxNode> nodes;
  if (done_ == 0 && !given_.empty()) return {};
  for (std::size_t i = 0; i < state_.size(); ++i)
    nodes.push_back({"Identity", node_.name, {state_[i]}, {node_.outputs[i]}, {}, {}, {}, {}});
  for (std::size_t i = 0; i < given_.size(); ++i) {
    const std::string& result = node_.outputs[state_.size() + i];
    if (result.empty()) continue;
    const std::int64_t axis = isLoop() ? 0 : listed("scan_output_axes", i);
    OnnxNode joined{"Concat", node_.name, {}, {result}, {}, {}, {}, {}};
    joined.integers["axis"] = axis;
    for (std::size_t step = 0; step < given_[i].size(); ++step) {
      const std::string part = result + " [" + std::to_string(step) + "]";
      nodes.push_back({"Unsqueeze",
                       node_.name + " [" + std::to_string(step) + "]",
                       {given_[i][step]},
                       {part},
                       {},
                       {{"axes", {axis}}},
                       {},
                       {}});
      joined.inputs.push_back(part);
    }
    if (!isLoop() && listed("scan_output_directions", i) != 0) std::ranges::reverse(joined.inputs);
    nodes.push_back(std::move(joined));
  }
  return nodes;
}

}  // namespace sluice::inline tensor
