#pragma once
// Shapes of the values of an ONNX graph, from its inputs on: exporters of the older kind declare none but
// those of inputs and outputs. What is computed from shapes and small constants is computed here, so that the
// shapes that it gives are known, too.

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/tensor/onnx/onnx_model.h"

namespace sluice::inline tensor {

using OnnxShape = std::vector<std::int64_t>;

/// The product; empty above 2^60 or below 0.
std::optional<std::int64_t> elementsIn(const OnnxShape& shape);
/// Of both, counted from the last dimension; empty where they do not go together.
std::optional<OnnxShape> broadcastShape(const OnnxShape& a, const OnnxShape& b);
/// A dimension counted from the first, -1 being the last of `rank`; empty where there is none.
std::optional<std::size_t> dimensionOf(std::int64_t axis, std::size_t rank);
std::int64_t integerOf(const OnnxNode& node, const std::string& attribute, std::int64_t otherwise);
std::string textOf(const OnnxNode& node, const std::string& attribute, const std::string& otherwise);
double numberOf(const OnnxNode& node, const std::string& attribute, double otherwise);
/// `count` times `otherwise` where the node has no such list.
OnnxShape listOr(const OnnxNode& node, const std::string& attribute, std::size_t count,
                 std::int64_t otherwise);

/// One node, as the rules of operators see it while shapes are inferred. Throws NotInferred where something
/// is not known, and its results stay unknown.
class OnnxInference {
 public:
  struct NotInferred {};

  OnnxInference(OnnxGraph& graph, const OnnxNode& node) : graph_(graph), node_(node) {}

  const OnnxNode& node() const { return node_; }
  std::int64_t opset() const { return graph_.opset; }
  std::size_t inputs() const { return node_.inputs.size(); }
  std::size_t outputs() const { return node_.outputs.size(); }
  bool given(std::size_t input) const;
  const OnnxShape& shape(std::size_t input) const;
  std::int64_t typeOf(std::size_t input) const { return value(input).type; }
  const std::vector<double>& elements(std::size_t input) const;
  OnnxShape integers(std::size_t input) const;
  /// An attribute, or since some opset an input; empty: neither.
  std::optional<OnnxShape> list(const std::string& attribute, std::size_t input) const;
  std::size_t axis(std::int64_t axis, std::size_t rank) const;

  /// Type 0: as the first input has.
  void result(std::size_t output, OnnxShape shape, std::int64_t type = 0);
  /// With its elements where they are few and all inputs have theirs: `element(i)` of each place in order.
  void computed(std::size_t output, const std::function<double(std::size_t)>& element);
  /// Element `from(index)` of the first input at every index of the result.
  void moved(std::size_t output, const std::function<OnnxShape(const OnnxShape&)>& from);
  /// The result, if it is a constant, is stored in that type, and becomes its own when it is read.
  void setStored(std::size_t output, std::int64_t type);
  void setElements(std::size_t output, std::vector<double> elements);
  void setLargest(std::size_t output, std::int64_t number);
  /// The largest of integers that are counted is that of the first input.
  void keepLargest(std::size_t output);
  bool knowsInputs() const;
  /// Values of more elements are not computed.
  std::int64_t mostElements() const { return graph_.most_elements; }

  [[noreturn]] static void giveUp() { throw NotInferred{}; }

  /// Declared shapes that are others than those that follow; name and both shapes.
  struct Mismatch {
    std::string value;
    OnnxShape declared, inferred;
  };
  std::vector<Mismatch> mismatches;

 private:
  const OnnxValue& value(std::size_t input) const;

  OnnxGraph& graph_;
  const OnnxNode& node_;
};

/// Fills in shapes, types and elements of values. Nodes whose results are all constants then leave the graph;
/// those of which nobody knows the elements become `derived`. Warns of declared shapes that cannot be, which
/// the inferred ones replace; tables that are too short for given extents are errors (onnx_limits.h). A stop
/// request leaves the rest as it is.
Diagnostics inferShapes(OnnxGraph& graph, const std::stop_token& stop = {});

}  // namespace sluice::inline tensor
