// Images made larger or smaller, tensors repeated, and blocks of elements that become channels or come from
// them.

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"
#include "engine/tensor/onnx/operators/lookups.h"

namespace sluice::inline tensor {
namespace {

constexpr std::int64_t most_table = std::int64_t{1} << 22;

/// Resize(x, region, scales, sizes), of which the last two may be missing.
void inferResize(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  const bool upsample = infer.node().op == "Upsample";
  const std::size_t scales = upsample ? 1 : 2;
  if (infer.node().lists.contains("axes")) OnnxInference::giveUp();
  bool same = false;
  if (infer.given(scales) && !infer.elements(scales).empty()) {
    const std::vector<double>& factors = infer.elements(scales);
    if (factors.size() != shape.size()) OnnxInference::giveUp();
    for (std::size_t k = 0; k < shape.size(); ++k)
      shape[k] = integerFrom(std::floor(static_cast<double>(shape[k]) * factors[k]));
    same = std::ranges::all_of(factors, [](double factor) { return factor == 1; });
  } else {
    if (upsample || !infer.given(3)) OnnxInference::giveUp();
    const OnnxShape sizes = infer.integers(3);
    if (sizes.size() != shape.size()) OnnxInference::giveUp();
    shape = sizes;
    same = shape == infer.shape(0);
  }
  infer.result(0, shape);
  if (same) infer.moved(0, [](const OnnxShape& index) { return index; });
}

/// How one dimension becomes another by a linear or cubic kernel: `taps` elements of `from` for each of `to`,
/// those beyond the ends being the outermost ones.
struct Interpolation {
  std::int64_t from = 1, to = 1;
  double scale = 1;
  std::string where;  ///< coordinate_transformation_mode
  bool cubic = false;
  double a = -0.75;      ///< of the cubic kernel
  bool exclude = false;  ///< taps beyond the ends do not count
  bool smooth = false;   ///< what is made smaller is an average of all that lies there

  /// Where element `i` of the result lies among those of the input.
  double position(std::int64_t i) const {
    const double at = static_cast<double>(i);
    if (where == "asymmetric") return at / scale;
    if (where == "align_corners")
      return to == 1 ? 0 : at * static_cast<double>(from - 1) / static_cast<double>(to - 1);
    if (where == "pytorch_half_pixel" && to == 1) return 0;
    return (at + 0.5) / scale - 0.5;
  }

  double weightAt(double distance) const {
    const double d = std::abs(distance);
    if (!cubic) return std::max(0.0, 1 - d);
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? (((d - 5) * d + 8) * d - 4) * a : 0;
  }

  /// [to, from]
  std::vector<float> matrix() const {
    std::vector<float> rows(static_cast<std::size_t>(to * from), 0.0F);
    for (std::int64_t i = 0; i < to; ++i) {
      const double stretch = smooth ? std::max(1.0, 1 / scale) : 1.0, reach = (cubic ? 2 : 1) * stretch;
      const double at =
          cubic || smooth ? position(i) : std::clamp(position(i), 0.0, static_cast<double>(from - 1));
      const auto first = static_cast<std::int64_t>(std::floor(at - reach)) + 1;
      std::vector<double> row(static_cast<std::size_t>(from), 0);
      double sum = 0;
      for (std::int64_t tap = first; static_cast<double>(tap) < at + reach; ++tap) {
        if (exclude && (tap < 0 || tap >= from)) continue;
        const double weight = weightAt((at - static_cast<double>(tap)) / stretch);
        row[static_cast<std::size_t>(std::clamp<std::int64_t>(tap, 0, from - 1))] += weight;
        sum += weight;
      }
      for (std::int64_t k = 0; k < from; ++k)
        rows[static_cast<std::size_t>(i * from + k)] = static_cast<float>(
            exclude ? row[static_cast<std::size_t>(k)] / sum : row[static_cast<std::size_t>(k)]);
    }
    return rows;
  }
};

/// How dimension k follows from the input's; coordinates by the node's rule, and by its factors where it has
/// them.
Interpolation along(OnnxConverter& to, const OnnxNode& node, std::size_t k) {
  const OnnxShape from = to.shape(node.inputs[0]), whole = to.shape(node.outputs[0]);
  Interpolation one;
  one.where =
      node.op == "Upsample" ? "asymmetric" : textOf(node, "coordinate_transformation_mode", "half_pixel");
  const bool known = one.where == "half_pixel" || one.where == "pytorch_half_pixel" ||
                     one.where == "align_corners" || one.where == "asymmetric";
  if (!known) throw OnnxUnknown("it interpolates by a rule that is not known");
  one.from = from[k], one.to = whole[k];
  one.scale = static_cast<double>(whole[k]) / static_cast<double>(from[k]);
  const std::size_t scales = node.op == "Upsample" ? 1 : 2;
  const OnnxValue* const factors = node.inputs.size() > scales ? to.value(node.inputs[scales]) : nullptr;
  if (factors && factors->elements && factors->elements->size() == from.size())
    one.scale = (*factors->elements)[k];
  return one;
}

/// One dimension after the other: a product with a table of how much of each element there is in each.
void interpolate(OnnxConverter& to, const OnnxNode& node, const std::string& mode) {
  if (mode != "linear" && mode != "cubic") throw OnnxUnknown("it interpolates by a rule that is not known");
  if (textOf(node, "keep_aspect_ratio_policy", "stretch") != "stretch")
    throw OnnxUnknown("its extents follow each other");
  const OnnxShape from = to.shape(node.inputs[0]), whole = to.shape(node.outputs[0]);
  if (from.size() != whole.size()) throw OnnxUnknown("the shapes of its results are not known");
  const std::string& name = node.outputs[0];
  std::size_t x = to.tensor(node.inputs[0]);
  for (std::size_t k = from.size(); k-- > 0;) {
    if (from[k] == whole[k]) continue;
    if (from[k] < 1 || elementsIn({from[k], whole[k]}).value_or(most_table) >= most_table)
      throw OnnxUnknown("its table has more than 2^22 elements");
    Interpolation one = along(to, node, k);
    one.cubic = mode == "cubic";
    one.a = numberOf(node, "cubic_coeff_a", -0.75);
    one.smooth = integerOf(node, "antialias", 0) != 0;
    one.exclude = one.smooth || integerOf(node, "exclude_outside", 0) != 0;
    const std::string step = name + " along " + std::to_string(k);
    const std::size_t table =
        to.ownTable(step + " table", {one.to, one.from}, to.scalar(node.inputs[0]), one.matrix());
    std::vector<std::size_t> order(from.size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
    std::swap(order[k], order.back());
    x = to.transposed(x, order, step + " rows");
    OnnxShape shape = to.at(x).shape;
    shape.back() = one.to;
    x = to.step({{}, TensorOperatorKind::Linear, {x, table}, 0, false, {}, {}, {}}, step + " made", shape);
    x = to.transposed(x, order, step);
  }
  to.give(node, x);
}

/// Each element so often as its dimension grows; with `all`, all of them again and again.
void repeat(OnnxConverter& to, const OnnxNode& node, bool all) {
  const OnnxShape from = to.shape(node.inputs[0]), whole = to.shape(node.outputs[0]);
  if (from.size() != whole.size()) throw OnnxUnknown("the shapes of its results are not known");
  OnnxShape apart, many;
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (from[k] < 1 || whole[k] % from[k] != 0) throw OnnxUnknown("it grows by no whole number");
    const std::int64_t times = whole[k] / from[k];
    if (all && times > 1) apart.push_back(1), many.push_back(times);
    apart.push_back(from[k]), many.push_back(from[k]);
    if (!all && times > 1) apart.push_back(1), many.push_back(times);
  }
  const std::string& name = node.outputs[0];
  const std::size_t x = to.reshaped(to.tensor(node.inputs[0]), apart, name + " apart");
  to.give(node, to.reshaped(to.expanded(x, many, name + " repeated"), whole, name));
}

/// The whole number near a position, by "nearest_mode".
double rounded(double position, const std::string& mode) {
  if (mode == "floor") return std::floor(position);
  if (mode == "ceil") return std::ceil(position);
  return mode == "round_prefer_ceil" ? std::floor(position + 0.5) : std::ceil(position - 0.5);
}

/// The nearest element, along one dimension after the other.
void takeNearest(OnnxConverter& to, const OnnxNode& node, const std::string& mode) {
  const OnnxShape from = to.shape(node.inputs[0]), whole = to.shape(node.outputs[0]);
  if (from.size() != whole.size()) throw OnnxUnknown("the shapes of its results are not known");
  std::size_t x = to.tensor(node.inputs[0]);
  lookups::Lookup lookup(to, node.outputs[0]);
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (from[k] == whole[k]) continue;
    const Interpolation one = along(to, node, k);
    OnnxShape places;
    for (std::int64_t i = 0; i < one.to; ++i)
      places.push_back(
          std::clamp<std::int64_t>(integerFrom(rounded(one.position(i), mode)), 0, one.from - 1));
    x = lookup.takenAlong(x, k, places);
  }
  to.give(node, x);
}

/// The nearest element: every one so often as its dimension grows by a whole number, whatever the rule for
/// halves.
void resize(OnnxConverter& to, const OnnxNode& node) {
  const std::string mode = textOf(node, "mode", "nearest");
  if (mode != "nearest") return interpolate(to, node, mode == "bilinear" ? "linear" : mode);
  const std::string where = textOf(node, "coordinate_transformation_mode", "half_pixel"),
                    nearest = textOf(node, "nearest_mode", "round_prefer_floor");
  const bool below = where == "asymmetric" && nearest == "floor";
  const bool middle = where == "half_pixel" && nearest.starts_with("round");
  const OnnxShape from = to.shape(node.inputs[0]), whole = to.shape(node.outputs[0]);
  bool times = from.size() == whole.size() && (below || middle || node.op == "Upsample");
  for (std::size_t k = 0; times && k < from.size(); ++k) times = from[k] > 0 && whole[k] % from[k] == 0;
  if (times) return repeat(to, node, false);
  takeNearest(to, node, node.op == "Upsample" ? "floor" : nearest);
}

void inferTile(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  const OnnxShape times = infer.integers(1);
  if (times.size() != shape.size()) OnnxInference::giveUp();
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::optional<std::int64_t> extent = elementsIn({shape[k], times[k]});
    if (!extent) OnnxInference::giveUp();
    shape[k] = *extent;
  }
  infer.result(0, shape);
  const OnnxShape from = infer.shape(0);
  infer.moved(0, [&](OnnxShape index) {
    for (std::size_t k = 0; k < index.size(); ++k) index[k] %= from[k];
    return index;
  });
}

void tile(OnnxConverter& to, const OnnxNode& node) {
  repeat(to, node, true);
}

void inferDepthToSpace(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  const std::int64_t block = integerOf(infer.node(), "blocksize", 0);
  const bool to_space = infer.node().op == "DepthToSpace";
  if (shape.size() != 4 || block < 1 || block > (1 << 15)) OnnxInference::giveUp();
  const std::int64_t square = block * block;
  if (to_space ? shape[1] % square != 0 : shape[2] % block != 0 || shape[3] % block != 0)
    OnnxInference::giveUp();
  shape[1] = to_space ? shape[1] / square : shape[1] * square;
  for (const std::size_t k : {2, 3}) shape[k] = to_space ? shape[k] * block : shape[k] / block;
  infer.result(0, shape);
}

void depthToSpace(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape from = to.shape(node.inputs[0]), whole = to.shape(node.outputs[0]);
  const std::int64_t block = integerOf(node, "blocksize", 0);
  if (from.size() != 4 || whole.size() != 4 || block < 1) throw OnnxUnknown("its input is no image");
  const bool to_space = node.op == "DepthToSpace", rows_first = textOf(node, "mode", "DCR") == "DCR";
  OnnxShape apart;
  std::vector<std::size_t> order;
  if (!to_space) {
    apart = {from[0], from[1], whole[2], block, whole[3], block};
    order = {0, 3, 5, 1, 2, 4};
  } else if (rows_first) {
    apart = {from[0], block, block, whole[1], from[2], from[3]};
    order = {0, 3, 4, 1, 5, 2};
  } else {
    apart = {from[0], whole[1], block, block, from[2], from[3]};
    order = {0, 1, 4, 2, 5, 3};
  }
  const std::string& name = node.outputs[0];
  const std::size_t x = to.reshaped(to.tensor(node.inputs[0]), apart, name + " apart");
  to.give(node, to.reshaped(to.transposed(x, order, name + " in order"), whole, name));
}

/// Blocks of [N, channels * block, count] put back where they were taken from an image.
void inferCol2Im(OnnxInference& infer) {
  const OnnxShape x = infer.shape(0), image = infer.integers(1), block = infer.integers(2);
  const std::optional<std::int64_t> elements = elementsIn(block);
  if (x.size() != 3 || !elements || *elements == 0 || x[1] % *elements != 0) OnnxInference::giveUp();
  OnnxShape shape{x[0], x[1] / *elements};
  shape.insert(shape.end(), image.begin(), image.end());
  infer.result(0, shape);
}

/// Blocks along one dimension of an image.
struct Blocks {
  std::int64_t size = 1, stride = 1, dilation = 1, before = 0, count = 1;

  /// Which element of which block each place of the image has, [extent, size * count].
  std::vector<float> table(std::int64_t extent) const {
    std::vector<float> all;
    for (std::int64_t place = 0; place < extent; ++place)
      for (std::int64_t i = 0; i < size; ++i)
        for (std::int64_t k = 0; k < count; ++k)
          all.push_back(place == k * stride + i * dilation - before ? 1.0F : 0.0F);
    return all;
  }
};

/// Of both dimensions; empty where they do not go together with the image.
std::optional<std::array<Blocks, 2>> blocksOf(const OnnxNode& node, const OnnxShape& block,
                                              const OnnxShape& whole) {
  const OnnxShape strides = listOr(node, "strides", 2, 1), dilations = listOr(node, "dilations", 2, 1),
                  pads = listOr(node, "pads", 4, 0);
  if (block.size() != 2 || whole.size() != 4 || strides.size() != 2 || dilations.size() != 2 ||
      pads.size() != 4)
    return {};
  std::array<Blocks, 2> both;
  for (std::size_t k = 0; k < 2; ++k) {
    constexpr std::int64_t most = 1 << 20;
    for (const std::int64_t number : {block[k], strides[k], dilations[k]})
      if (number < 1 || number > most) return {};
    for (const std::int64_t pad : {pads[k], pads[2 + k]})
      if (pad < 0 || pad > most) return {};
    const std::int64_t room = whole[2 + k] + pads[k] + pads[2 + k] - dilations[k] * (block[k] - 1) - 1;
    if (room < 0) return {};
    both[k] = {block[k], strides[k], dilations[k], pads[k], room / strides[k] + 1};
  }
  return both;
}

/// What blocks overlap in is added up: a product with a table of each place's elements, one dimension after
/// the other.
void overlapped(OnnxConverter& to, const OnnxNode& node, const std::array<Blocks, 2>& blocks,
                const OnnxShape& whole) {
  const std::string& name = node.outputs[0];
  const auto& [high, wide] = blocks;
  const std::int64_t rows = high.size * high.count, columns = wide.size * wide.count;
  if (elementsIn({whole[2], rows}).value_or(most_table) >= most_table ||
      elementsIn({whole[3], columns}).value_or(most_table) >= most_table)
    throw OnnxUnknown("its table has more than 2^22 elements");
  const Scalar scalar = to.scalar(node.inputs[0]);
  std::size_t made =
      to.reshaped(to.tensor(node.inputs[0]),
                  {whole[0], whole[1], high.size, wide.size, high.count, wide.count}, name + " apart");
  made = to.transposed(made, {0, 1, 3, 5, 2, 4}, name + " in order");
  made = to.reshaped(made, {whole[0], whole[1], columns, rows}, name + " columns of rows");
  const std::size_t down = to.ownTable(name + " rows", {whole[2], rows}, scalar, high.table(whole[2]));
  made = to.step({{}, TensorOperatorKind::Linear, {made, down}, 0, false, {}, {}, {}}, name + " added down",
                 {whole[0], whole[1], columns, whole[2]});
  made = to.transposed(made, {0, 1, 3, 2}, name + " rows of columns");
  const std::size_t across =
      to.ownTable(name + " columns", {whole[3], columns}, scalar, wide.table(whole[3]));
  to.apply(node, {{}, TensorOperatorKind::Linear, {made, across}, 0, false, {}, {}, {}}, whole);
}

void col2Im(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape x = to.shape(node.inputs.at(0)), whole = to.shape(node.outputs[0]);
  const std::optional<OnnxShape> block = node.inputs.size() > 2 ? to.integers(node.inputs[2]) : std::nullopt;
  const auto blocks = block ? blocksOf(node, *block, whole) : std::nullopt;
  if (!blocks || x[2] != (*blocks)[0].count * (*blocks)[1].count)
    throw OnnxUnknown("its blocks do not go with its image, or are of no two dimensions");
  bool apart =
      listOr(node, "dilations", 2, 1) == OnnxShape{1, 1} && listOr(node, "pads", 4, 0) == OnnxShape(4, 0);
  for (std::size_t k = 0; k < 2; ++k)
    apart = apart && (*blocks)[k].stride == (*block)[k] && whole[2 + k] % (*block)[k] == 0;
  if (!apart) return overlapped(to, node, *blocks, whole);
  const std::int64_t high = (*block)[0], wide = (*block)[1];
  const std::string& name = node.outputs[0];
  std::size_t made =
      to.reshaped(to.tensor(node.inputs[0]),
                  {whole[0], whole[1], high, wide, whole[2] / high, whole[3] / wide}, name + " apart");
  made = to.transposed(made, {0, 1, 4, 2, 5, 3}, name + " in order");
  to.give(node, to.reshaped(made, whole, name));
}

}  // namespace

std::span<const OnnxOperator> resizingOfOnnx() {
  static constexpr OnnxOperator all[] = {{"Resize", inferResize, resize},
                                         {"Tile", inferTile, tile},
                                         {"Upsample", inferResize, resize},
                                         {"DepthToSpace", inferDepthToSpace, depthToSpace},
                                         {"SpaceToDepth", inferDepthToSpace, depthToSpace},
                                         {"Col2Im", inferCol2Im, col2Im}};
  return all;
}

}  // namespace sluice::inline tensor
