// Operators that put parts into tensors at places: ScatterND, ScatterElements.

#include <algorithm>
#include <numeric>

#include "engine/tensor/onnx/onnx_operators.h"
#include "engine/tensor/onnx/operators/lookups.h"

namespace sluice::inline tensor {
namespace {

using namespace lookups;

/// The data, with what the indices name replaced.
void inferScatterND(OnnxInference& infer) {
  const OnnxShape &data = infer.shape(0), &indices = infer.shape(1);
  infer.result(0, data);
  if (!infer.knowsInputs() || !fits(data, indices, 0) || reductionOf(infer.node()) != "none") return;
  const std::optional<OnnxShape> parts = partsOf(infer.integers(1), data, indices, 0);
  if (!parts) OnnxInference::giveUp();
  const std::int64_t length = elementsIn(partOf(data, indices, 0)).value_or(0);
  std::vector<double> elements = infer.elements(0);
  const std::vector<double>& updates = infer.elements(2);
  for (std::size_t i = 0; i < parts->size(); ++i)
    for (std::int64_t k = 0; k < length; ++k)
      elements.at(static_cast<std::size_t>((*parts)[i] * length + k)) =
          updates.at(i * static_cast<std::size_t>(length) + static_cast<std::size_t>(k));
  infer.setElements(0, std::move(elements));
}

/// Rows [rows, length] with those at known places replaced, or added to: of the data and the updates one
/// after the other, rows are taken.
std::size_t replaced(Lookup& lookup, std::size_t data, std::size_t updates, const OnnxShape& places,
                     bool adds) {
  const OnnxShape shape = lookup.shapeOf(data);
  constexpr std::int64_t most_rows = std::int64_t{1} << 22;
  if (shape[0] > most_rows) throw OnnxUnknown("its data has more than 2^22 parts");
  const auto count = static_cast<std::int64_t>(places.size());
  // Where each row comes from: of the data and the updates, or of the updates and a row of zeros.
  OnnxShape from(static_cast<std::size_t>(shape[0]), count);
  if (!adds) std::iota(from.begin(), from.end(), 0);
  std::vector<bool> taken(from.size(), false);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(places[static_cast<std::size_t>(i)]);
    if (taken[place]) throw OnnxUnknown("several of its updates have the same place");
    taken[place] = true;
    from[place] = adds ? i : shape[0] + i;
  }
  if (!adds) return lookup.taken(lookup.joinedRows({data, updates}), from);
  const std::size_t zeros = lookup.made(of(Kind::Fill, {}), "zeros", {1, shape[1]}, lookup.scalarOf(data));
  const std::size_t own = lookup.taken(lookup.joinedRows({updates, zeros}), from);
  return lookup.made(of(Kind::Add, {data, own}), "with updates", shape, lookup.scalarOf(data));
}

/// Likewise at places [count] that data says; of several updates of one place the sum is taken.
std::size_t replacedWhere(Lookup& lookup, std::size_t data, std::size_t updates, std::size_t places,
                          bool adds) {
  const OnnxShape shape = lookup.shapeOf(data);
  const std::size_t marked = lookup.turned(lookup.marks(places, shape[0]), {1, 0});
  const std::size_t sums =
      lookup.made(of(Kind::BatchedMatmul, {marked, updates}), "sums", shape, lookup.scalarOf(data));
  if (adds) return lookup.made(of(Kind::Add, {data, sums}), "with updates", shape, lookup.scalarOf(data));
  const std::size_t any = lookup.repeated(lookup.anyOf(marked), shape);
  return lookup.made(of(Kind::Where, {any, sums, data}), "with updates", shape, lookup.scalarOf(data));
}

void checkReduction(const OnnxNode& node) {
  if (node.inputs.size() != 3) throw OnnxUnknown("it does not have three inputs");
  const std::string how = reductionOf(node);
  if (how != "none" && how != "add") throw OnnxUnknown("its updates are joined to the data by '" + how + "'");
}

void scatterND(OnnxConverter& to, const OnnxNode& node) {
  checkReduction(node);
  const Parts parts(to, node);
  const bool adds = reductionOf(node) == "add";
  Lookup lookup(to, node.outputs[0]);
  const std::size_t data = lookup.shaped(to.tensor(node.inputs[0]), {parts.rows, parts.length}),
                    updates = lookup.shaped(to.tensor(node.inputs[2]), {parts.count, parts.length});
  const std::size_t made = parts.places
                               ? replaced(lookup, data, updates, *parts.places, adds)
                               : replacedWhere(lookup, data, updates, parts.computed(to, node, lookup), adds);
  to.give(node, lookup.shaped(made, parts.data));
}

void inferScatterElements(OnnxInference& infer) {
  infer.result(0, infer.shape(0));
}

void scatterElements(OnnxConverter& to, const OnnxNode& node) {
  checkReduction(node);
  const Elements elements(to, node);
  const bool adds = reductionOf(node) == "add";
  if (to.shape(node.inputs[2]) != elements.indices) throw OnnxUnknown("it has not an update for every index");
  Lookup lookup(to, node.outputs[0]);
  std::size_t data = to.tensor(node.inputs[0]), updates = to.tensor(node.inputs[2]);
  if (const auto places = knownPlaces(to, node.inputs[1], elements.data[elements.axis])) {
    const OnnxShape flat = elements.flat(*places);
    data = lookup.shaped(data, {product(elements.data), 1});
    updates = lookup.shaped(updates, {static_cast<std::int64_t>(flat.size()), 1});
    return to.give(node, lookup.shaped(replaced(lookup, data, updates, flat, adds), elements.data));
  }
  for (std::size_t k = 0; k < elements.data.size(); ++k)
    if (k != elements.axis && elements.indices[k] != elements.data[k])
      throw OnnxUnknown("data says where it puts elements of a part of the rows");
  data = elements.lastAxis(lookup, data), updates = elements.lastAxis(lookup, updates);
  const OnnxShape whole = lookup.shapeOf(data);
  std::size_t marked = lookup.marks(elements.lastAxis(lookup, to.tensor(node.inputs[1])), whole.back());
  std::vector<std::size_t> turn(whole.size() + 1);  // places go last
  std::iota(turn.begin(), turn.end(), 0);
  std::swap(turn[whole.size()], turn[whole.size() - 1]);
  marked = lookup.turned(marked, turn);
  const std::size_t sums = lookup.sumWhere(marked, lookup.repeatedRows(updates, whole.back()));
  const Scalar scalar = lookup.scalarOf(data);
  const std::size_t made =
      adds ? lookup.made(of(Kind::Add, {data, sums}), "with updates", whole, scalar)
           : lookup.made(of(Kind::Where, {lookup.shaped(lookup.anyOf(marked), whole), sums, data}),
                         "with updates", whole, scalar);
  to.give(node, elements.lastAxis(lookup, made));
}

}  // namespace

std::span<const OnnxOperator> scattersOfOnnx() {
  static constexpr OnnxOperator all[] = {{"ScatterND", inferScatterND, scatterND},
                                         {"ScatterElements", inferScatterElements, scatterElements}};
  return all;
}

}  // namespace sluice::inline tensor
