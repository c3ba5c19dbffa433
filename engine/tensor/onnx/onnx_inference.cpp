#include "engine/tensor/onnx/onnx_inference.h"

#include <algorithm>
#include <utility>

#include "engine/itensor/itensor.h"
#include "engine/itensor/itensor_text.h"
#include "engine/tensor/onnx/onnx_limits.h"
#include "engine/tensor/onnx/onnx_operators.h"
#include "engine/tensor/onnx/onnx_unrolling.h"

namespace sluice::inline tensor {
namespace {

/// Of all values of a model together: each has few, but there may be many.
constexpr std::size_t most_elements_in_all = 1 << 22;
constexpr int deepest_body = 8;

class Inference {
 public:
  Inference(OnnxGraph& graph, const std::stop_token& stop) : graph_(graph), stop_(stop), limits_(graph) {}

  Diagnostics run() {
    for (OnnxNode& node : graph_.nodes) visit(std::move(node));
    graph_.nodes = std::move(left_);
    if (graph_.all) graph_.all = std::move(all_);
    return std::move(report_);
  }

 private:
  void visit(OnnxNode node) {
    if (const OnnxBody* const taken = branchOf(node)) {
      for (const OnnxNode& inner : taken->nodes) visitPart(inner, node);
      for (std::size_t i = 0; i < node.outputs.size(); ++i)
        visitPart({"Identity", node.name, {taken->outputs[i]}, {node.outputs[i]}, {}, {}, {}, {}}, node);
      return;
    }
    if (unrolled(node)) return;
    if (!stop_.stop_requested()) infer(node);
    inferBodies(node, 0);
    if (graph_.all) all_.push_back(node);
    if (stop_.stop_requested() || !isConstant(node)) left_.push_back(std::move(node));
  }
  /// What takes the place of a node.
  void visitPart(OnnxNode part, const OnnxNode& whole) {
    part.origin = whole.origin;
    visit(std::move(part));
  }
  /// A Loop or Scan whose iterations are known; false: it is none, and nothing was changed.
  bool unrolled(const OnnxNode& node) {
    if (node.op != "Loop" && node.op != "Scan") return false;
    const std::size_t left = left_.size(), all = all_.size();
    OnnxUnrolling unrolling(graph_, node);
    std::optional<bool> more = unrolling.goesOn();
    for (; more.value_or(false) && !stop_.stop_requested(); more = unrolling.goesOn())
      for (OnnxNode& inner : unrolling.iteration()) visitPart(std::move(inner), node);
    std::optional<std::vector<OnnxNode>> results;
    if (more == false) results = unrolling.results();
    if (!results) {
      left_.resize(left), all_.resize(all);
      return false;
    }
    for (OnnxNode& inner : *results) visitPart(std::move(inner), node);
    return true;
  }
  /// What takes the place of an If whose condition is known; null: it is none.
  const OnnxBody* branchOf(const OnnxNode& node) const {
    if (node.op != "If" || node.inputs.empty() || stop_.stop_requested()) return nullptr;
    const auto condition = graph_.values.find(node.inputs[0]);
    if (condition == graph_.values.end() || !condition->second.constant || !condition->second.elements ||
        condition->second.elements->size() != 1)
      return nullptr;
    const auto taken =
        node.bodies.find(condition->second.elements->front() != 0 ? "then_branch" : "else_branch");
    if (taken == node.bodies.end() || taken->second->outputs.size() != node.outputs.size()) return nullptr;
    return taken->second.get();
  }

  void infer(const OnnxNode& node) {
    const OnnxOperator* const known = onnxOperator(node.op);
    if (known == nullptr || known->infer == nullptr) return;
    OnnxInference one(graph_, node);
    try {
      known->infer(one);
    } catch (const OnnxInference::NotInferred&) {
      // Its results have the shapes that are declared, or none.
    }
    std::optional<Diagnostic> limit = limits_.visit(node);
    if (limit && !std::exchange(limited_, true)) report_.push_back(*std::move(limit));
    for (const OnnxInference::Mismatch& wrong : one.mismatches)
      report_.push_back(warning("shape-mismatch", placeOf(node) / Location(Where::Tensor, wrong.value),
                                "its shape is declared as " + shapeText(wrong.declared) + ", but it is " +
                                    shapeText(wrong.inferred),
                                "export the model again; the shape that follows from the inputs is taken"));
  }

  /// Inside the graphs of a node that stays as it is, so that the work in them can be counted. What all
  /// branches of an If agree about is the shape of its result.
  void inferBodies(const OnnxNode& node, int depth) {
    if (depth > deepest_body) return;
    for (const auto& [which, body] : node.bodies)
      for (const OnnxNode& inner : body->nodes) {
        if (stop_.stop_requested()) return;
        infer(inner);
        inferBodies(inner, depth + 1);
      }
    if (node.op != "If") return;
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (OnnxValue& result = graph_.values[node.outputs[i]]; !result.shape) {
        const OnnxValue* const agreed = agreedResult(node, i);
        if (agreed) result.shape = agreed->shape, result.type = agreed->type;
      }
  }
  /// Null: the branches differ, or the shape of one is not known.
  const OnnxValue* agreedResult(const OnnxNode& node, std::size_t output) const {
    const OnnxValue* agreed = nullptr;
    for (const auto& [which, body] : node.bodies) {
      if (output >= body->outputs.size()) return nullptr;
      const auto own = graph_.values.find(body->outputs[output]);
      if (own == graph_.values.end() || !own->second.shape) return nullptr;
      if (agreed && agreed->shape != own->second.shape) return nullptr;
      agreed = &own->second;
    }
    return agreed;
  }

  /// Shapes, and what is computed from constants alone.
  bool isConstant(const OnnxNode& node) {
    if (node.outputs.empty() || !node.captured.empty()) return false;
    bool elements = true;
    for (const std::string& output : node.outputs) {
      OnnxValue& value = graph_.values[output];
      if (value.shape && elementsIn(*value.shape) == 0) value.elements.emplace();  // nothing to compute
      elements = elements && (output.empty() || value.elements);
    }
    const bool fixed = node.op == "Shape" || node.op == "Size" ||
                       (isFunction(node) && !node.inputs.empty() && !node.inputs[0].empty() &&
                        std::ranges::all_of(node.inputs, [&](const std::string& input) {
                          const auto value = graph_.values.find(input);
                          return input.empty() || (value != graph_.values.end() && value->second.constant);
                        }));
    if (!elements && !fixed) return false;
    for (const std::string& output : node.outputs) {
      OnnxValue& value = graph_.values[output];
      value.constant = true;
      value.derived = !value.number();
      if (value.elements) kept_ += value.elements->size();
      if (kept_ > most_elements_in_all) value.elements.reset(), value.derived = true;
    }
    return true;
  }
  /// Of its inputs alone.
  static bool isFunction(const OnnxNode& node) {
    return node.op.rfind("Random", 0) != 0 && node.op != "Multinomial" && node.op != "Bernoulli";
  }

  OnnxGraph& graph_;
  const std::stop_token& stop_;
  OnnxLimits limits_;
  bool limited_ = false;  ///< a table is too short; what follows from that is not told again
  std::vector<OnnxNode> left_, all_;
  Diagnostics report_;
  std::size_t kept_ = 0;
};

}  // namespace

std::optional<std::int64_t> elementsIn(const OnnxShape& shape) {
  if (std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 0; })) return {};
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  return boundedProduct(shape);
}

std::optional<OnnxShape> broadcastShape(const OnnxShape& a, const OnnxShape& b) {
  OnnxShape both(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 1; i <= both.size(); ++i) {
    const std::int64_t x = i <= a.size() ? a[a.size() - i] : 1, y = i <= b.size() ? b[b.size() - i] : 1;
    if (x != y && x != 1 && y != 1) return {};
    both[both.size() - i] = x == 1 ? y : x;
  }
  return both;
}

std::optional<std::size_t> dimensionOf(std::int64_t axis, std::size_t rank) {
  const auto dimensions = static_cast<std::int64_t>(rank);
  if (axis < -dimensions || axis >= dimensions) return {};
  return static_cast<std::size_t>(axis < 0 ? axis + dimensions : axis);
}

std::int64_t integerOf(const OnnxNode& node, const std::string& attribute, std::int64_t otherwise) {
  const auto found = node.integers.find(attribute);
  return found == node.integers.end() ? otherwise : found->second;
}

std::string textOf(const OnnxNode& node, const std::string& attribute, const std::string& otherwise) {
  const auto found = node.texts.find(attribute);
  return found == node.texts.end() ? otherwise : found->second;
}

double numberOf(const OnnxNode& node, const std::string& attribute, double otherwise) {
  const auto found = node.numbers.find(attribute);
  return found == node.numbers.end() ? otherwise : found->second;
}

OnnxShape listOr(const OnnxNode& node, const std::string& attribute, std::size_t count,
                 std::int64_t otherwise) {
  const auto list = node.lists.find(attribute);
  return list == node.lists.end() ? OnnxShape(count, otherwise) : list->second;
}

const OnnxValue& OnnxInference::value(std::size_t input) const {
  if (!given(input)) giveUp();
  const auto found = graph_.values.find(node_.inputs[input]);
  if (found == graph_.values.end()) giveUp();
  return found->second;
}

bool OnnxInference::given(std::size_t input) const {
  return input < node_.inputs.size() && !node_.inputs[input].empty();
}

const OnnxShape& OnnxInference::shape(std::size_t input) const {
  const OnnxValue& known = value(input);
  if (!known.shape) giveUp();
  return *known.shape;
}

const std::vector<double>& OnnxInference::elements(std::size_t input) const {
  const OnnxValue& known = value(input);
  if (!known.elements) giveUp();
  return *known.elements;
}

OnnxShape OnnxInference::integers(std::size_t input) const {
  OnnxShape numbers;
  for (const double number : elements(input)) numbers.push_back(integerFrom(number));
  return numbers;
}

std::optional<OnnxShape> OnnxInference::list(const std::string& attribute, std::size_t input) const {
  if (const auto list = node_.lists.find(attribute); list != node_.lists.end()) return list->second;
  if (given(input)) return integers(input);
  return {};
}

std::size_t OnnxInference::axis(std::int64_t axis, std::size_t rank) const {
  const std::optional<std::size_t> dimension = dimensionOf(axis, rank);
  if (!dimension) giveUp();
  return *dimension;
}

void OnnxInference::result(std::size_t output, OnnxShape shape, std::int64_t type) {
  if (!elementsIn(shape) || shape.size() > 32) giveUp();
  if (output >= node_.outputs.size() || node_.outputs[output].empty()) return;
  OnnxValue& made = graph_.values[node_.outputs[output]];
  if (made.shape && *made.shape != shape) mismatches.push_back({node_.outputs[output], *made.shape, shape});
  made.shape = std::move(shape);
  if (made.type == 0) made.type = type != 0 || node_.inputs.empty() ? type : value(0).type;
}

bool OnnxInference::knowsInputs() const {
  return std::ranges::all_of(node_.inputs, [&](const std::string& input) {
    const auto found = graph_.values.find(input);
    return input.empty() || (found != graph_.values.end() && found->second.elements);
  });
}

void OnnxInference::setStored(std::size_t output, std::int64_t type) {
  if (output < node_.outputs.size() && !node_.outputs[output].empty())
    graph_.values[node_.outputs[output]].stored = type;
}

void OnnxInference::setElements(std::size_t output, std::vector<double> elements) {
  if (output < node_.outputs.size() && !node_.outputs[output].empty() &&
      std::cmp_less_equal(elements.size(), graph_.most_elements))
    graph_.values[node_.outputs[output]].elements = std::move(elements);
}

void OnnxInference::setLargest(std::size_t output, std::int64_t number) {
  if (output < node_.outputs.size() && !node_.outputs[output].empty())
    graph_.values[node_.outputs[output]].largest = number;
}

void OnnxInference::keepLargest(std::size_t output) {
  if (given(0))
    if (const std::optional<std::int64_t> largest = value(0).largest) setLargest(output, *largest);
}

void OnnxInference::computed(std::size_t output, const std::function<double(std::size_t)>& element) {
  if (output >= node_.outputs.size() || node_.outputs[output].empty() || !knowsInputs()) return;
  const std::int64_t count = *elementsIn(*graph_.values.at(node_.outputs[output]).shape);
  if (count > graph_.most_elements) return;
  std::vector<double> elements;
  for (std::size_t i = 0; std::cmp_less(i, count); ++i) elements.push_back(element(i));
  setElements(output, std::move(elements));
}

void OnnxInference::moved(std::size_t output, const std::function<OnnxShape(const OnnxShape&)>& from) {
  if (output >= node_.outputs.size() || node_.outputs[output].empty() || !given(0) || !value(0).elements)
    return;
  const OnnxShape to = *graph_.values.at(node_.outputs[output]).shape, source = shape(0);
  const std::vector<double>& read = elements(0);
  computed(output, [&](std::size_t place) {
    OnnxShape index(to.size(), 0);
    auto rest = static_cast<std::int64_t>(place);
    for (std::size_t k = to.size(); k-- > 0; rest /= to[k]) index[k] = rest % to[k];
    std::int64_t at = 0;
    const OnnxShape place_in_source = from(index);
    for (std::size_t k = 0; k < source.size(); ++k) at = at * source[k] + place_in_source.at(k);
    return read.at(static_cast<std::size_t>(at));
  });
}

Diagnostics inferShapes(OnnxGraph& graph, const std::stop_token& stop) {
  return Inference(graph, stop).run();
}

}  // namespace sluice::inline tensor
