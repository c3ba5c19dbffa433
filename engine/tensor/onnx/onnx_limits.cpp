#include "engine/tensor/onnx/onnx_limits.h"

#include <algorithm>

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/onnx/onnx_inference.h"

namespace sluice::inline tensor {
namespace {

/// Of a constant it gives a part, or all elements in another shape.
bool givesPart(const std::string& op) {
  constexpr std::string_view all[] = {"Slice",   "Gather",    "GatherElements", "Expand",
                                      "Reshape", "Unsqueeze", "Squeeze",        "Cast"};
  return std::ranges::find(all, op) != std::end(all);
}

/// The largest of known places, or of those that are counted up to it.
std::optional<std::int64_t> largestPlace(const OnnxValue& places) {
  if (places.elements && !places.elements->empty())
    return integerFrom(*std::ranges::max_element(*places.elements));
  return places.largest;
}

}  // namespace

const OnnxLimits::Shape* OnnxLimits::shapeOf(const std::string& value) const {
  const auto found = graph_.values.find(value);
  return found != graph_.values.end() && found->second.shape ? &*found->second.shape : nullptr;
}

std::optional<Diagnostic> OnnxLimits::visit(const OnnxNode& node) {
  if (graph_.extents.empty() || node.inputs.empty()) return {};
  if (givesPart(node.op) && !node.outputs.empty()) {
    // A GatherElements has as many elements as places, which may be part of a table of their own.
    const bool by_places = node.op == "GatherElements" && node.inputs.size() == 2;
    const std::string& source = node.inputs[by_places ? 1 : 0];
    const auto from = graph_.values.find(source);
    const auto part = tables_.find(source);
    if (part != tables_.end())
      tables_[node.outputs[0]] = std::string(part->second);
    else if (from != graph_.values.end() && from->second.constant && !from->second.derived)
      tables_[node.outputs[0]] = source;
  }
  return node.op == "Gather" ? tooFewRows(node) : tooShort(node);
}

/// What the operator brings together: the shapes of its operands, of an Expand the one that is wanted.
std::optional<OnnxLimits::Shape> OnnxLimits::operand(const OnnxNode& node, std::size_t which) const {
  const auto found = graph_.values.find(node.inputs[which]);
  if (found == graph_.values.end()) return {};
  return node.op == "Expand" && which == 1 ? found->second.integers() : found->second.shape;
}

std::optional<Diagnostic> OnnxLimits::tooFewRows(const OnnxNode& node) const {
  const auto table = graph_.values.find(node.inputs[0]);
  const auto places = node.inputs.size() == 2 ? graph_.values.find(node.inputs[1]) : graph_.values.end();
  if (table == graph_.values.end() || places == graph_.values.end() || !table->second.shape) return {};
  const Shape& shape = *table->second.shape;
  const std::optional<std::size_t> axis = dimensionOf(integerOf(node, "axis", 0), shape.size());
  const std::optional<std::int64_t> last = largestPlace(places->second);
  if (!axis || !last || *last < shape[*axis]) return {};
  const auto part = tables_.find(node.inputs[0]);
  return limit(node, part == tables_.end() ? node.inputs[0] : part->second, shape[*axis], *last + 1);
}

/// Operands that do not go together, one of them part of a constant.
std::optional<Diagnostic> OnnxLimits::tooShort(const OnnxNode& node) const {
  constexpr std::string_view all[] = {"Add", "Sub", "Mul", "Expand"};
  if (node.inputs.size() != 2 || std::ranges::find(all, node.op) == std::end(all)) return {};
  for (const std::size_t which : {0, 1}) {
    const auto table = tables_.find(node.inputs[which]);
    const std::optional<Shape> part = operand(node, which), other = operand(node, 1 - which);
    if (table == tables_.end() || !part || !other) continue;
    for (std::size_t i = 1; i <= std::min(part->size(), other->size()); ++i) {
      const std::int64_t has = (*part)[part->size() - i], wanted = (*other)[other->size() - i];
      if (has != 1 && wanted > has) return limit(node, table->second, has, wanted);
    }
  }
  return {};
}

/// The extent that is as much too large as the table is too short, if it is one alone, has a largest value.
Diagnostic OnnxLimits::limit(const OnnxNode& node, const std::string& table, std::int64_t has,
                             std::int64_t wanted) const {
  std::string which, fix = "give a smaller extent, or export the model with a longer table";
  std::size_t found = 0;
  for (const auto& [name, extent] : graph_.extents) {
    const std::int64_t most = extent - (wanted - has);
    if (most < 1) continue;
    ++found;
    which = name;
    fix = "give '" + name + "' at most " + std::to_string(most) + ", as in --dimension " + name + "=" +
          std::to_string(most) + ", or export the model with a longer table";
  }
  if (found != 1) fix = "give smaller extents, or export the model with a longer table";
  const Shape* const shape = shapeOf(table);
  return error(
      "out-of-range", placeOf(node) / Location(Where::Tensor, table),
      "it is too short: it has " + std::to_string(has) + " places" +
          (shape ? " (" + shapeText(*shape) + ")" : "") + ", and " + std::to_string(wanted) +
          " are asked for" +
          (found == 1 ? " where '" + which + "' is " + std::to_string(graph_.extents.at(which)) : ""),
      fix);
}

}  // namespace sluice::inline tensor
