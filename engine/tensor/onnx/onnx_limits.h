#pragma once
// Tables of a model that are too short for the extents that its symbolic dimensions were given: 64 positions,
// of which 128 are asked for.

#include <map>
#include <optional>
#include <string>

#include "engine/tensor/onnx/onnx_model.h"

namespace sluice::inline tensor {

/// Follows the nodes of a graph as their shapes become known.
class OnnxLimits {
 public:
  explicit OnnxLimits(const OnnxGraph& graph) : graph_(graph) {}

  /// The first table that the node asks more of than there is. Places that are data are not known.
  std::optional<Diagnostic> visit(const OnnxNode& node);

 private:
  using Shape = std::vector<std::int64_t>;

  std::optional<Diagnostic> tooFewRows(const OnnxNode& node) const;
  std::optional<Diagnostic> tooShort(const OnnxNode& node) const;
  Diagnostic limit(const OnnxNode& node, const std::string& table, std::int64_t has,
                   std::int64_t wanted) const;
  const Shape* shapeOf(const std::string& value) const;
  std::optional<Shape> operand(const OnnxNode& node, std::size_t which) const;

  const OnnxGraph& graph_;
  /// What is part of a constant, or all of it in another shape: that constant.
  std::map<std::string, std::string> tables_;
};

}  // namespace sluice::inline tensor
