// GridSample: elements of images at places between them, which data says. Each place gives weights to all
// rows and all columns of the image, tents of one element's width; their products are a matrix that the image
// is multiplied with.

#include <algorithm>
#include <numeric>

#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

constexpr std::int64_t most_weights = std::int64_t{1} << 26;
constexpr std::int64_t most_extent = std::int64_t{1} << 20;

/// Of an image [N, C, H, W] and a grid [N, h, w, 2]: [N, C, h, w].
void inferGridSample(OnnxInference& infer) {
  const OnnxShape x = infer.shape(0), grid = infer.shape(1);
  if (x.size() != 4 || grid.size() != 4 || grid[3] != 2 || grid[0] != x[0]) OnnxInference::giveUp();
  infer.result(0, {x[0], x[1], grid[1], grid[2]}, infer.typeOf(0));
}

class Sampling {
 public:
  Sampling(OnnxConverter& to, const OnnxNode& node) : to_(to), node_(node), name_(node.outputs[0]) {}

  void convert() {
    const OnnxShape x = to_.shape(node_.inputs.at(0)), grid = to_.shape(node_.inputs.at(1));
    if (x.size() != 4 || grid.size() != 4 || grid[3] != 2 || grid[0] != x[0])
      throw OnnxUnknown("its input is no image, or its grid does not go with it");
    const std::string mode = textOf(node_, "mode", "linear"),
                      outside = textOf(node_, "padding_mode", "zeros");
    if (mode != "linear" && mode != "bilinear") throw OnnxUnknown("it takes elements by '" + mode + "'");
    if (outside != "zeros" && outside != "border")
      throw OnnxUnknown("what lies outside is had by '" + outside + "'");
    const std::int64_t count = grid[1] * grid[2];
    if (elementsIn({x[0], count, x[2], x[3]}).value_or(most_weights + 1) > most_weights)
      throw OnnxUnknown("its places and its image give more than 2^26 weights");
    if (std::max(x[2], x[3]) > most_extent) throw OnnxUnknown("its image is larger than 2^20");
    scalar_ = to_.scalar(node_.inputs[0]);
    const std::size_t places = to_.reshaped(to_.tensor(node_.inputs[1]), {x[0], count, 2}, name_ + " places");
    const std::size_t rows = tents(places, 1, x[2], outside == "border", " row"),
                      columns = tents(places, 0, x[3], outside == "border", " column");
    const OnnxShape apart{x[0], count, x[2], x[3]};
    const std::size_t high = to_.expanded(to_.reshaped(rows, {x[0], count, x[2], 1}, name_ + " rows"), apart,
                                          name_ + " rows spread"),
                      wide = to_.expanded(to_.reshaped(columns, {x[0], count, 1, x[3]}, name_ + " columns"),
                                          apart, name_ + " columns spread");
    const std::size_t weights = to_.reshaped(made({Kind::Mul, {high, wide}}, " weights", apart),
                                             {x[0], count, x[2] * x[3]}, name_ + " table");
    const std::size_t image =
        to_.reshaped(to_.tensor(node_.inputs[0]), {x[0], x[1], x[2] * x[3]}, name_ + " image");
    TensorOperator product{{}, Kind::BatchedMatmul, {image, weights}, 0, true, {}, {}, {}};
    const std::size_t sampled = to_.step(std::move(product), name_ + " sampled", {x[0], x[1], count});
    to_.give(node_, to_.reshaped(sampled, {x[0], x[1], grid[1], grid[2]}, name_));
  }

 private:
  struct Step {
    Kind kind;
    std::vector<std::size_t> inputs;
    std::optional<float> number = {};
  };

  std::size_t made(Step step, const std::string& what, const OnnxShape& shape) {
    TensorOperator op{{}, step.kind, std::move(step.inputs), 0, false, {}, {}, {}};
    op.number = step.number;
    return to_.add(std::move(op), name_ + what, shape, scalar_);
  }

  /// [N, count, extent]: how much each element of one dimension gives to each place, max(0, 1 - distance).
  std::size_t tents(std::size_t places, std::int64_t coordinate, std::int64_t extent, bool border,
                    const std::string& what) {
    const OnnxShape one{to_.at(places).shape[0], to_.at(places).shape[1], 1};
    OnnxShape all = one;
    all.back() = extent;
    const bool corners = integerOf(node_, "align_corners", 0) != 0;
    // From -1 and 1, the centres of the outer elements or the outer edges, to numbers of elements.
    const auto half = static_cast<float>(corners ? extent - 1 : extent) / 2;
    std::size_t at = to_.sliced(places, 2, coordinate, 1, name_ + what);
    at = made({Kind::Mul, {at}, half}, what + " scaled", one);
    at = made({Kind::Add, {at}, static_cast<float>(extent - 1) / 2}, what + " place", one);
    if (border) {
      at = made({Kind::Max, {at}, 0.0F}, what + " from the first", one);
      at = made({Kind::Min, {at}, static_cast<float>(extent - 1)}, what + " to the last", one);
    }
    std::vector<float> numbers(static_cast<std::size_t>(extent));
    std::iota(numbers.begin(), numbers.end(), 0.0F);
    const std::size_t table = to_.ownTable(name_ + what + " numbers", {extent}, scalar_, std::move(numbers));
    at = made({Kind::Sub, {to_.expanded(at, all, name_ + what + " spread"), table}}, what + " difference",
              all);
    at = made({Kind::Neg, {made({Kind::Abs, {at}}, what + " distance", all)}}, what + " nearness", all);
    at = made({Kind::Add, {at}, 1.0F}, what + " tent", all);
    return made({Kind::Relu, {at}}, what + " weights", all);
  }

  OnnxConverter& to_;
  const OnnxNode& node_;
  const std::string& name_;
  Scalar scalar_ = Scalar::F32;
};

void gridSample(OnnxConverter& to, const OnnxNode& node) {
  Sampling(to, node).convert();
}

/// Of images of a size [N, C, H, W], or volumes, the places that affine maps [N, 2, 3] give to each element:
/// [N, H, W, 2].
void inferAffineGrid(OnnxInference& infer) {
  const OnnxShape theta = infer.shape(0), size = infer.integers(1);
  if (size.size() < 4 || size.size() > 5 || theta.size() != 3) OnnxInference::giveUp();
  OnnxShape shape{size[0]};
  shape.insert(shape.end(), size.begin() + 2, size.end());
  shape.push_back(static_cast<std::int64_t>(size.size()) - 2);
  infer.result(0, shape);
}

/// The places of all elements, with a 1 behind each; the last dimension of the image comes first in a place.
std::vector<float> placesOf(const OnnxShape& extents, bool corners) {
  std::vector<float> places;
  const std::int64_t count = elementsIn(extents).value_or(0);
  for (std::int64_t at = 0; at < count; ++at) {
    std::int64_t rest = at;
    for (std::size_t k = extents.size(); k-- > 0; rest /= extents[k]) {
      const auto index = static_cast<double>(rest % extents[k]), extent = static_cast<double>(extents[k]);
      const double place =
          corners ? (extent > 1 ? 2 * index / (extent - 1) - 1 : -1) : (2 * index + 1) / extent - 1;
      places.push_back(static_cast<float>(place));
    }
    places.push_back(1.0F);
  }
  return places;
}

/// A product of the maps with a table of all places.
void affineGrid(OnnxConverter& to, const OnnxNode& node) {
  const std::optional<OnnxShape> size = node.inputs.size() > 1 ? to.integers(node.inputs[1]) : std::nullopt;
  if (!size || size->size() < 4 || size->size() > 5) throw OnnxUnknown("its size is computed");
  const OnnxShape extents(size->begin() + 2, size->end()), theta = to.shape(node.inputs[0]);
  const auto rank = static_cast<std::int64_t>(extents.size());
  if (theta != OnnxShape{(*size)[0], rank, rank + 1}) throw OnnxUnknown("its maps do not go with its size");
  const std::int64_t count = elementsIn(extents).value_or(0);
  if (count < 1 || count > most_extent) throw OnnxUnknown("its image has more than 2^20 elements");
  const std::string& name = node.outputs[0];
  const std::size_t table = to.ownTable(name + " places", {count, rank + 1}, to.scalar(node.inputs[0]),
                                        placesOf(extents, integerOf(node, "align_corners", 0) != 0));
  const std::size_t x = to.step({{}, Kind::Linear, {to.tensor(node.inputs[0]), table}, 0, false, {}, {}, {}},
                                name + " of maps", {theta[0], rank, count});
  OnnxShape shape{theta[0]};
  shape.insert(shape.end(), extents.begin(), extents.end());
  shape.push_back(rank);
  to.give(node, to.reshaped(to.transposed(x, {0, 2, 1}, name + " turned"), shape, name));
}

}  // namespace

std::span<const OnnxOperator> samplingOfOnnx() {
  static constexpr OnnxOperator all[] = {{"GridSample", inferGridSample, gridSample},
                                         {"AffineGrid", inferAffineGrid, affineGrid}};
  return all;
}

}  // namespace sluice::inline tensor
