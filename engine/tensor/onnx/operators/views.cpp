// Operators that give the elements of a tensor another shape or order, repeat them, or leave them as they
// are.

#include <algorithm>

#include "engine/itensor/itensor.h"
#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"
#include "engine/tensor/programs/reassociation.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

/// The same elements in the same order.
void keep(OnnxInference& infer, OnnxShape shape) {
  infer.result(0, std::move(shape));
  if (infer.inputs() > 0 && infer.given(0)) {
    try {
      infer.setElements(0, infer.elements(0));
    } catch (const OnnxInference::NotInferred&) {
    }
    infer.keepLargest(0);
  }
}

void inferSame(OnnxInference& infer) {
  keep(infer, infer.shape(0));
}

void inferAs(OnnxInference& infer, std::int64_t type) {
  infer.result(0, infer.shape(0), type);
  infer.keepLargest(0);
  const bool whole = type == onnx_int64 || type == onnx_int32;
  infer.computed(0, [&](std::size_t i) {
    const double number = infer.elements(0).at(i);
    return type == onnx_bool ? static_cast<double>(number != 0)
           : whole           ? static_cast<double>(integerFrom(number))
                             : number;
  });
}

void inferCast(OnnxInference& infer) {
  inferAs(infer, integerOf(infer.node(), "to", 0));
}

/// The type of the second input.
void inferCastLike(OnnxInference& infer) {
  inferAs(infer, infer.typeOf(1));
}

/// As it is written, with what is left to be found filled in; `from` is the shape of the input.
OnnxShape reshapeTo(OnnxShape to, const OnnxShape& from, bool copies) {
  OnnxShape given;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] == 0 && copies && i < from.size()) to[i] = from[i];
    if (to[i] != -1) given.push_back(to[i]);
  }
  const std::optional<std::int64_t> elements = elementsIn(from), known = elementsIn(given);
  if (!elements || !known || given.size() + 1 < to.size()) OnnxInference::giveUp();
  for (std::int64_t& extent : to)
    if (extent == -1) extent = *known == 0 ? 0 : *elements / *known;
  return to;
}

void inferReshape(OnnxInference& infer) {
  const std::optional<OnnxShape> wanted = infer.list("shape", 1);
  if (!wanted) OnnxInference::giveUp();
  const OnnxShape shape = reshapeTo(*wanted, infer.shape(0), integerOf(infer.node(), "allowzero", 0) == 0);
  if (elementsIn(shape) != elementsIn(infer.shape(0)) || elementsIn(shape) == 0) OnnxInference::giveUp();
  keep(infer, shape);
}

void inferFlatten(OnnxInference& infer) {
  const OnnxShape& shape = infer.shape(0);
  const std::int64_t axis = integerOf(infer.node(), "axis", 1),
                     rank = static_cast<std::int64_t>(shape.size());
  if (axis < -rank || axis > rank) OnnxInference::giveUp();
  const auto middle = shape.begin() + (axis < 0 ? axis + rank : axis);
  const std::optional<std::int64_t> rows = elementsIn({shape.begin(), middle}),
                                    columns = elementsIn({middle, shape.end()});
  if (!rows || !columns) OnnxInference::giveUp();
  keep(infer, {*rows, *columns});
}

void inferSqueeze(OnnxInference& infer) {
  const OnnxShape& from = infer.shape(0);
  std::set<std::size_t> gone;
  if (const std::optional<OnnxShape> axes = infer.list("axes", 1)) {
    for (const std::int64_t axis : *axes) gone.insert(infer.axis(axis, from.size()));
  } else {
    for (std::size_t k = 0; k < from.size(); ++k)
      if (from[k] == 1) gone.insert(k);
  }
  OnnxShape shape;
  for (std::size_t k = 0; k < from.size(); ++k)
    if (!gone.contains(k))
      shape.push_back(from[k]);
    else if (from[k] != 1)
      OnnxInference::giveUp();
  keep(infer, shape);
}

void inferUnsqueeze(OnnxInference& infer) {
  const OnnxShape& from = infer.shape(0);
  const std::optional<OnnxShape> axes = infer.list("axes", 1);
  if (!axes || axes->size() > 16) OnnxInference::giveUp();
  OnnxShape shape(from.size() + axes->size(), 0);
  for (const std::int64_t axis : *axes) shape[infer.axis(axis, shape.size())] = 1;
  if (std::cmp_not_equal(std::ranges::count(shape, 1), axes->size())) OnnxInference::giveUp();
  std::size_t next = 0;
  for (std::int64_t& extent : shape)
    if (extent == 0) extent = from.at(next++);
  keep(infer, shape);
}

/// The shape is what was inferred or is declared.
void reshape(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape from = to.shape(node.inputs[0]);
  const OnnxValue* const result = to.value(node.outputs[0]);
  if (!result || !result->shape) {
    const OnnxValue* const wanted = node.inputs.size() > 1 ? to.value(node.inputs[1]) : nullptr;
    if (wanted && wanted->elements)
      throw OnnxUnknown("its shape does not have as many elements as its input");
    throw MissingShape{node.outputs[0], "its shape is not known" +
                                            (wanted && !wanted->unread.empty()
                                                 ? ", which '" + node.inputs[1] + "' holds: " + wanted->unread
                                                 : std::string())};
  }
  const OnnxShape shape = *result->shape;
  if (from == shape) return to.pass(node);
  std::size_t x = to.tensor(node.inputs[0]);
  const std::optional<std::int64_t> elements = elementsIn(from);
  if (elements > 0 && elements == elementsIn(shape) &&
      !reassociation(from, shape)) {  // what neither splits nor merges neighbours is first merged, then split
    const auto differ = std::ranges::mismatch(from, shape).in1;
    OnnxShape merged(from.begin(), differ);
    merged.push_back(elementsIn({differ, from.end()}).value_or(0));
    x = to.reshaped(x, merged, node.outputs[0] + " merged");
  }
  to.apply(node, {{}, Kind::Reshape, {x}, 0, false, {}, {}, {}}, shape);
}

std::vector<std::size_t> permutationOf(const OnnxNode& node, std::size_t rank) {
  std::vector<std::size_t> permutation;
  if (const auto list = node.lists.find("perm"); list != node.lists.end()) {
    // PyTorch's older exporter counts some from behind.
    for (const std::int64_t dimension : list->second)
      permutation.push_back(dimensionOf(dimension, rank).value_or(rank));
  } else {
    for (std::size_t d = rank; d-- > 0;) permutation.push_back(d);
  }
  return permutation;
}

void inferTranspose(OnnxInference& infer) {
  const OnnxShape from = infer.shape(0);
  const std::vector<std::size_t> permutation = permutationOf(infer.node(), from.size());
  if (permutation.size() != from.size()) OnnxInference::giveUp();
  OnnxShape shape;
  std::set<std::size_t> seen;
  for (const std::size_t k : permutation) {
    if (k >= from.size() || !seen.insert(k).second) OnnxInference::giveUp();
    shape.push_back(from[k]);
  }
  infer.result(0, shape);
  infer.moved(0, [&](const OnnxShape& index) {
    OnnxShape place(index.size());
    for (std::size_t k = 0; k < index.size(); ++k) place[permutation[k]] = index[k];
    return place;
  });
}

void transpose(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape from = to.shape(node.inputs[0]);
  const std::vector<std::size_t> permutation = permutationOf(node, from.size());
  OnnxShape shape;
  for (const std::size_t dimension : permutation) {
    if (dimension >= from.size()) throw OnnxUnknown("its permutation names a dimension that is not there");
    shape.push_back(from[dimension]);
  }
  to.apply(node, {{}, Kind::Transpose, {to.tensor(node.inputs[0])}, 0, false, permutation, {}, {}}, shape);
}

void inferExpand(OnnxInference& infer) {
  const std::optional<OnnxShape> shape = broadcastShape(infer.shape(0), infer.integers(1));
  if (!shape) OnnxInference::giveUp();
  infer.result(0, *shape);
  const OnnxShape from = infer.shape(0);
  infer.moved(0, [&](const OnnxShape& index) {
    OnnxShape place(from.size());
    for (std::size_t k = 0; k < from.size(); ++k)
      place[k] = from[k] == 1 ? 0 : index[index.size() - from.size() + k];
    return place;
  });
}

void expand(OnnxConverter& to, const OnnxNode& node) {
  const OnnxValue* const result = to.value(node.outputs[0]);
  if (!result || !result->shape) throw OnnxUnknown("the shape of its result is not known");
  if (to.shape(node.inputs[0]) == *result->shape) return to.pass(node);
  to.give(node, to.expanded(to.tensor(node.inputs[0]), *result->shape, node.outputs[0]));
}

void pass(OnnxConverter& to, const OnnxNode& node) {
  if (node.op == "Dropout" && node.inputs.size() > 2 && to.number(node.inputs[2]) != 0 &&
      !node.inputs[2].empty())
    throw OnnxUnknown("it is in training mode");
  to.pass(node);
}

/// Whether a kind gives whole numbers whatever it works on.
bool givesWholeNumbers(Kind kind) {
  return kind == Kind::Floor || kind == Kind::Round || kind == Kind::Sign || kind == Kind::Less ||
         kind == Kind::Equal || kind == Kind::Greater;
}

/// Integers of floats: what stands behind the point is dropped.
void truncated(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape shape = to.shape(node.inputs[0]);
  const std::string& result = node.outputs[0];
  const std::size_t x = to.tensor(node.inputs[0]);
  const auto step = [&](Kind kind, std::size_t of, const char* what) {
    return to.step({{}, kind, {of}, 0, false, {}, {}, {}}, result + what, shape);
  };
  const std::size_t whole = step(Kind::Floor, step(Kind::Abs, x, " size"), " whole");
  to.apply(node, {{}, Kind::Mul, {whole, step(Kind::Sign, x, " sign")}, 0, false, {}, {}, {}}, shape);
}

/// Truth values: 1 of all but 0.
void truthOf(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape shape = to.shape(node.inputs[0]);
  TensorOperator none{{}, Kind::Equal, {to.tensor(node.inputs[0])}, 0, false, {}, {}, {}};
  none.number = 0.0F;
  const std::size_t is_none = to.step(std::move(none), node.outputs[0] + " none", shape);
  const std::size_t negated =
      to.step({{}, Kind::Neg, {is_none}, 0, false, {}, {}, {}}, node.outputs[0] + " negated", shape);
  TensorOperator other{{}, Kind::Add, {negated}, 0, false, {}, {}, {}};
  other.number = 1.0F;
  to.apply(node, std::move(other), shape);
}

void castTo(OnnxConverter& to, const OnnxNode& node) {
  const std::string& from = node.inputs[0];
  const std::int64_t type = integerOf(node, "to", 0);
  if (to.constant(from) || type == 0 || to.shape(from).empty()) return to.cast(node);
  const std::optional<Kind> writer = to.writerOf(from);
  const OnnxValue* const source = to.value(from);
  const bool is_truth = source && source->type == onnx_bool;
  if (type == onnx_bool && !is_truth) return truthOf(to, node);
  const bool drops = isFloat(to.scalar(from)) && !isFloat(to.scalarOf(node.outputs[0], type));
  if (drops && !(writer && givesWholeNumbers(*writer))) return truncated(to, node);
  to.cast(node);
}

/// To the type of the second input.
void castLike(OnnxConverter& to, const OnnxNode& node) {
  const OnnxValue* const result = to.value(node.outputs[0]);
  if (!result || result->type == 0) throw OnnxUnknown("the type of its second input is not known");
  OnnxNode cast = node;
  cast.inputs = {node.inputs[0]};
  cast.integers["to"] = result->type;
  castTo(to, cast);
}

}  // namespace

std::span<const OnnxOperator> viewsOfOnnx() {
  static constexpr OnnxOperator all[] = {{"Reshape", inferReshape, reshape},
                                         {"Flatten", inferFlatten, reshape},
                                         {"Squeeze", inferSqueeze, reshape},
                                         {"Unsqueeze", inferUnsqueeze, reshape},
                                         {"Transpose", inferTranspose, transpose},
                                         {"Identity", inferSame, pass},
                                         {"Dropout", inferSame, pass},
                                         {"Cast", inferCast, castTo},
                                         {"CastLike", inferCastLike, castLike},
                                         {"Expand", inferExpand, expand}};
  return all;
}

}  // namespace sluice::inline tensor
