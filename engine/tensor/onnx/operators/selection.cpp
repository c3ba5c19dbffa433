// Operators that find elements of rows or tell where they are: TopK, ArgMax, ArgMin, OneHot, sums up to each
// element, triangles. Places are numbers, compared with a table of all of them.

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

constexpr Scalar counted{Scalar::Format::Signless, 32};  ///< of places, which narrow floats do not count
constexpr std::int64_t most_found = 16;                  ///< one after the other, each by a search of its own
constexpr std::int64_t most_table = std::int64_t{1} << 22;
constexpr std::int64_t most_compared = std::int64_t{1} << 26;  ///< pairs of elements

TensorOperator of(Kind kind, std::vector<std::size_t> inputs) {
  return {{}, kind, std::move(inputs), 0, false, {}, {}, {}};
}
TensorOperator withNumber(Kind kind, std::size_t x, double number) {
  TensorOperator op = of(kind, {x});
  op.number = static_cast<float>(number);
  return op;
}

std::size_t axisOf(const OnnxNode& node, std::int64_t otherwise, std::size_t rank) {
  const std::optional<std::size_t> axis = dimensionOf(integerOf(node, "axis", otherwise), rank);
  if (!axis) throw OnnxUnknown("its axis is no dimension of its input");
  return *axis;
}

/// The dimensions in their order, but that this one changes places with the last; it is its own inverse.
std::vector<std::size_t> swappedWithLast(std::size_t rank, std::size_t axis) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[axis], order.back());
  return order;
}

/// The largest, or smallest, elements of rows, one after the other; of equal ones the first.
class Search {
 public:
  Search(OnnxConverter& to, std::size_t rows, std::string name, bool largest)
      : to_(to), x_(rows), name_(std::move(name)), largest_(largest) {
    whole_ = to_.at(rows).shape;
    if (whole_.empty()) throw OnnxUnknown("its input has no dimensions");
    one_ = whole_;
    one_.back() = 1;
  }

  bool last_of_equal = false;  ///< the last of equal ones; of a search for one alone
  std::vector<std::size_t> values, places;

  /// One more; `place`: also where it is, without which there is no next.
  void next(bool place) {
    ++round_;
    values.push_back(to_.step(of(largest_ ? Kind::ReduceMax : Kind::ReduceMin, {x_}), told("value"), one_));
    if (!place) return;
    std::size_t is_it =
        to_.step(of(Kind::Equal, {x_, to_.expanded(values.back(), whole_, told("value spread"))}),
                 told("found"), whole_);
    if (left_) is_it = to_.step(of(Kind::Mul, {is_it, *left_}), told("found anew"), whole_);
    const std::size_t none = fill(last_of_equal ? -1 : static_cast<double>(whole_.back()), counted);
    const std::size_t where =
        to_.add(of(Kind::Where, {is_it, table(), none}), told("places"), whole_, counted);
    places.push_back(
        to_.step(of(last_of_equal ? Kind::ReduceMax : Kind::ReduceMin, {where}), told("place"), one_));
  }
  /// Rows with 1 where what was found last is, else 0.
  std::size_t marked() {
    const std::size_t place = to_.expanded(places.back(), whole_, told("place spread"));
    return to_.step(of(Kind::Equal, {place, table()}), told("taken"), whole_);
  }
  /// What was found last is found no more.
  void leaveOut() {
    const std::size_t taken = marked();
    const double far = std::numeric_limits<float>::max();
    const Scalar scalar = to_.at(x_).scalar;
    x_ = to_.add(of(Kind::Where, {taken, fill(largest_ ? -far : far, scalar), x_}), told("rest"), whole_,
                 scalar);
    const std::size_t other = to_.step(of(Kind::Neg, {taken}), told("negated"), whole_);
    const std::size_t free = to_.step(withNumber(Kind::Add, other, 1), told("others"), whole_);
    left_ = left_ ? to_.step(of(Kind::Mul, {*left_, free}), told("left"), whole_) : free;
  }

 private:
  std::string told(const std::string& what) const {
    return name_ + " " + what + " " + std::to_string(round_);
  }
  /// 0, 1, 2 ... along a row.
  std::size_t table() {
    if (table_) return *table_;
    std::vector<float> numbers(static_cast<std::size_t>(whole_.back()));
    std::iota(numbers.begin(), numbers.end(), 0.0F);
    table_ = to_.ownTable(name_ + " numbers", {whole_.back()}, counted, std::move(numbers));
    return *table_;
  }
  std::size_t fill(double number, Scalar scalar) {
    TensorOperator op = of(Kind::Fill, {});
    op.name = told("fill " + std::to_string(++fills_));
    op.number = static_cast<float>(number);
    const std::string name = op.name;
    return to_.add(std::move(op), name, {whole_.back()}, scalar);
  }

  OnnxConverter& to_;
  std::size_t x_;
  std::string name_;
  bool largest_;
  OnnxShape whole_, one_;
  std::optional<std::size_t> left_, table_;
  int round_ = 0, fills_ = 0;
};

/// The order of the elements of rows: how many come before each, of equal ones those that stand before it.
class Order {
 public:
  Order(OnnxConverter& to, std::size_t rows, std::string name, bool largest)
      : to_(to), name_(std::move(name)), length_(to.at(rows).shape.back()), rows_(streamed(rows)) {
    OnnxShape pairs = to.at(rows).shape, column = pairs;  // [..., element, other]
    pairs.push_back(length_);
    column.push_back(1);
    if (elementsIn(pairs).value_or(most_compared + 1) > most_compared)
      throw OnnxUnknown("it sorts rows of " + std::to_string(length_) +
                        " elements: more than 2^26 pairs of them are compared");
    const std::size_t own = to.expanded(to.reshaped(rows_, column, told("column")), pairs, told("own")),
                      other = repeated(length_);
    const std::size_t before =
        made(of(largest ? Kind::Greater : Kind::Less, {other, own}), "before", pairs, Scalar::I8);
    const std::size_t stands = earlier();
    const std::size_t equal = made(of(Kind::Equal, {other, own}), "equal", pairs, Scalar::I8);
    const std::size_t first = made(of(Kind::Mul, {equal, stands}), "first of equal ones", pairs, Scalar::I8);
    const std::size_t counts = made(of(Kind::Add, {before, first}), "counts", pairs, Scalar::I8);
    OnnxShape row = to.at(rows).shape;
    row.insert(row.end() - 1, 1);
    rank_ = to.reshaped(made(of(Kind::ReduceSum, {counts}), "ranks", column, counted), row, told("rank"));
  }

  /// Of the first `count`, their values, or their places.
  std::size_t first(std::int64_t count, bool wants_places) {
    const OnnxShape found = with(count);
    if (!is_) {
      const std::size_t ranks = table(
          count, counted, "ranks", [](std::int64_t rank, std::int64_t) { return static_cast<float>(rank); });
      is_ = made(of(Kind::Equal, {to_.expanded(rank_, found, told("rank spread")), ranks}), "of rank", found,
                 Scalar::I8);
    }
    const Scalar scalar = wants_places ? counted : to_.at(rows_).scalar;
    const std::size_t from = wants_places ? numbers(length_) : repeated(count);
    const std::size_t zeros = made(of(Kind::Fill, {}), "zeros", {length_}, scalar);
    const std::size_t chosen = made(of(Kind::Where, {*is_, from, zeros}), "chosen", found, scalar);
    OnnxShape column = found;
    column.back() = 1;
    const std::size_t sums = made(of(Kind::ReduceSum, {chosen}), "sums", column, scalar);
    column.pop_back();
    return to_.reshaped(sums, column, told("found"));
  }

 private:
  std::string told(const std::string& what) { return name_ + " " + what + " " + std::to_string(++steps_); }
  std::size_t made(TensorOperator op, const std::string& what, const OnnxShape& shape, Scalar scalar) {
    return to_.add(std::move(op), told(what), shape, scalar);
  }
  /// [..., count, length].
  OnnxShape with(std::int64_t count) const {
    OnnxShape shape = to_.at(rows_).shape;
    shape.insert(shape.end() - 1, count);
    return shape;
  }
  std::size_t repeated(std::int64_t count) {
    return to_.expanded(to_.reshaped(rows_, with(1), told("row")), with(count), told("rows"));
  }
  /// 0, 1, 2 ...
  std::size_t numbers(std::int64_t count) {
    std::vector<float> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0.0F);
    return to_.ownTable(told("numbers"), {count}, counted, std::move(all));
  }
  /// [count, length] numbers.
  template <class Element>
  std::size_t table(std::int64_t count, Scalar scalar, const std::string& what, const Element& element) {
    std::vector<float> all;
    for (std::int64_t row = 0; row < count; ++row)
      for (std::int64_t column = 0; column < length_; ++column) all.push_back(element(row, column));
    return to_.ownTable(told(what), {count, length_}, scalar, std::move(all));
  }
  /// Where the second of a pair stands before the first: a table, but for rows of which it would be too long.
  std::size_t earlier() {
    if (length_ * length_ <= most_table)
      return table(length_, Scalar::I8, "earlier",
                   [](std::int64_t own, std::int64_t other) { return own > other ? 1.0F : 0.0F; });
    const OnnxShape pairs{length_, length_};
    const std::size_t number = numbers(length_),
                      column = to_.reshaped(numbers(length_), {length_, 1}, told("column of numbers"));
    return made(of(Kind::Greater, {to_.expanded(column, pairs, told("own number")), number}), "earlier",
                pairs, Scalar::I8);
  }
  /// What is read again and again comes from a kernel, so that its readers are in one group with it: those of
  /// external memory alone open groups of their own, with all pairs in memory between them.
  std::size_t streamed(std::size_t rows) {
    if (to_.at(rows).role == TensorRole::Activation) return rows;
    return to_.step(of(Kind::Max, {rows, rows}), told("streamed"), to_.at(rows).shape);
  }

  OnnxConverter& to_;
  std::string name_;
  std::int64_t length_;
  int steps_ = 0;  ///< before what is made with their numbers
  std::size_t rows_;
  std::size_t rank_ = 0;
  std::optional<std::size_t> is_;
};

/// Rows of found numbers, in the order of the node's dimensions.
std::size_t joined(OnnxConverter& to, const std::vector<std::size_t>& found, std::size_t axis,
                   const std::string& name) {
  OnnxShape shape = to.at(found.front()).shape;
  shape.back() = static_cast<std::int64_t>(found.size());
  std::size_t all = found.front();
  if (found.size() > 1) {
    TensorOperator op = of(Kind::Concat, found);
    op.axis = shape.size() - 1;
    all = to.step(std::move(op), name + " all", shape);
  }
  return to.transposed(all, swappedWithLast(shape.size(), axis), name);
}

void inferTopK(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  const OnnxShape count = infer.integers(1);
  if (count.size() != 1) OnnxInference::giveUp();
  shape[infer.axis(integerOf(infer.node(), "axis", -1), shape.size())] = count[0];
  infer.result(0, shape);
  if (infer.node().outputs.size() > 1) infer.result(1, shape, onnx_int64);
}

void topK(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape whole = to.shape(node.inputs[0]);
  const std::size_t axis = axisOf(node, -1, whole.size());
  const std::optional<OnnxShape> wanted = node.inputs.size() > 1 ? to.integers(node.inputs[1]) : std::nullopt;
  if (!wanted || wanted->size() != 1) throw OnnxUnknown("it sorts as many elements as data says");
  const std::int64_t count = wanted->front();
  if (count < 1 || count > whole[axis]) throw OnnxUnknown("it finds more elements than there are");
  const auto read = [&](std::size_t output) {
    return output < node.outputs.size() && !node.outputs[output].empty() && to.isRead(node.outputs[output]);
  };
  const std::string& result = node.outputs[0];
  const std::size_t rows =
      to.transposed(to.tensor(node.inputs[0]), swappedWithLast(whole.size(), axis), result + " rows");
  const bool largest = integerOf(node, "largest", 1) != 0;
  if (count > most_found) {
    Order order(to, rows, result, largest);
    const auto back = swappedWithLast(whole.size(), axis);
    if (read(0)) to.give(node, to.transposed(order.first(count, false), back, result));
    if (read(1)) to.give(node, to.transposed(order.first(count, true), back, node.outputs[1]), 1);
    return;
  }
  Search search(to, rows, result, largest);
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) search.leaveOut();
    search.next(read(1) || i + 1 < count);
  }
  if (read(0)) to.give(node, joined(to, search.values, axis, result));
  if (read(1)) to.give(node, joined(to, search.places, axis, node.outputs[1]), 1);
}

void inferArgument(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  const std::size_t axis = infer.axis(integerOf(infer.node(), "axis", 0), shape.size());
  if (integerOf(infer.node(), "keepdims", 1) != 0)
    shape[axis] = 1;
  else
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  infer.result(0, shape, onnx_int64);
}

void argument(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape whole = to.shape(node.inputs[0]);
  const std::size_t axis = axisOf(node, 0, whole.size());
  const std::string& result = node.outputs[0];
  const std::size_t rows =
      to.transposed(to.tensor(node.inputs[0]), swappedWithLast(whole.size(), axis), result + " rows");
  Search search(to, rows, result, node.op == "ArgMax");
  search.last_of_equal = integerOf(node, "select_last_index", 0) != 0;
  search.next(true);
  OnnxShape shape = whole;
  shape[axis] = 1;
  if (integerOf(node, "keepdims", 1) == 0) shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  if (shape.empty()) throw OnnxUnknown("its result has no dimensions");
  to.give(node, to.reshaped(joined(to, search.places, axis, result + " places"), shape, result));
}

/// 1 at the first of the largest elements of a row, else 0. Before opset 13 rows are all dimensions from the
/// axis on.
void hardMax(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape whole = to.shape(node.inputs[0]);
  const bool together = to.opset() < 13;
  const std::size_t axis = axisOf(node, together ? 1 : -1, whole.size());
  const std::string& result = node.outputs[0];
  const auto order = swappedWithLast(whole.size(), together ? whole.size() - 1 : axis);
  std::size_t rows = to.transposed(to.tensor(node.inputs[0]), order, result + " rows");
  if (together) {
    OnnxShape merged(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(axis));
    merged.push_back(
        elementsIn({whole.begin() + static_cast<std::ptrdiff_t>(axis), whole.end()}).value_or(0));
    rows = to.reshaped(rows, merged, result + " merged");
  }
  Search search(to, rows, result, true);
  search.next(true);
  const std::size_t marked = search.marked();
  if (together) return to.give(node, to.reshaped(marked, whole, result));
  to.give(node, to.transposed(marked, order, result));
}

void inferHardMax(OnnxInference& infer) {
  infer.result(0, infer.shape(0));
}

void inferOneHot(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  const OnnxShape depth = infer.integers(1);
  const std::size_t axis = infer.axis(integerOf(infer.node(), "axis", -1), shape.size() + 1);
  if (depth.size() != 1) OnnxInference::giveUp();
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), depth[0]);
  infer.result(0, shape, infer.typeOf(2));
  if (depth[0] < 1) return;
  const std::int64_t inner =
      elementsIn({shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end()}).value_or(1);
  infer.computed(0, [&](std::size_t place) {
    const auto at = static_cast<std::int64_t>(place);
    const std::int64_t index = at / inner / depth[0] * inner + at % inner;
    const std::int64_t wanted = integerFrom(infer.elements(0).at(static_cast<std::size_t>(index)));
    const bool on = (wanted < 0 ? wanted + depth[0] : wanted) == at / inner % depth[0];
    return infer.elements(2).at(on ? 1 : 0);
  });
}

/// Places from the first on, or, below 0, from behind the last.
void oneHot(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape from = to.shape(node.inputs[0]), whole = to.shape(node.outputs[0]);
  const std::size_t axis = axisOf(node, -1, whole.size());
  const OnnxValue* const numbers = node.inputs.size() == 3 ? to.value(node.inputs[2]) : nullptr;
  if (!numbers || !numbers->elements || numbers->elements->size() != 2)
    throw OnnxUnknown("its two values are not known");
  const double off = (*numbers->elements)[0], on = (*numbers->elements)[1];
  const std::int64_t depth = whole[axis];
  if (depth < 1 || depth > most_table) throw OnnxUnknown("its depth is not from 1 to 2^22");
  OnnxShape rows = from;
  rows.push_back(1);
  const std::string& result = node.outputs[0];
  OnnxShape spread = rows;
  spread.back() = depth;
  const std::size_t places =
      to.expanded(to.reshaped(to.tensor(node.inputs[0]), rows, result + " rows"), spread, result + " spread");
  const auto table = [&](const char* name, float first) {
    std::vector<float> all(static_cast<std::size_t>(depth));
    std::iota(all.begin(), all.end(), first);
    return to.ownTable(result + name, {depth}, to.at(places).scalar, std::move(all));
  };
  const std::size_t right =
                        to.step(of(Kind::Equal, {places, table(" numbers", 0)}), result + " found", spread),
                    left =
                        to.step(of(Kind::Equal, {places, table(" from behind", static_cast<float>(-depth))}),
                                result + " found from behind", spread);
  std::size_t made = to.step(of(Kind::Max, {right, left}), result + " marked", spread);
  made = to.step(withNumber(Kind::Mul, made, on - off), result + " scaled", spread);
  made = to.step(withNumber(Kind::Add, made, off), result + " shifted", spread);
  std::vector<std::size_t> order;  // the last dimension goes to its axis
  for (std::size_t k = 0; k < whole.size(); ++k)
    order.push_back(k < axis ? k : k == axis ? whole.size() - 1 : k - 1);
  to.give(node, to.transposed(made, order, result));
}

/// Sums from the first on, along one dimension.
void inferCumSum(OnnxInference& infer) {
  const OnnxShape shape = infer.shape(0);
  infer.result(0, shape);
  if (!infer.knowsInputs() || infer.integers(1).size() != 1 || integerOf(infer.node(), "exclusive", 0) != 0 ||
      integerOf(infer.node(), "reverse", 0) != 0)
    return;
  const std::size_t axis = infer.axis(infer.integers(1)[0], shape.size());
  const auto inner = static_cast<std::size_t>(
      elementsIn({shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end()}).value_or(1));
  std::vector<double> elements = infer.elements(0);
  for (std::size_t i = inner; i < elements.size(); ++i)
    if (i / inner % static_cast<std::size_t>(shape[axis]) != 0) elements[i] += elements[i - inner];
  infer.setElements(0, std::move(elements));
}

/// A product with a table of which elements count for each.
void cumSum(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape whole = to.shape(node.inputs[0]);
  const std::optional<OnnxShape> given = node.inputs.size() > 1 ? to.integers(node.inputs[1]) : std::nullopt;
  if (!given || given->size() != 1) throw OnnxUnknown("its axis is computed");
  const std::optional<std::size_t> axis = dimensionOf(given->front(), whole.size());
  if (!axis) throw OnnxUnknown("its axis is no dimension of its input");
  const std::int64_t count = whole[*axis];
  if (count * count > most_table) throw OnnxUnknown("its table has more than 2^22 elements");
  const bool exclusive = integerOf(node, "exclusive", 0) != 0, reverse = integerOf(node, "reverse", 0) != 0;
  std::vector<float> counts;
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t k = 0; k < count; ++k)
      counts.push_back((reverse ? k > i : k < i) || (k == i && !exclusive) ? 1.0F : 0.0F);
  const std::string& result = node.outputs[0];
  const std::vector<std::size_t> order = swappedWithLast(whole.size(), *axis);
  const std::size_t x = to.transposed(to.tensor(node.inputs[0]), order, result + " rows");
  const std::size_t table =
      to.ownTable(result + " table", {count, count}, to.scalar(node.inputs[0]), std::move(counts));
  const std::size_t made = to.step(of(Kind::Linear, {x, table}), result + " sums", to.at(x).shape);
  to.give(node, to.transposed(made, order, result));
}

/// Whether an element counts of a triangle: of its column and its row.
bool isKept(const OnnxNode& node, std::int64_t diagonal, std::int64_t right) {
  return integerOf(node, "upper", 1) != 0 ? right >= diagonal : right <= diagonal;
}

/// What lies on one side of a diagonal; zeros elsewhere.
void inferTrilu(OnnxInference& infer) {
  const OnnxShape shape = infer.shape(0);
  infer.result(0, shape);
  if (shape.size() < 2 || !infer.knowsInputs()) return;
  const std::int64_t diagonal = infer.given(1) ? infer.integers(1).at(0) : 0;
  const std::vector<double>& from = infer.elements(0);
  infer.computed(0, [&](std::size_t place) {
    const auto at = static_cast<std::int64_t>(place);
    const std::int64_t column = at % shape.back(), row = at / shape.back() % shape[shape.size() - 2];
    return isKept(infer.node(), diagonal, column - row) ? from.at(place) : 0.0;
  });
}

void trilu(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape whole = to.shape(node.inputs[0]);
  if (whole.size() < 2) throw OnnxUnknown("its input is no matrix");
  std::int64_t diagonal = 0;
  if (node.inputs.size() > 1 && !node.inputs[1].empty()) {
    const std::optional<double> given = to.number(node.inputs[1]);
    if (!given) throw OnnxUnknown("its diagonal is computed");
    diagonal = integerFrom(*given);
  }
  const OnnxShape matrix{whole[whole.size() - 2], whole.back()};
  if (elementsIn(matrix).value_or(most_table + 1) > most_table)
    throw OnnxUnknown("its table has more than 2^22 elements");
  std::vector<float> kept;
  for (std::int64_t row = 0; row < matrix[0]; ++row)
    for (std::int64_t column = 0; column < matrix[1]; ++column)
      kept.push_back(isKept(node, diagonal, column - row) ? 1.0F : 0.0F);
  const std::string& result = node.outputs[0];
  const Scalar scalar = to.scalar(node.inputs[0]);
  const std::size_t table = to.ownTable(result + " triangle", matrix, scalar, std::move(kept));
  TensorOperator zeros = of(Kind::Fill, {});
  zeros.name = result + " zeros";
  const std::size_t none = to.add(std::move(zeros), result + " zeros", {whole.back()}, scalar);
  to.apply(node, of(Kind::Where, {table, to.tensor(node.inputs[0]), none}), whole);
}

}  // namespace

std::span<const OnnxOperator> selectionOfOnnx() {
  static constexpr OnnxOperator all[] = {
      {"TopK", inferTopK, topK, true},     {"ArgMax", inferArgument, argument},
      {"ArgMin", inferArgument, argument}, {"OneHot", inferOneHot, oneHot},
      {"CumSum", inferCumSum, cumSum},     {"Trilu", inferTrilu, trilu},
      {"Hardmax", inferHardMax, hardMax}};
  return all;
}

}  // namespace sluice::inline tensor
