// Operators with a window that moves over images as simpler ones.

#include <algorithm>

#include "engine/tensor/onnx/onnx_expansion.h"

namespace sluice::inline tensor {
namespace {

std::vector<double> numbersOf(const OnnxShape& extents) {
  return {extents.begin(), extents.end()};
}

/// The kernel of a convolution that does the same: input and output channels change places, and the taps
/// their order.
std::string turnedKernel(OnnxExpansion& to, const OnnxShape& shape, std::int64_t groups) {
  std::string kernel = to.in(1);
  OnnxShape order{1, 0}, apart{groups, shape[0] / groups, shape[1]},
      whole{shape[1] * groups, shape[0] / groups};
  OnnxShape starts, ends, axes;
  for (std::size_t k = 2; k < shape.size(); ++k) {
    order.push_back(static_cast<std::int64_t>(k));
    apart.push_back(shape[k]), whole.push_back(shape[k]);
    starts.push_back(-1), ends.push_back(-(std::int64_t{1} << 31)),
        axes.push_back(static_cast<std::int64_t>(k));
  }
  if (groups > 1) {
    kernel = to.add("Reshape", {kernel, to.shapeOf(numbersOf(apart))});
    for (std::int64_t& axis : order) ++axis;
    order.insert(order.begin(), 0);
  }
  kernel = to.add("Transpose", {kernel});
  to.made.back().lists["perm"] = order;
  if (groups > 1) kernel = to.add("Reshape", {kernel, to.shapeOf(numbersOf(whole))});
  return to.add("Slice", {kernel, to.shapeOf(numbersOf(starts)), to.shapeOf(numbersOf(ends)),
                          to.shapeOf(numbersOf(axes)), to.shapeOf(std::vector<double>(axes.size(), -1))});
}

/// stride - 1 zeros behind every element of the dimensions from the third on.
std::string apart(OnnxExpansion& to, const OnnxShape& strides) {
  const std::size_t rank = strides.size();
  std::string x = to.in(0);
  OnnxShape behind(2 * (2 + 2 * rank), 0);
  for (std::size_t k = rank; k-- > 0;) {
    x = to.unsqueezed(x, static_cast<std::int64_t>(3 + k));
    behind[2 + 2 * rank + 3 + 2 * k] = strides[k] - 1;
  }
  x = to.add("Pad", {x});
  to.made.back().lists["pads"] = behind;
  std::vector<double> times{1, 1};
  times.insert(times.end(), strides.begin(), strides.end());
  const std::string shape = to.add("Shape", {to.in(0)});
  return to.add("Reshape", {x, to.add("Mul", {shape, to.shapeOf(times)})});
}

/// A convolution of the image with zeros between its elements. Windows that lie side by side stay as they
/// are: a product for each element is less.
void convTranspose(OnnxExpansion& to) {
  const OnnxValue* const kernel = to.value(to.in(1));
  const OnnxNode& node = to.node;
  if (!kernel || !kernel->constant || !kernel->shape || textOf(node, "auto_pad", "NOTSET") != "NOTSET" ||
      node.lists.contains("output_shape"))
    return;
  const OnnxShape& shape = *kernel->shape;
  const std::int64_t groups = integerOf(node, "group", 1);
  if (shape.size() < 3 || shape.size() > 4 || groups < 1 || elementsIn(shape).value_or(0) == 0 ||
      shape[0] % groups != 0)
    return;
  const std::size_t rank = shape.size() - 2;
  const OnnxShape strides = listOr(node, "strides", rank, 1), dilations = listOr(node, "dilations", rank, 1),
                  pads = listOr(node, "pads", 2 * rank, 0), more = listOr(node, "output_padding", rank, 0);
  if (strides.size() != rank || dilations.size() != rank || pads.size() != 2 * rank || more.size() != rank)
    return;
  OnnxShape padding(2 * rank);
  for (std::size_t k = 0; k < rank; ++k) {
    constexpr std::int64_t most = 1 << 15;
    for (const std::int64_t number : {shape[2 + k], strides[k], dilations[k]})
      if (number < 1 || number > most) return;
    const std::int64_t reach = (shape[2 + k] - 1) * dilations[k];
    padding[k] = reach - pads[k];
    padding[rank + k] = reach - pads[rank + k] + more[k] - (strides[k] - 1);
  }
  const bool side_by_side = rank == 2 && groups == 1 &&
                            OnnxShape(shape.begin() + 2, shape.end()) == strides && pads == OnnxShape(4, 0) &&
                            more == OnnxShape(2, 0);
  if (side_by_side || std::ranges::min(padding) < 0) return;
  const bool spread = std::ranges::max(strides) > 1;
  std::vector<std::string> inputs{spread ? apart(to, strides) : to.in(0), turnedKernel(to, shape, groups)};
  if (to.has(2)) inputs.push_back(to.in(2));
  to.add("Conv", std::move(inputs));
  to.made.back().lists["pads"] = padding;
  to.made.back().lists["dilations"] = dilations;
  to.made.back().integers["group"] = groups;
  to.made.back().spread = elementsIn(strides).value_or(1);
  to.give();
}

/// x / (bias + alpha times the mean square of neighbouring channels)^beta; beyond the first and the last
/// channel there are zeros. The channels are the rows of an image meanwhile, and the mean is a pool's.
void localResponse(OnnxExpansion& to) {
  const std::int64_t size = integerOf(to.node, "size", 0);
  if (size < 1) return;
  const std::string rows = to.add("Reshape", {to.in(0), to.shapeOf({0, 0, -1})});
  const std::string mean = to.add("AveragePool", {to.unsqueezed(to.add("Mul", {rows, rows}), 1)});
  to.made.back().lists["kernel_shape"] = {size, 1};
  to.made.back().lists["pads"] = {(size - 1) / 2, 0, size / 2, 0};
  to.made.back().integers["count_include_pad"] = 1;
  const std::string scaled = to.add("Mul", {mean, to.number(numberOf(to.node, "alpha", 1e-4))});
  const std::string shifted = to.add("Add", {scaled, to.number(numberOf(to.node, "bias", 1))});
  const std::string power = to.add("Pow", {shifted, to.number(numberOf(to.node, "beta", 0.75))});
  to.add("Div", {to.in(0), to.add("Reshape", {power, to.add("Shape", {to.in(0)})})});
  to.give();
}

/// The p-th root of the sum of the p-th powers of a window: of their mean, times how many there are.
void lpPool(OnnxExpansion& to) {
  const auto p = static_cast<double>(integerOf(to.node, "p", 2));
  const std::optional<std::int64_t> taps = elementsIn(listOr(to.node, "kernel_shape", 1, 0));
  // The last window of a pool that rounds up may have fewer elements.
  if (p < 1 || !taps || *taps < 1 || integerOf(to.node, "ceil_mode", 0) != 0) return;
  const std::string size = to.add("Abs", {to.in(0)});
  const std::string mean = to.add("AveragePool", {p == 1 ? size : to.add("Pow", {size, to.number(p)})});
  OnnxNode& pool = to.made.back();
  pool.integers = to.node.integers, pool.lists = to.node.lists, pool.texts = to.node.texts;
  pool.integers["count_include_pad"] = 1;
  const std::string sum = to.add("Mul", {mean, to.number(static_cast<double>(*taps))});
  if (p != 1) to.add("Pow", {sum, to.number(1 / p)});
  to.give();
}

}  // namespace

std::span<const OnnxExpansionRule> windowsExpansionsOfOnnx() {
  static constexpr OnnxExpansionRule all[] = {
      {"ConvTranspose", convTranspose}, {"LRN", localResponse}, {"LpPool", lpPool}};
  return all;
}

}  // namespace sluice::inline tensor
