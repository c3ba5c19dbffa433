#include "engine/tensor/onnx/operators/lookups.h"

#include <algorithm>
#include <numeric>

namespace sluice::inline tensor::lookups {
namespace {

constexpr std::int64_t most_table = std::int64_t{1} << 22;   ///< elements of one
constexpr std::int64_t most_marked = std::int64_t{1} << 26;  ///< elements that are compared, or copied to be
constexpr std::size_t most_runs = 64;                        ///< of neighbours, each a slice
constexpr std::int64_t most_product_rows = 64;               ///< of a constant that data looks up in

void bound(const OnnxShape& elements, std::int64_t most, const std::string& what) {
  if (elementsIn(elements).value_or(most + 1) > most) throw OnnxUnknown(what);
}

}  // namespace

TensorOperator of(Kind kind, std::vector<std::size_t> inputs) {
  return {{}, kind, std::move(inputs), 0, false, {}, {}, {}};
}

std::size_t axisOf(const OnnxNode& node, std::size_t rank) {
  const std::optional<std::size_t> axis = dimensionOf(integerOf(node, "axis", 0), rank);
  if (!axis) throw OnnxUnknown("its axis is no dimension of its input");
  return *axis;
}

OnnxShape part(const OnnxShape& shape, std::size_t begin, std::size_t end) {
  return {shape.begin() + static_cast<std::ptrdiff_t>(begin),
          shape.begin() + static_cast<std::ptrdiff_t>(end)};
}

OnnxShape joined(OnnxShape a, const OnnxShape& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::int64_t product(const OnnxShape& shape) {
  const std::optional<std::int64_t> elements = elementsIn(shape);
  if (!elements || *elements == 0) throw OnnxUnknown("it has no elements, or more than 2^60");
  return *elements;
}

std::string reductionOf(const OnnxNode& node) {
  const auto how = node.texts.find("reduction");
  return how == node.texts.end() ? "none" : how->second;
}

// ---- steps

std::size_t Lookup::sliced(std::size_t x, std::size_t axis, std::int64_t count) {
  return to_.sliced(x, axis, 0, count, told("part"));
}

std::size_t Lookup::shaped(std::size_t x, const OnnxShape& shape) {
  if (to_.at(x).shape == shape) return x;
  const OnnxShape flat{product(shape)};
  return to_.reshaped(to_.reshaped(x, flat, told("flat")), shape, told("shaped"));
}

std::size_t Lookup::turned(std::size_t x, const std::vector<std::size_t>& order) {
  return to_.transposed(x, order, told("turned"));
}

std::size_t Lookup::joinedRows(const std::vector<std::size_t>& parts) {
  if (parts.size() == 1) return parts[0];
  OnnxShape shape = to_.at(parts[0]).shape;
  shape[0] = 0;
  for (const std::size_t each : parts) shape[0] += to_.at(each).shape[0];
  TensorOperator op = of(Kind::Concat, parts);
  op.axis = 0;
  return to_.step(std::move(op), told("joined"), shape);
}

std::size_t Lookup::made(TensorOperator op, const std::string& what, const OnnxShape& shape, Scalar scalar) {
  return to_.add(std::move(op), told(what), shape, scalar);
}

std::size_t Lookup::taken(std::size_t x, const OnnxShape& places) {
  const OnnxShape from = to_.at(x).shape;
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;  // first, count
  for (const std::int64_t place : places)
    if (!runs.empty() && runs.back().first + runs.back().second == place)
      ++runs.back().second;
    else
      runs.emplace_back(place, 1);
  if (runs.size() <= most_runs) {
    std::vector<std::size_t> parts;
    for (const auto& [first, count] : runs)
      parts.push_back(to_.sliced(x, 0, first, count, told("rows from " + std::to_string(first))));
    return joinedRows(parts);
  }
  const auto count = static_cast<std::int64_t>(places.size());
  bound({count, from[0]}, most_table, "its table has more than 2^22 elements");
  std::vector<float> table(static_cast<std::size_t>(count * from[0]), 0.0F);
  for (std::size_t i = 0; i < places.size(); ++i)
    table[i * static_cast<std::size_t>(from[0]) + static_cast<std::size_t>(places[i])] = 1;
  const std::size_t marks = to_.ownTable(told("table"), {count, from[0]}, to_.at(x).scalar, std::move(table));
  return made(of(Kind::BatchedMatmul, {marks, x}), "taken", {count, from[1]}, to_.at(x).scalar);
}

std::size_t Lookup::takenAlong(std::size_t x, std::size_t axis, const OnnxShape& places) {
  OnnxShape whole = shapeOf(x);
  const std::int64_t rows = whole[axis], outer = product(part(whole, 0, axis)),
                     inner = product(part(whole, axis + 1, whole.size()));
  x = turned(shaped(x, {outer, rows, inner}), {1, 0, 2});
  x = taken(shaped(x, {rows, outer * inner}), places);
  whole[axis] = static_cast<std::int64_t>(places.size());
  return shaped(turned(shaped(x, {whole[axis], outer, inner}), {1, 0, 2}), whole);
}

std::size_t Lookup::marks(std::size_t places, std::int64_t rows) {
  const OnnxShape outer = to_.at(places).shape, spread = joined(outer, {rows});
  bound(spread, most_marked, "it compares more than 2^26 places");
  bound({rows}, most_table, "it looks up in more than 2^22 parts");
  const std::size_t each =
      to_.expanded(to_.reshaped(places, joined(outer, {1}), told("places")), spread, told("places spread"));
  const auto equal = [&](const char* what, std::int64_t first) {
    std::vector<float> numbers(static_cast<std::size_t>(rows));
    std::iota(numbers.begin(), numbers.end(), static_cast<float>(first));
    const std::size_t table = to_.ownTable(told(what), {rows}, to_.at(places).scalar, std::move(numbers));
    return made(of(Kind::Equal, {each, table}), std::string("is ") + what, spread, Scalar::I8);
  };
  return made(of(Kind::Max, {equal("numbers", 0), equal("numbers from behind", -rows)}), "marks", spread,
              Scalar::I8);
}

std::size_t Lookup::found(std::size_t x, std::size_t places) {
  const OnnxShape from = to_.at(x).shape, shape{to_.at(places).shape[0], from[1]};
  const Scalar scalar = to_.at(x).scalar;
  const std::size_t marked = marks(places, from[0]);
  const std::size_t rows = made(of(Kind::BatchedMatmul, {marked, x}), "rows", shape, scalar);
  return made(of(Kind::Mul, {rows, repeated(anyOrNone(marked), shape)}), "found", shape, scalar);
}

std::size_t Lookup::lookedUp(const std::string& constant, const OnnxShape& table, std::size_t places) {
  constexpr std::int64_t most_rows = std::int64_t{1} << 24;  // places are numbers of float32
  if (table[0] > most_rows) throw OnnxUnknown("it looks up in more than 2^24 rows");
  const std::size_t rows = to_.constantAs(constant, table, TensorRole::Weight);
  return made(of(Kind::Lookup, {places, rows}), "rows", {to_.at(places).shape[0], table[1]},
              to_.at(rows).scalar);
}

std::size_t Lookup::repeatedRows(std::size_t x, std::int64_t count) {
  OnnxShape shape = to_.at(x).shape;
  shape.insert(shape.end() - 1, 1);
  const std::size_t one = to_.reshaped(x, shape, told("once"));
  shape[shape.size() - 2] = count;
  bound(shape, most_marked, "it compares more than 2^26 places");
  return to_.expanded(one, shape, told("repeated"));
}

std::size_t Lookup::anyOf(std::size_t marked) {
  OnnxShape shape = shapeOf(marked);
  shape.back() = 1;
  return to_.step(of(Kind::ReduceMax, {marked}), told("any"), shape);
}

std::size_t Lookup::anyOrNone(std::size_t marked) {
  const std::size_t any = anyOf(marked);
  return made(of(Kind::Div, {any, any}), "any or none", shapeOf(any), Scalar::F32);
}

std::size_t Lookup::repeated(std::size_t x, const OnnxShape& shape) {
  return to_.expanded(x, shape, told("repeated"));
}

std::size_t Lookup::sumWhere(std::size_t marked, std::size_t x) {
  const OnnxShape shape = to_.at(marked).shape;
  const Scalar scalar = to_.at(x).scalar;
  const std::size_t zeros = made(of(Kind::Fill, {}), "zeros", {shape.back()}, scalar);
  const std::size_t chosen = made(of(Kind::Where, {marked, x, zeros}), "chosen", shape, scalar);
  OnnxShape one = shape;
  one.back() = 1;
  return to_.reshaped(to_.step(of(Kind::ReduceSum, {chosen}), told("sum"), one),
                      part(shape, 0, shape.size() - 1), told("sums"));
}

std::optional<OnnxShape> knownPlaces(OnnxConverter& to, const std::string& name, std::int64_t extent) {
  std::optional<OnnxShape> places = to.integers(name);
  if (!places) return {};
  for (std::int64_t& place : *places) {
    const auto at = dimensionOf(place, static_cast<std::size_t>(extent));
    if (!at) throw OnnxUnknown("one of its places is beyond its input");
    place = static_cast<std::int64_t>(*at);
  }
  return places;
}

bool isLargeTable(const OnnxConverter& to, const std::string& data, std::int64_t rows) {
  return to.constant(data) && rows > most_product_rows;
}

OnnxShape partOf(const OnnxShape& data, const OnnxShape& indices, std::int64_t batches) {
  return {data.begin() + batches + indices.back(), data.end()};
}

bool fits(const OnnxShape& data, const OnnxShape& indices, std::int64_t batches) {
  return !indices.empty() && indices.back() > 0 && batches >= 0 && std::cmp_less(batches, indices.size()) &&
         std::cmp_less_equal(batches + indices.back(), data.size()) &&
         std::equal(data.begin(), data.begin() + batches, indices.begin());
}

std::optional<OnnxShape> partsOf(const OnnxShape& numbers, const OnnxShape& data, const OnnxShape& indices,
                                 std::int64_t batches) {
  const auto depth = static_cast<std::size_t>(indices.back()), first = static_cast<std::size_t>(batches);
  const std::int64_t in_batch = elementsIn({indices.begin() + batches, indices.end() - 1}).value_or(0);
  OnnxShape parts;
  for (std::size_t i = 0; i + depth <= numbers.size(); i += depth) {
    std::int64_t at = in_batch == 0 ? 0 : static_cast<std::int64_t>(i / depth) / in_batch;
    for (std::size_t k = 0; k < depth; ++k) {
      const std::int64_t extent = data[first + k];
      const auto index = dimensionOf(numbers[i + k], static_cast<std::size_t>(extent));
      if (!index) return {};
      at = at * extent + static_cast<std::int64_t>(*index);
    }
    parts.push_back(at);
  }
  return parts;
}

Parts::Parts(OnnxConverter& to, const OnnxNode& node)
    : data(to.shape(node.inputs[0])),
      indices(to.shape(node.inputs[1])),
      batches(integerOf(node, "batch_dims", 0)) {
  if (!fits(data, indices, batches)) throw OnnxUnknown("its indices do not go with its data");
  length = product(partOf(data, indices, batches));
  rows = product(data) / length;
  count = product(part(indices, 0, indices.size() - 1));
  if (const std::optional<OnnxShape> numbers = to.integers(node.inputs[1])) {
    places = partsOf(*numbers, data, indices, batches);
    if (!places) throw OnnxUnknown("one of its places is beyond its input");
  }
}

std::size_t Parts::beyond(Lookup& lookup, std::size_t numbers, std::size_t lasts) const {
  const OnnxShape shape = lookup.shapeOf(numbers), one{shape[0], 1};
  TensorOperator below = of(Kind::Less, {numbers});
  below.number = 0.0F;
  const std::size_t before = lookup.made(std::move(below), "before the first", shape, Scalar::I8);
  const std::size_t behind =
      lookup.made(of(Kind::Greater, {numbers, lasts}), "behind the last", shape, Scalar::I8);
  const std::size_t either = lookup.made(of(Kind::Max, {before, behind}), "beyond", shape, Scalar::I8);
  TensorOperator far = of(Kind::Mul, {lookup.anyOf(either)});
  far.number = -4.0F * static_cast<float>(rows);  // from behind as well no row, however large the others are
  return lookup.made(std::move(far), "far", one, lookup.scalarOf(numbers));
}

std::size_t Parts::computed(OnnxConverter& to, const OnnxNode& node, Lookup& lookup) const {
  const std::int64_t depth = indices.back();
  const std::size_t raw = lookup.shaped(to.tensor(node.inputs[1]), {count, depth});
  const Scalar scalar = to.at(raw).scalar;
  const auto table = [&](const std::string& what, OnnxShape shape, std::vector<float> numbers) {
    return to.ownTable(node.outputs[0] + " " + what, std::move(shape), scalar, std::move(numbers));
  };
  std::vector<float> extents, lasts, strides(static_cast<std::size_t>(depth), 1.0F);
  for (std::int64_t k = 0; k < depth; ++k)
    extents.push_back(static_cast<float>(data[static_cast<std::size_t>(batches + k)]));
  for (const float extent : extents) lasts.push_back(extent - 1.0F);
  for (std::size_t k = strides.size() - 1; k-- > 0;) strides[k] = strides[k + 1] * extents[k + 1];
  TensorOperator below = of(Kind::Less, {raw});  // from behind the last
  below.number = 0.0F;
  std::size_t behind = lookup.made(std::move(below), "from behind", {count, depth}, scalar);
  behind = lookup.made(of(Kind::Mul, {behind, table("extents", {depth}, extents)}), "extents", {count, depth},
                       scalar);
  const std::size_t numbers = lookup.made(of(Kind::Add, {raw, behind}), "indices", {count, depth}, scalar);
  std::size_t at = lookup.made(of(Kind::Linear, {numbers, table("strides", {1, depth}, strides)}), "parts",
                               {count, 1}, scalar);
  at = lookup.made(of(Kind::Add, {at, beyond(lookup, numbers, table("lasts", {depth}, lasts))}),
                   "parts or none", {count, 1}, scalar);
  at = lookup.shaped(at, {count});
  if (batches == 0) return at;
  const std::int64_t in_all = product(part(data, 0, static_cast<std::size_t>(batches)));
  std::vector<float> firsts;
  for (std::int64_t i = 0; i < count; ++i)
    firsts.push_back(static_cast<float>(i / (count / in_all) * (rows / in_all)));
  return lookup.made(of(Kind::Add, {at, table("batches", {count}, firsts)}), "of batches", {count}, scalar);
}

Elements::Elements(OnnxConverter& to, const OnnxNode& node)
    : data(to.shape(node.inputs[0])), indices(to.shape(node.inputs[1])), axis(axisOf(node, data.size())) {
  bool within = indices.size() == data.size();
  for (std::size_t k = 0; within && k < data.size(); ++k) within = k == axis || indices[k] <= data[k];
  if (!within) throw OnnxUnknown("its indices do not go with its data");
  order.resize(data.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[axis], order.back());
}

OnnxShape Elements::flat(const OnnxShape& places) const {
  OnnxShape found, index(indices.size(), 0);
  for (const std::int64_t place : places) {
    std::int64_t at = 0;
    for (std::size_t k = 0; k < data.size(); ++k) at = at * data[k] + (k == axis ? place : index[k]);
    found.push_back(at);
    for (std::size_t k = index.size(); k-- > 0 && ++index[k] == indices[k];) index[k] = 0;
  }
  return found;
}

std::optional<OnnxShape> Elements::ofEveryRow(const OnnxShape& places) const {
  const std::int64_t inner = product(part(indices, axis + 1, indices.size()));
  OnnxShape row;
  for (std::int64_t i = 0; i < indices[axis]; ++i) row.push_back(places[static_cast<std::size_t>(i * inner)]);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] != row[i / static_cast<std::size_t>(inner) % row.size()]) return {};
  return row;
}

}  // namespace sluice::inline tensor::lookups
