#pragma once
// What operators are built of that take parts of tensors at places, or put them there. Known places are runs
// of neighbours, or a product with a table of ones and zeros; where data says the places, they are compared
// with a table of all of them, or rows of a large constant are looked up in external memory. A place beyond
// the data gives no numbers: ONNX has no result there.

#include <optional>
#include <string>
#include <vector>

#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"

namespace sluice::inline tensor::lookups {

using Kind = TensorOperatorKind;

TensorOperator of(Kind kind, std::vector<std::size_t> inputs);
OnnxShape part(const OnnxShape& shape, std::size_t begin, std::size_t end);
OnnxShape joined(OnnxShape a, const OnnxShape& b);
/// The attribute "axis", 0 where it is not given.
std::size_t axisOf(const OnnxNode& node, std::size_t rank);
/// Throws OnnxUnknown where it is 0, or above 2^60.
std::int64_t product(const OnnxShape& shape);
/// The attribute "reduction": "none", "add", "mul" ...
std::string reductionOf(const OnnxNode& node);

/// The steps of one node; tensors are matrices here, a row the elements that go together.
class Lookup {
 public:
  Lookup(OnnxConverter& to, std::string name) : to_(to), name_(std::move(name)) {}

  const OnnxShape& shapeOf(std::size_t x) const { return to_.at(x).shape; }
  Scalar scalarOf(std::size_t x) const { return to_.at(x).scalar; }
  std::size_t made(TensorOperator op, const std::string& what, const OnnxShape& shape, Scalar scalar);
  /// The first ones along a dimension.
  std::size_t sliced(std::size_t x, std::size_t axis, std::int64_t count);
  /// Any number of neighbouring dimensions merged or split.
  std::size_t shaped(std::size_t x, const OnnxShape& shape);
  std::size_t turned(std::size_t x, const std::vector<std::size_t>& order);
  std::size_t repeated(std::size_t x, const OnnxShape& shape);
  /// [outer..., n] as [outer..., count, n].
  std::size_t repeatedRows(std::size_t x, std::int64_t count);
  std::size_t joinedRows(const std::vector<std::size_t>& parts);

  /// Rows of [rows, length] at known places, as slices where they are few runs of neighbours.
  std::size_t taken(std::size_t x, const OnnxShape& places);
  /// Likewise, of any tensor along a dimension.
  std::size_t takenAlong(std::size_t x, std::size_t axis, const OnnxShape& places);
  /// Rows of [rows, length] at the places [count] that data says.
  std::size_t found(std::size_t x, std::size_t places);
  /// Likewise, of a constant that stays in external memory.
  std::size_t lookedUp(const std::string& constant, const OnnxShape& table, std::size_t places);
  /// [outer..., count, rows]: 1 where a place of [outer..., count] is that row, counted from the first on or,
  /// below 0, from behind the last.
  std::size_t marks(std::size_t places, std::int64_t rows);
  /// Along the last dimension: whether a mark is 1.
  std::size_t anyOf(std::size_t marked);
  /// [..., 1]: 1 where one of a row's marks is 1, else no number.
  std::size_t anyOrNone(std::size_t marked);
  /// Along the last dimension: the elements of x where marks are 1, else 0; their sum.
  std::size_t sumWhere(std::size_t marked, std::size_t x);

 private:
  /// Names of steps are apart.
  std::string told(const std::string& what) { return name_ + " " + what + " " + std::to_string(++steps_); }

  OnnxConverter& to_;
  std::string name_;
  int steps_ = 0;
};

/// Counted from the first on; nothing where they are not known.
std::optional<OnnxShape> knownPlaces(OnnxConverter& to, const std::string& name, std::int64_t extent);
/// A constant of many rows, each of which a product would read for every place.
bool isLargeTable(const OnnxConverter& to, const std::string& data, std::int64_t rows);

/// Elements of the data that one index of GatherND and ScatterND names; the first dimensions are batches.
OnnxShape partOf(const OnnxShape& data, const OnnxShape& indices, std::int64_t batches);
bool fits(const OnnxShape& data, const OnnxShape& indices, std::int64_t batches);
/// The number of the part that each index names; nothing where one is beyond the data.
std::optional<OnnxShape> partsOf(const OnnxShape& numbers, const OnnxShape& data, const OnnxShape& indices,
                                 std::int64_t batches);

/// Matrices of what indices of several numbers name: the data's parts, and one number for each index.
struct Parts {
  OnnxShape data, indices;
  std::int64_t batches = 0;
  std::int64_t rows = 0, length = 0, count = 0;
  std::optional<OnnxShape> places;

  Parts(OnnxConverter& to, const OnnxNode& node);
  /// [count]: the number of the part that data says.
  std::size_t computed(OnnxConverter& to, const OnnxNode& node, Lookup& lookup) const;

 private:
  /// [count, 1], to be added to the number of a part: 0, or what makes it one that there is not.
  std::size_t beyond(Lookup& lookup, std::size_t numbers, std::size_t lasts) const;
};

/// Elements at places along one dimension, which the steps have last.
struct Elements {
  OnnxShape data, indices;
  std::size_t axis = 0;
  std::vector<std::size_t> order;  ///< the axis changes places with the last dimension

  Elements(OnnxConverter& to, const OnnxNode& node);
  std::size_t lastAxis(Lookup& lookup, std::size_t x) const { return lookup.turned(x, order); }
  /// Numbers of the data's elements, in its order.
  OnnxShape flat(const OnnxShape& places) const;
  /// Those along the axis, if they are the same everywhere else.
  std::optional<OnnxShape> ofEveryRow(const OnnxShape& places) const;
};

}  // namespace sluice::inline tensor::lookups
