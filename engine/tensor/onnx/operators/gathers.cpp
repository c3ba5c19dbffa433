// Operators that take parts of tensors at places: Gather, GatherND, GatherElements.

#include <algorithm>
#include <numeric>

#include "engine/tensor/onnx/onnx_operators.h"
#include "engine/tensor/onnx/operators/lookups.h"

namespace sluice::inline tensor {
namespace {

using namespace lookups;

// ---- whole parts along one dimension

void inferGather(OnnxInference& infer) {
  const OnnxShape from = infer.shape(0), indices = infer.shape(1);
  const std::size_t axis = infer.axis(integerOf(infer.node(), "axis", 0), from.size());
  OnnxShape shape(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), from.begin() + static_cast<std::ptrdiff_t>(axis) + 1, from.end());
  infer.result(0, shape);
  if (!infer.knowsInputs()) return;
  const OnnxShape chosen = infer.integers(1);
  for (const std::int64_t index : chosen)
    if (!dimensionOf(index, static_cast<std::size_t>(from[axis]))) OnnxInference::giveUp();
  infer.moved(0, [&](const OnnxShape& index) {
    std::size_t at = 0;
    for (std::size_t k = 0; k < indices.size(); ++k)
      at = at * static_cast<std::size_t>(indices[k]) + static_cast<std::size_t>(index[axis + k]);
    OnnxShape place(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(axis));
    place.push_back(
        static_cast<std::int64_t>(*dimensionOf(chosen.at(at), static_cast<std::size_t>(from[axis]))));
    place.insert(place.end(), index.begin() + static_cast<std::ptrdiff_t>(axis + indices.size()),
                 index.end());
    return place;
  });
}

void gather(OnnxConverter& to, const OnnxNode& node) {
  if (node.inputs.size() != 2) throw OnnxUnknown("it does not have two inputs");
  const OnnxShape from = to.shape(node.inputs[0]), indices = to.shape(node.inputs[1]);
  const std::size_t axis = axisOf(node, from.size());
  const OnnxShape before = part(from, 0, axis), behind = part(from, axis + 1, from.size());
  const std::int64_t outer = product(before), rows = from[axis], inner = product(behind),
                     count = product(indices);
  const std::optional<OnnxShape> places = knownPlaces(to, node.inputs[1], rows);
  const bool large = !places && isLargeTable(to, node.inputs[0], rows);
  if (large && outer > 1) throw OnnxUnknown("data says where in rows of a constant it takes elements");
  const OnnxShape whole = joined(joined(before, indices), behind);
  const std::string& result = node.outputs[0];
  if (places &&
      std::ranges::adjacent_find(*places, [](auto a, auto b) { return b != a + 1; }) == places->end()) {
    const std::size_t neighbours = to.sliced(to.tensor(node.inputs[0]), axis, places->front(), count,
                                             result + (indices.size() == 1 ? "" : " as neighbours"));
    return to.give(node, to.reshaped(neighbours, whole, result));
  }
  Lookup lookup(to, result);
  if (places)
    return to.give(node, lookup.shaped(lookup.takenAlong(to.tensor(node.inputs[0]), axis, *places), whole));
  const std::size_t asked = lookup.shaped(to.tensor(node.inputs[1]), {count});
  if (large)
    return to.give(node, lookup.shaped(lookup.lookedUp(node.inputs[0], {rows, inner}, asked), whole));
  std::size_t x = lookup.shaped(to.tensor(node.inputs[0]), {outer, rows, inner});
  x = lookup.shaped(lookup.turned(x, {1, 0, 2}), {rows, outer * inner});
  x = lookup.found(x, asked);
  x = lookup.turned(lookup.shaped(x, {count, outer, inner}), {1, 0, 2});
  to.give(node, lookup.shaped(x, whole));
}

// ---- parts at places of several numbers

/// Of the indices, with what an index leaves of the data.
void inferGatherND(OnnxInference& infer) {
  const OnnxShape &data = infer.shape(0), &indices = infer.shape(1);
  const std::int64_t batches = integerOf(infer.node(), "batch_dims", 0);
  if (!fits(data, indices, batches)) OnnxInference::giveUp();
  OnnxShape shape(indices.begin(), indices.end() - 1);
  const OnnxShape own = partOf(data, indices, batches);
  shape.insert(shape.end(), own.begin(), own.end());
  infer.result(0, shape);
  if (!infer.knowsInputs()) return;
  const std::optional<OnnxShape> parts = partsOf(infer.integers(1), data, indices, batches);
  const std::int64_t length = elementsIn(own).value_or(0);
  if (!parts || length == 0) OnnxInference::giveUp();
  infer.computed(0, [&](std::size_t place) {
    const auto at = static_cast<std::int64_t>(place);
    return infer.elements(0).at(
        static_cast<std::size_t>(parts->at(static_cast<std::size_t>(at / length)) * length + at % length));
  });
}

void gatherND(OnnxConverter& to, const OnnxNode& node) {
  if (node.inputs.size() != 2) throw OnnxUnknown("it does not have two inputs");
  const Parts parts(to, node);
  Lookup lookup(to, node.outputs[0]);
  const OnnxShape table{parts.rows, parts.length};
  std::size_t x = 0;
  if (parts.places)
    x = lookup.taken(lookup.shaped(to.tensor(node.inputs[0]), table), *parts.places);
  else if (isLargeTable(to, node.inputs[0], parts.rows))
    x = lookup.lookedUp(node.inputs[0], table, parts.computed(to, node, lookup));
  else
    x = lookup.found(lookup.shaped(to.tensor(node.inputs[0]), table), parts.computed(to, node, lookup));
  to.give(node, lookup.shaped(x, joined(part(parts.indices, 0, parts.indices.size() - 1),
                                        partOf(parts.data, parts.indices, parts.batches))));
}

// ---- elements along one dimension

void inferGatherElements(OnnxInference& infer) {
  const OnnxShape data = infer.shape(0), indices = infer.shape(1);
  infer.result(0, indices, infer.typeOf(0));
  if (!infer.knowsInputs() || data.size() != indices.size()) return;
  const std::size_t axis = infer.axis(integerOf(infer.node(), "axis", 0), data.size());
  const OnnxShape places = infer.integers(1);
  std::size_t next = 0;
  infer.moved(0, [&](OnnxShape index) {
    const auto place = dimensionOf(places.at(next++), static_cast<std::size_t>(data[axis]));
    if (!place) OnnxInference::giveUp();
    index[axis] = static_cast<std::int64_t>(*place);
    return index;
  });
}

void gatherElements(OnnxConverter& to, const OnnxNode& node) {
  if (node.inputs.size() != 2) throw OnnxUnknown("it does not have two inputs");
  const Elements elements(to, node);
  const std::optional<OnnxShape> places = knownPlaces(to, node.inputs[1], elements.data[elements.axis]);
  if (!places && isLargeTable(to, node.inputs[0], elements.data[elements.axis]))
    throw OnnxUnknown("data says which elements of a large constant it takes, each of another row");
  Lookup lookup(to, node.outputs[0]);
  std::size_t x = to.tensor(node.inputs[0]);
  for (std::size_t k = 0; k < elements.data.size(); ++k)
    if (k != elements.axis) x = lookup.sliced(x, k, elements.indices[k]);
  x = elements.lastAxis(lookup, x);
  const OnnxShape from = lookup.shapeOf(x);
  const std::int64_t rows = product(part(from, 0, from.size() - 1));
  const std::optional<OnnxShape> row = places ? elements.ofEveryRow(*places) : std::nullopt;
  if (row) {
    x = lookup.turned(lookup.shaped(x, {rows, from.back()}), {1, 0});
    x = lookup.turned(lookup.taken(x, *row), {1, 0});
  } else {
    const std::size_t marked =
        lookup.marks(elements.lastAxis(lookup, to.tensor(node.inputs[1])), from.back());
    x = lookup.sumWhere(marked, lookup.repeatedRows(x, elements.indices[elements.axis]));
    const OnnxShape shape = lookup.shapeOf(x);
    x = lookup.made(of(Kind::Mul, {x, lookup.shaped(lookup.anyOrNone(marked), shape)}), "found", shape,
                    lookup.scalarOf(x));
  }
  OnnxShape whole = elements.indices;
  std::swap(whole[elements.axis], whole.back());
  to.give(node, elements.lastAxis(lookup, lookup.shaped(x, whole)));
}

}  // namespace

std::span<const OnnxOperator> gathersOfOnnx() {
  static constexpr OnnxOperator all[] = {{"Gather", inferGather, gather},
                                         {"GatherND", inferGatherND, gatherND},
                                         {"GatherElements", inferGatherElements, gatherElements}};
  return all;
}

}  // namespace sluice::inline tensor
