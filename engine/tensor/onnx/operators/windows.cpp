// Operators with a window that moves over images: convolutions and pools. One-dimensional ones are images of
// one row, volumes are taken apart into images.

#include <algorithm>

#include "engine/itensor/itensor.h"
#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

/// One dimension of the image.
struct Step {
  std::int64_t taps = 1, stride = 1, dilation = 1, before = 0, result = 1;
};

/// Empty: its numbers do not go together.
std::optional<std::vector<Step>> stepsOf(const OnnxNode& node, const OnnxShape& image,
                                         const OnnxShape& taps) {
  const std::size_t rank = image.size();
  const OnnxShape strides = listOr(node, "strides", rank, 1), dilations = listOr(node, "dilations", rank, 1),
                  pads = listOr(node, "pads", 2 * rank, 0);
  if (rank == 0 || taps.size() != rank || strides.size() != rank || dilations.size() != rank ||
      pads.size() != 2 * rank)
    return {};
  const auto form = node.texts.find("auto_pad");
  const std::string padding = form == node.texts.end() ? "NOTSET" : form->second;
  std::vector<Step> steps;
  for (std::size_t k = 0; k < rank; ++k) {
    constexpr std::int64_t most = 1 << 20;
    for (const std::int64_t number : {taps[k], strides[k], dilations[k]})
      if (number < 1 || number > most) return {};
    if (std::min(pads[k], pads[rank + k]) < 0 || std::max(pads[k], pads[rank + k]) > most) return {};
    Step step{taps[k], strides[k], dilations[k], pads[k], 1};
    const std::int64_t span = (taps[k] - 1) * dilations[k] + 1;
    if (padding == "SAME_UPPER" || padding == "SAME_LOWER") {
      step.result = quotientUp(image[k], strides[k]);
      const std::int64_t all = std::max<std::int64_t>(0, (step.result - 1) * strides[k] + span - image[k]);
      step.before = padding == "SAME_UPPER" ? all / 2 : quotientUp(all, 2);
    } else {
      const bool none = padding == "VALID";
      if (none) step.before = 0;
      const std::int64_t room = image[k] + (none ? 0 : pads[k] + pads[rank + k]) - span;
      if (room < 0) return {};
      const bool up = integerOf(node, "ceil_mode", 0) != 0;
      step.result = (up ? quotientUp(room, strides[k]) : room / strides[k]) + 1;
      // A window that begins behind the image and what pads it in front does not count.
      if (up && (step.result - 1) * strides[k] >= image[k] + step.before) --step.result;
    }
    steps.push_back(step);
  }
  return steps;
}

OnnxShape imageOf(const OnnxShape& shape) {
  return shape.size() < 3 ? OnnxShape{} : OnnxShape(shape.begin() + 2, shape.end());
}

OnnxShape resultShape(std::int64_t batch, std::int64_t channels, const std::vector<Step>& steps) {
  OnnxShape shape{batch, channels};
  for (const Step& step : steps) shape.push_back(step.result);
  return shape;
}

void inferConv(OnnxInference& infer) {
  const OnnxShape &x = infer.shape(0), &weight = infer.shape(1);
  const auto steps = stepsOf(infer.node(), imageOf(x), imageOf(weight));
  if (!steps) OnnxInference::giveUp();
  infer.result(0, resultShape(x[0], weight[0], *steps), infer.node().op == "ConvInteger" ? onnx_int32 : 0);
}

void inferPool(OnnxInference& infer) {
  const OnnxShape& x = infer.shape(0);
  const auto steps = stepsOf(infer.node(), imageOf(x), listOr(infer.node(), "kernel_shape", 0, 0));
  if (!steps) OnnxInference::giveUp();
  infer.result(0, resultShape(x[0], x[1], *steps));
}

/// Two dimensions: of one, the row is the second.
TensorWindow windowOf(const std::vector<Step>& steps, bool pool) {
  TensorWindow window;
  const auto put = [&](const Step& step) {
    if (pool) window.size.push_back(step.taps);
    window.strides.push_back(step.stride);
    window.padding.push_back(step.before);
    window.dilations.push_back(step.dilation);
  };
  if (steps.size() == 1) put({});
  for (const Step& step : steps) put(step);
  return window;
}
OnnxShape asImage(OnnxShape shape) {
  if (shape.size() == 3) shape.insert(shape.begin() + 2, 1);
  return shape;
}

void finish(OnnxConverter& to, const OnnxNode& node, TensorOperator op, const OnnxShape& shape) {
  if (shape.size() == 4) return to.apply(node, std::move(op), shape);
  const std::size_t image = to.step(std::move(op), node.outputs[0] + " image", asImage(shape));
  to.give(node, to.reshaped(image, shape, node.outputs[0]));
}

/// Each channel for itself, of which the kernel makes several: the channel is repeated so often.
std::size_t repeatedChannels(OnnxConverter& to, std::size_t x, std::int64_t times,
                             const std::string& result) {
  OnnxShape shape = to.at(x).shape;
  if (times == 1) return x;
  shape.insert(shape.begin() + 2, 1);
  const std::size_t apart = to.reshaped(x, shape, result + " channels");
  shape[2] = times;
  const std::size_t many = to.expanded(apart, shape, result + " channels repeated");
  shape.erase(shape.begin() + 2);
  shape[1] *= times;
  return to.reshaped(many, shape, result + " input");
}

/// Channels in groups: a convolution of each, side by side. `op` has all of their inputs.
TensorOperator groupsOf(OnnxConverter& to, const TensorOperator& op, std::int64_t groups, OnnxShape result,
                        const std::string& name) {
  TensorOperator all{{}, Kind::Concat, {}, 0, false, {}, {}, {}};
  all.axis = 1;
  result[1] /= groups;
  for (std::int64_t group = 0; group < groups; ++group) {
    const std::string own = name + " group " + std::to_string(group);
    TensorOperator one = op;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const std::size_t axis = i == 0 ? 1 : 0;
      const std::int64_t count = to.at(op.inputs[i]).shape[axis] / groups;
      one.inputs[i] = to.sliced(op.inputs[i], axis, group * count, count,
                                own + (i == 0   ? " input"
                                       : i == 1 ? " kernel"
                                                : " bias"));
    }
    all.inputs.push_back(to.step(std::move(one), own, result));
  }
  return all;
}

/// Volumes as images: what the taps of the kernel's first dimension see are channels, and its results are
/// batches, [N, C, D, H, W] -> [N * D', C * taps, H, W].
std::size_t slabs(OnnxConverter& to, std::size_t x, const Step& step, const std::string& name) {
  OnnxShape shape = to.at(x).shape;
  const std::int64_t behind = std::max<std::int64_t>(
      0, (step.result - 1) * step.stride + (step.taps - 1) * step.dilation + 1 - step.before - shape[2]);
  const auto zeros = [&](std::int64_t count, const std::string& what) {
    OnnxShape own = shape;
    own[2] = count;
    return to.add({{}, Kind::Fill, {}, 0, false, {}, {}, {}}, name + what, own, to.at(x).scalar);
  };
  const auto together = [&](std::vector<std::size_t> parts, std::size_t axis, const std::string& what) {
    if (parts.size() == 1) return parts[0];
    OnnxShape whole = to.at(parts[0]).shape;
    whole[axis] = 0;
    for (const std::size_t part : parts) whole[axis] += to.at(part).shape[axis];
    TensorOperator op{{}, Kind::Concat, std::move(parts), 0, false, {}, {}, {}};
    op.axis = axis;
    return to.step(std::move(op), name + what, whole);
  };
  std::vector<std::size_t> padded{x};
  if (step.before > 0) padded.insert(padded.begin(), zeros(step.before, " zeros before"));
  if (behind > 0) padded.push_back(zeros(behind, " zeros behind"));
  x = together(padded, 2, " padded");
  shape = to.at(x).shape;
  if (step.stride == step.taps && step.dilation == 1) {  // side by side
    x = to.sliced(x, 2, 0, step.result * step.taps, name + " whole");
    x = to.reshaped(x, {shape[0], shape[1], step.result, step.taps, shape[3], shape[4]}, name + " apart");
    x = to.transposed(x, {0, 2, 1, 3, 4, 5}, name + " in order");
  } else {
    std::vector<std::size_t> results;  // [N, 1, C, taps, H, W]
    for (std::int64_t i = 0; i < step.result; ++i) {
      std::vector<std::size_t> taps;
      for (std::int64_t tap = 0; tap < step.taps; ++tap)
        taps.push_back(to.sliced(x, 2, i * step.stride + tap * step.dilation, 1,
                                 name + " tap " + std::to_string(tap) + " of " + std::to_string(i)));
      const std::string own = " at " + std::to_string(i);
      results.push_back(to.reshaped(together(taps, 2, own),
                                    {shape[0], 1, shape[1], step.taps, shape[3], shape[4]},
                                    name + own + " alone"));
    }
    x = together(results, 1, " in order");
  }
  return to.reshaped(x, {shape[0] * step.result, shape[1] * step.taps, shape[3], shape[4]}, name + " images");
}

/// Each channel for itself: the taps of the first dimension are channels, too, whose results are added up.
std::size_t eachSlab(OnnxConverter& to, const OnnxNode& node, TensorOperator op, std::int64_t taps,
                     const OnnxShape& result) {
  const std::string& name = node.outputs[0];
  const std::int64_t channels = result[1], pixels = result[2] * result[3];
  op.kind = Kind::DepthwiseConv;
  std::size_t x =
      to.step(std::move(op), name + " of taps", {result[0], channels * taps, result[2], result[3]});
  x = to.reshaped(x, {result[0], channels, taps, pixels}, name + " taps apart");
  x = to.transposed(x, {0, 1, 3, 2}, name + " taps last");
  x = to.step({{}, Kind::ReduceSum, {x}, 0, false, {}, {}, {}}, name + " sums",
              {result[0], channels, pixels, 1});
  x = to.reshaped(x, result, name + " without bias");
  if (node.inputs.size() < 3 || node.inputs[2].empty()) return x;
  const std::size_t bias =
      to.expanded(to.reshaped(to.tensor(node.inputs[2]), {channels, 1, 1}, name + " bias of channels"),
                  {channels, result[2], result[3]}, name + " bias spread");
  return to.step({{}, Kind::Add, {x, bias}, 0, false, {}, {}, {}}, name + " of images", result);
}

/// With the results of volumes in their places again. Channels in groups stay in them: the taps of one stand
/// side by side.
void convVolume(OnnxConverter& to, const OnnxNode& node, const std::vector<Step>& steps) {
  constexpr std::int64_t most_slices = 256;
  const OnnxShape x = to.shape(node.inputs[0]), weight = to.shape(node.inputs[1]);
  const std::int64_t groups = integerOf(node, "group", 1);
  if (groups < 1 || weight[1] * groups != x[1] || weight[0] % groups != 0)
    throw OnnxUnknown("its groups do not go together with its channels");
  if (!to.constant(node.inputs[1])) throw OnnxUnknown("its kernel is no constant");
  const std::optional<std::int64_t> slices = elementsIn({steps[0].result, steps[0].taps});
  if (!slices || *slices > most_slices) throw OnnxUnknown("its volumes are of more than 256 slices");
  const std::string& name = node.outputs[0];
  const OnnxShape whole = resultShape(x[0], weight[0], steps),
                  images{x[0] * whole[2], whole[1], whole[3], whole[4]};
  const bool each = groups > 1 && groups == x[1] && weight[0] == groups;
  const OnnxShape kernel = each ? OnnxShape{groups * weight[2], 1, weight[3], weight[4]}
                                : OnnxShape{weight[0], weight[1] * weight[2], weight[3], weight[4]};
  TensorOperator op{{}, Kind::Conv, {}, 0, false, {}, {}, {}};
  op.inputs = {slabs(to, to.tensor(node.inputs[0]), steps[0], name),
               to.constantAs(node.inputs[1], kernel, TensorRole::Weight)};
  op.window = windowOf({steps.begin() + 1, steps.end()}, false);
  std::size_t made = 0;
  if (each) {
    made = eachSlab(to, node, std::move(op), weight[2], images);
  } else {
    if (node.inputs.size() > 2 && !node.inputs[2].empty()) op.inputs.push_back(to.tensor(node.inputs[2]));
    if (groups > 1) op = groupsOf(to, op, groups, images, name);
    made = to.step(std::move(op), name + " of images", images);
  }
  made = to.reshaped(made, {x[0], whole[2], whole[1], whole[3], whole[4]}, name + " of volumes");
  to.give(node, to.transposed(made, {0, 2, 1, 3, 4}, name));
}

void conv(OnnxConverter& to, const OnnxNode& node) {
  if (node.inputs.size() < 2) throw OnnxUnknown("it has no kernel");
  const OnnxShape x = to.shape(node.inputs[0]), weight = to.shape(node.inputs[1]);
  const auto steps = stepsOf(node, imageOf(x), imageOf(weight));
  if (!steps || x.size() != weight.size()) throw OnnxUnknown("its numbers do not go together");
  if (steps->size() == 3) return convVolume(to, node, *steps);
  if (steps->size() > 3) throw OnnxUnknown("its images have more than three dimensions");
  const std::int64_t groups = integerOf(node, "group", 1);
  if (groups < 1 || x[1] % groups != 0 || weight[0] % groups != 0 || weight[1] != x[1] / groups)
    throw OnnxUnknown("its groups do not go together with its channels");
  const bool each = groups > 1 && groups == x[1];
  TensorOperator op{{}, each ? Kind::DepthwiseConv : Kind::Conv, {}, 0, false, {}, {}, {}};
  op.inputs = {to.viewed(node.inputs[0], asImage(x)), to.viewed(node.inputs[1], asImage(weight))};
  if (node.inputs.size() > 2 && !node.inputs[2].empty()) op.inputs.push_back(to.tensor(node.inputs[2]));
  op.window = windowOf(*steps, false);
  const OnnxShape result = resultShape(x[0], weight[0], *steps);
  if (each)
    op.inputs[0] = repeatedChannels(to, op.inputs[0], weight[0] / groups, node.outputs[0]);
  else if (groups > 1)
    op = groupsOf(to, op, groups, asImage(result), node.outputs[0]);
  finish(to, node, std::move(op), result);
}

/// A mean that counts what lies outside as 0: a sum with a weight that is the same for all.
TensorOperator meanWithPadding(OnnxConverter& to, const OnnxNode& node, const std::vector<Step>& steps) {
  if (integerOf(node, "ceil_mode", 0) != 0)
    throw OnnxUnknown("its mean counts what lies outside, and its last window may lie behind that");
  const std::size_t x = to.viewed(node.inputs[0], asImage(to.shape(node.inputs[0])));
  OnnxShape taps = asImage(resultShape(to.at(x).shape[1], 1, steps));
  for (std::size_t k = 0; k < steps.size(); ++k) taps[4 - steps.size() + k] = steps[k].taps;
  const double count = static_cast<double>(elementsIn({taps[2], taps[3]}).value_or(1));
  const std::size_t weight = to.ownTable(node.outputs[0] + " weight", taps, to.at(x).scalar, 1 / count);
  TensorOperator op{{}, Kind::DepthwiseConv, {x, weight}, 0, false, {}, {}, {}};
  op.window = windowOf(steps, false);
  return op;
}

/// Volumes: pools of the images, then of what lies behind each other. Of a mean as well, as every image of a
/// window has as many elements in it.
void poolVolume(OnnxConverter& to, const OnnxNode& node, Kind kind, const std::vector<Step>& steps) {
  const OnnxShape x = to.shape(node.inputs[0]), whole = resultShape(x[0], x[1], steps);
  const std::string& name = node.outputs[0];
  const auto pooled = [&](std::size_t image, const std::vector<Step>& window, const std::string& what) {
    OnnxShape shape = to.at(image).shape;
    shape[2] = window[0].result, shape[3] = window[1].result;
    TensorOperator op{{}, kind, {image}, 0, false, {}, {}, {}};
    op.window = windowOf(window, true);
    return to.step(std::move(op), name + what, shape);
  };
  std::size_t made =
      to.reshaped(to.tensor(node.inputs[0]), {x[0], x[1] * x[2], x[3], x[4]}, name + " images");
  made = pooled(made, {steps[1], steps[2]}, " of images");
  made = to.reshaped(made, {x[0], x[1], x[2], whole[3] * whole[4]}, name + " in rows");
  Step side;
  side.result = whole[3] * whole[4];
  made = pooled(made, {steps[0], side}, " of rows");
  to.give(node, to.reshaped(made, whole, name));
}

/// Whether windows reach beyond the image, but for those that rounding up adds.
bool isPadded(const OnnxNode& node, const std::vector<Step>& steps, const OnnxShape& image) {
  const OnnxShape pads = listOr(node, "pads", 2 * steps.size(), 0);
  const std::string padding = textOf(node, "auto_pad", "NOTSET");
  if (padding == "NOTSET") return std::ranges::any_of(pads, [](std::int64_t pad) { return pad != 0; });
  if (padding == "VALID") return false;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Step& step = steps[k];
    const std::int64_t reach = (step.result - 1) * step.stride + (step.taps - 1) * step.dilation + 1;
    if (reach > image[k]) return true;
  }
  return false;
}

void pool(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape x = to.shape(node.inputs[0]);
  const auto steps = stepsOf(node, imageOf(x), listOr(node, "kernel_shape", 0, 0));
  if (!steps) throw OnnxUnknown("its numbers do not go together");
  if (steps->size() > 3) throw OnnxUnknown("its images have more than three dimensions");
  const bool average = node.op == "AveragePool";
  const Kind kind = average ? Kind::AveragePool : Kind::MaxPool;
  const bool counts_padding =
      average && isPadded(node, *steps, imageOf(x)) && integerOf(node, "count_include_pad", 0) != 0;
  if (counts_padding && steps->size() > 2) throw OnnxUnknown("its mean of a volume counts what lies outside");
  if (steps->size() > 2) return poolVolume(to, node, kind, *steps);
  if (counts_padding)
    return finish(to, node, meanWithPadding(to, node, *steps), resultShape(x[0], x[1], *steps));
  TensorOperator op{{}, kind, {}, 0, false, {}, {}, {}};
  op.inputs = {to.viewed(node.inputs[0], asImage(x))};
  op.window = windowOf(*steps, true);
  finish(to, node, std::move(op), resultShape(x[0], x[1], *steps));
}

void inferConvTranspose(OnnxInference& infer) {
  const OnnxShape x = infer.shape(0), weight = infer.shape(1);
  const OnnxNode& node = infer.node();
  if (x.size() < 3 || weight.size() != x.size() || node.lists.contains("output_shape") ||
      textOf(node, "auto_pad", "NOTSET") != "NOTSET")
    OnnxInference::giveUp();
  const std::size_t rank = x.size() - 2;
  const OnnxShape strides = listOr(node, "strides", rank, 1), dilations = listOr(node, "dilations", rank, 1),
                  pads = listOr(node, "pads", 2 * rank, 0), more = listOr(node, "output_padding", rank, 0);
  if (strides.size() != rank || dilations.size() != rank || pads.size() != 2 * rank || more.size() != rank)
    OnnxInference::giveUp();
  OnnxShape shape{x[0], weight[1] * integerOf(node, "group", 1)};
  for (std::size_t k = 0; k < rank; ++k) {
    const std::optional<std::int64_t> steps = elementsIn({strides[k], x[2 + k] - 1}),
                                      span = elementsIn({dilations[k], weight[2 + k] - 1});
    if (!steps || !span) OnnxInference::giveUp();
    shape.push_back(*steps + *span + 1 + more[k] - pads[k] - pads[rank + k]);
  }
  infer.result(0, shape);
}

/// Where windows neither overlap nor leave gaps, every element of the image becomes one: a product for each.
void convTranspose(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape x = to.shape(node.inputs.at(0)), weight = to.shape(node.inputs.at(1)),
                  whole = to.shape(node.outputs[0]);
  const auto isApart = [&] {
    return x.size() == 4 && weight.size() == 4 && integerOf(node, "group", 1) == 1 && weight[0] == x[1] &&
           listOr(node, "strides", 2, 1) == OnnxShape(weight.begin() + 2, weight.end()) &&
           whole == OnnxShape{x[0], weight[1], x[2] * weight[2], x[3] * weight[3]} &&
           listOr(node, "pads", 4, 0) == OnnxShape(4, 0);
  };
  if (!isApart()) throw OnnxUnknown("its windows leave gaps, or its kernel is no constant");
  if (!to.constant(node.inputs[1])) throw OnnxUnknown("its kernel is no constant");
  const std::string& name = node.outputs[0];
  const std::int64_t channels = weight[1], high = weight[2], wide = weight[3];
  std::size_t made = to.transposed(to.tensor(node.inputs[0]), {0, 2, 3, 1}, name + " rows");
  const std::size_t kernel =
      to.constantAs(node.inputs[1], {channels * high * wide, x[1]}, TensorRole::Weight, true);
  made = to.step({{}, Kind::Linear, {made, kernel}, 0, false, {}, {}, {}}, name + " windows",
                 {x[0], x[2], x[3], channels * high * wide});
  made = to.reshaped(made, {x[0], x[2], x[3], channels, high, wide}, name + " apart");
  made = to.transposed(made, {0, 1, 4, 2, 5, 3}, name + " in order");
  if (node.inputs.size() > 2 && !node.inputs[2].empty())
    made = to.step({{}, Kind::Add, {made, to.tensor(node.inputs[2])}, 0, false, {}, {}, {}},
                   name + " with bias", to.at(made).shape);
  made = to.reshaped(made, {whole[0], whole[2], whole[3], whole[1]}, name + " together");
  to.give(node, to.transposed(made, {0, 3, 1, 2}, name));
}

}  // namespace

std::span<const OnnxOperator> windowsOfOnnx() {
  static constexpr OnnxOperator all[] = {{"Conv", inferConv, conv},
                                         {"ConvInteger", inferConv, nullptr},
                                         {"ConvTranspose", inferConvTranspose, convTranspose},
                                         {"MaxPool", inferPool, pool},
                                         {"AveragePool", inferPool, pool},
                                         {"LpPool", inferPool, nullptr}};
  return all;
}

}  // namespace sluice::inline tensor
