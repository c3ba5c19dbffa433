// DFT, STFT: the discrete Fourier transform along one dimension, or of frames of a signal, as a product with
// a table of cosines and sines. Numbers are real, [..., 1], or complex, [..., 2]; results are complex.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "engine/itensor/itensor.h"
#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

constexpr std::int64_t most_table = std::int64_t{1} << 22;

/// Along `axis`: of `from` elements, or zeros behind them, `to` results.
struct Transform {
  std::size_t axis = 0;
  std::int64_t from = 0, length = 0, to = 0, parts = 1;
  bool inverse = false;

  /// Of a result's real and imaginary part, what each part of each element gives: [to * 2, from * parts].
  std::vector<float> table() const {
    std::vector<float> rows;
    const double turn = 2 * std::numbers::pi / static_cast<double>(length),
                 scale = inverse ? 1.0 / static_cast<double>(length) : 1;
    for (std::int64_t k = 0; k < to; ++k)
      for (const bool imaginary : {false, true})
        for (std::int64_t n = 0; n < from; ++n) {
          const double angle = turn * static_cast<double>(k * n % length);
          const double cosine = scale * std::cos(angle), sine = scale * std::sin(inverse ? angle : -angle);
          rows.push_back(static_cast<float>(imaginary ? sine : cosine));
          if (parts == 2) rows.push_back(static_cast<float>(imaginary ? cosine : -sine));
        }
    return rows;
  }
};

/// Nothing: it is none, or its length or axis is not known. `length`, `axis`: of the inputs that say them.
std::optional<Transform> transformOf(const OnnxNode& node, std::int64_t opset, const OnnxShape& shape,
                                     const std::optional<OnnxShape>& length,
                                     const std::optional<OnnxShape>& axis) {
  Transform made;
  const bool named = axis && axis->size() == 1;
  const std::int64_t wanted = named ? axis->front() : opset >= 20 ? -2 : integerOf(node, "axis", 1);
  const std::optional<std::size_t> along = dimensionOf(wanted, shape.size());
  if (!along || *along + 1 == shape.size() || shape.back() < 1 || shape.back() > 2) return {};
  made.axis = *along, made.parts = shape.back();
  made.from = made.length = shape[*along];
  if (length && length->size() == 1) made.length = length->front();
  if (made.length < 1 || made.length > most_table || made.from < 1) return {};
  made.from = std::min(made.from, made.length);
  made.inverse = integerOf(node, "inverse", 0) != 0;
  const bool half = integerOf(node, "onesided", 0) != 0;
  if (half && made.inverse) return {};  // gives real numbers
  made.to = half ? made.length / 2 + 1 : made.length;
  return made;
}

OnnxShape resultOf(OnnxShape shape, const Transform& transform) {
  shape[transform.axis] = transform.to;
  shape.back() = 2;
  return shape;
}

void inferDft(OnnxInference& infer) {
  const auto list = [&](std::size_t input) {
    return infer.given(input) ? std::optional(infer.integers(input)) : std::nullopt;
  };
  const OnnxShape shape = infer.shape(0);
  const auto transform = transformOf(infer.node(), infer.opset(), shape, list(1), list(2));
  if (!transform) OnnxInference::giveUp();
  infer.result(0, resultOf(shape, *transform));
}

void dft(OnnxConverter& to, const OnnxNode& node) {
  const auto list = [&](std::size_t input) -> std::optional<OnnxShape> {
    if (input >= node.inputs.size() || node.inputs[input].empty()) return {};
    std::optional<OnnxShape> known = to.integers(node.inputs[input]);
    if (!known) throw OnnxUnknown("data says its length or its axis");
    return known;
  };
  const OnnxShape shape = to.shape(node.inputs[0]);
  const auto found = transformOf(node, to.opset(), shape, list(1), list(2));
  if (!found) throw OnnxUnknown("its length or axis does not go with its input, or it gives real numbers");
  const Transform& transform = *found;
  if (elementsIn({transform.to, 2, transform.from, transform.parts}).value_or(most_table) >= most_table)
    throw OnnxUnknown("its table has more than 2^22 elements");
  const std::string& name = node.outputs[0];
  std::size_t x = to.sliced(to.tensor(node.inputs[0]), transform.axis, 0, transform.from, name + " part");
  // The axis behind all others but the parts of numbers.
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[transform.axis], order[shape.size() - 2]);
  x = to.transposed(x, order, name + " in rows");
  OnnxShape rows = to.at(x).shape, whole = rows;
  rows.pop_back();
  rows.back() = transform.from * transform.parts;
  x = to.reshaped(x, rows, name + " rows");
  const std::size_t table = to.ownTable(name + " table", {transform.to * 2, transform.from * transform.parts},
                                        to.scalar(node.inputs[0]), transform.table());
  rows.back() = transform.to * 2;
  x = to.step({{}, TensorOperatorKind::Linear, {x, table}, 0, false, {}, {}, {}}, name + " transformed",
              rows);
  whole[whole.size() - 2] = transform.to, whole.back() = 2;
  x = to.reshaped(x, whole, name + " as numbers");
  to.give(node, to.transposed(x, order, name));
}

/// Frames of a signal [batch, length, parts], each times a window and transformed.
struct Frames {
  std::int64_t batch = 0, length = 0, step = 0, count = 0, parts = 1;
  Transform transform;  ///< of one frame
};

std::optional<Frames> framesOf(const OnnxNode& node, const OnnxShape& signal,
                               const std::optional<OnnxShape>& step, const std::optional<OnnxShape>& length,
                               const std::optional<OnnxShape>& window) {
  if (signal.size() < 2 || signal.size() > 3 || !step || step->size() != 1 || (*step)[0] < 1) return {};
  Frames made;
  made.batch = signal[0], made.step = (*step)[0];
  made.parts = signal.size() == 3 ? signal[2] : 1;
  made.length = length && length->size() == 1   ? (*length)[0]
                : window && window->size() == 1 ? (*window)[0]
                                                : 0;
  if (made.length < 1 || made.length > signal[1] || made.parts < 1 || made.parts > 2) return {};
  if (window && *window != OnnxShape{made.length}) return {};
  made.count = (signal[1] - made.length) / made.step + 1;
  Transform& transform = made.transform;
  transform.from = transform.length = made.length;
  transform.parts = made.parts;
  transform.to = integerOf(node, "onesided", 1) != 0 ? made.length / 2 + 1 : made.length;
  return made;
}

void inferStft(OnnxInference& infer) {
  const auto list = [&](std::size_t input) {
    return infer.given(input) ? std::optional(infer.integers(input)) : std::nullopt;
  };
  const auto window = infer.given(2) ? std::optional(infer.shape(2)) : std::nullopt;
  const auto frames = framesOf(infer.node(), infer.shape(0), list(1), list(3), window);
  if (!frames) OnnxInference::giveUp();
  infer.result(0, {frames->batch, frames->count, frames->transform.to, 2});
}

/// A convolution whose kernel takes each element of a frame as a channel; then as DFT.
void stft(OnnxConverter& to, const OnnxNode& node) {
  const auto given = [&](std::size_t input) {
    return input < node.inputs.size() && !node.inputs[input].empty();
  };
  const auto list = [&](std::size_t input) -> std::optional<OnnxShape> {
    return given(input) ? to.integers(node.inputs[input]) : std::nullopt;
  };
  const auto window = given(2) ? std::optional(to.shape(node.inputs[2])) : std::nullopt;
  const OnnxShape signal = to.shape(node.inputs[0]);
  const auto found = framesOf(node, signal, list(1), list(3), window);
  if (!found) throw OnnxUnknown("its frames do not go with its signal, or data says their length");
  const Frames& frames = *found;
  if (frames.parts != 1) throw OnnxUnknown("its signal is of complex numbers");
  if (elementsIn({frames.length, std::max(frames.length, 2 * frames.transform.to)}).value_or(most_table) >=
      most_table)
    throw OnnxUnknown("its table has more than 2^22 elements");
  const std::string& name = node.outputs[0];
  const Scalar scalar = to.scalar(node.inputs[0]);
  std::vector<float> one(static_cast<std::size_t>(frames.length * frames.length), 0.0F);
  for (std::int64_t i = 0; i < frames.length; ++i)
    one[static_cast<std::size_t>(i * frames.length + i)] = 1.0F;
  const std::size_t taps =
      to.ownTable(name + " taps", {frames.length, 1, 1, frames.length}, scalar, std::move(one));
  std::size_t x = to.reshaped(to.tensor(node.inputs[0]), {frames.batch, 1, 1, signal[1]}, name + " image");
  TensorOperator conv{{}, TensorOperatorKind::Conv, {x, taps}, 0, false, {}, {}, {}};
  conv.window.strides = {1, frames.step}, conv.window.padding = {0, 0}, conv.window.dilations = {1, 1};
  x = to.step(std::move(conv), name + " taps of frames", {frames.batch, frames.length, 1, frames.count});
  x = to.reshaped(x, {frames.batch, frames.length, frames.count}, name + " columns");
  x = to.transposed(x, {0, 2, 1}, name + " frames");
  if (window)
    x = to.step({{},
                 TensorOperatorKind::Mul,
                 {x, to.repeated(node.inputs[2], to.at(x).shape, name + " window")},
                 0,
                 false,
                 {},
                 {},
                 {}},
                name + " weighted", to.at(x).shape);
  const std::size_t table = to.ownTable(name + " table", {frames.transform.to * 2, frames.length}, scalar,
                                        frames.transform.table());
  x = to.step({{}, TensorOperatorKind::Linear, {x, table}, 0, false, {}, {}, {}}, name + " transformed",
              {frames.batch, frames.count, frames.transform.to * 2});
  to.give(node, to.reshaped(x, {frames.batch, frames.count, frames.transform.to, 2}, name));
}

}  // namespace

std::span<const OnnxOperator> fourierOfOnnx() {
  static constexpr OnnxOperator all[] = {{"DFT", inferDft, dft}, {"STFT", inferStft, stft}};
  return all;
}

}  // namespace sluice::inline tensor
