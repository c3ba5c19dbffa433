// RotaryEmbedding, of ONNX (opset 23) and of com.microsoft: heads are turned by angles of their positions.

#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

void inferRotary(OnnxInference& infer) {
  infer.result(0, infer.shape(0));
}

class RotaryEmbedding {
 public:
  RotaryEmbedding(OnnxConverter& to, const OnnxNode& node)
      : to_(to), node_(node), result_(node.outputs[0]), whole_(to.shape(node.inputs[0])) {
    // com.microsoft has the positions second, ONNX last.
    const OnnxValue* const second = to.value(node.inputs[1]);
    const bool integers = second && (second->type == onnx_int64 || second->type == onnx_int32);
    cosines_ = node.inputs[integers ? 2 : 1], sines_ = node.inputs[integers ? 3 : 2];
    if (integers) positions_ = node.inputs[1];
    if (!integers && node.inputs.size() > 3) positions_ = node.inputs[3];
    setShape();
  }

  void convert() {
    if (numberOf(node_, "scale", 1) != 1) throw OnnxUnknown("it scales");
    std::size_t x = to_.tensor(node_.inputs[0]);
    if (merged()) {
      x = to_.reshaped(x, {shape_[0], shape_[2], shape_[1], shape_[3]}, result_ + " in heads");
      x = to_.transposed(x, {0, 2, 1, 3}, result_ + " heads");
    }
    std::size_t turned = to_.sliced(x, 3, 0, rotated_, result_ + " to turn");
    turned = inTurn(turned, false);
    const OnnxShape part{shape_[0], shape_[1], shape_[2], rotated_};
    turned = to_.step({{},
                       Kind::Rotary,
                       {turned, angles(cosines_, " cosines"), angles(sines_, " sines")},
                       0,
                       false,
                       {},
                       {},
                       {}},
                      result_ + " turned", part);
    turned = inTurn(turned, true);
    if (rotated_ < shape_[3]) {
      const std::size_t rest = to_.sliced(x, 3, rotated_, shape_[3] - rotated_, result_ + " rest");
      TensorOperator both{{}, Kind::Concat, {turned, rest}, 0, false, {}, {}, {}};
      both.axis = 3;
      turned = to_.step(std::move(both), result_ + " whole", shape_);
    }
    if (merged()) {
      turned = to_.transposed(turned, {0, 2, 1, 3}, result_ + " by position");
      turned = to_.reshaped(turned, whole_, result_ + " merged");
    }
    to_.give(node_, turned);
  }

 private:
  bool merged() const { return whole_.size() == 3; }

  /// [batch, heads, length, size], whichever of its two layouts it has.
  void setShape() {
    shape_ = whole_;
    if (merged()) {
      const std::int64_t heads = integerOf(node_, "num_heads", 0);
      if (heads < 1 || whole_[2] % heads != 0) throw OnnxUnknown("its number of heads is not given");
      shape_ = {whole_[0], heads, whole_[1], whole_[2] / heads};
    }
    if (shape_.size() != 4) throw OnnxUnknown("its input has neither three nor four dimensions");
    rotated_ = integerOf(node_, "rotary_embedding_dim", 0);
    if (rotated_ == 0) rotated_ = shape_[3];
    if (rotated_ < 2 || rotated_ > shape_[3] || rotated_ % 2 != 0)
      throw OnnxUnknown("it turns an odd number of elements, or more than a head has");
  }

  /// Pairs of neighbours as pairs of an element and one half a head behind it, or back.
  std::size_t inTurn(std::size_t x, bool back) {
    if (integerOf(node_, "interleaved", 0) == 0) return x;
    OnnxShape pairs{shape_[0], shape_[1], shape_[2], rotated_ / 2, 2};
    if (back) std::swap(pairs[3], pairs[4]);
    const std::string name = result_ + (back ? " halves" : " pairs");
    x = to_.transposed(to_.reshaped(x, pairs, name), {0, 1, 2, 4, 3}, name + " turned");
    return to_.reshaped(x, {shape_[0], shape_[1], shape_[2], rotated_}, name + " in a row");
  }

  /// [length, rotated]: each angle is of two elements.
  std::size_t angles(const std::string& name, const std::string& what) {
    const std::int64_t half = rotated_ / 2;
    const OnnxShape own = to_.shape(name);
    if (own.empty() || own.back() != half) throw OnnxUnknown("its angles are not of half a head");
    std::size_t table = 0;
    if (positions_.empty()) {
      if (elementsIn(own) != elementsIn({shape_[2], half}))
        throw OnnxUnknown("the sequences of its batch have angles of their own");
      table = to_.viewed(name, {shape_[2], half});
    } else {
      table =
          to_.sliced(to_.tensor(name), 0, firstPosition(own), shape_[2], result_ + what + " of positions");
    }
    TensorOperator twice{{}, Kind::Concat, {table, table}, 0, false, {}, {}, {}};
    twice.axis = 1;
    return to_.step(std::move(twice), result_ + what, {shape_[2], rotated_});
  }

  std::int64_t firstPosition(const OnnxShape& table) const {
    const std::optional<OnnxShape> positions = to_.integers(positions_);
    if (!positions || positions->empty()) throw OnnxUnknown("its positions are data: a lookup");
    for (std::size_t i = 1; i < positions->size(); ++i)
      if ((*positions)[i] != positions->front() + static_cast<std::int64_t>(i))
        throw OnnxUnknown("its positions are not one after the other");
    if (positions->size() != 1 && static_cast<std::int64_t>(positions->size()) != shape_[2])
      throw OnnxUnknown("the sequences of its batch have positions of their own");
    if (table.size() != 2 || positions->front() < 0 || positions->front() + shape_[2] > table[0])
      throw OnnxUnknown("its positions are not in its table");
    return positions->front();
  }

  OnnxConverter& to_;
  const OnnxNode& node_;
  std::string result_, cosines_, sines_, positions_;
  OnnxShape whole_, shape_;
  std::int64_t rotated_ = 0;
};

void rotary(OnnxConverter& to, const OnnxNode& node) {
  if (node.inputs.size() < 3) throw OnnxUnknown("it lacks cosines or sines");
  const OnnxValue* const second = to.value(node.inputs[1]);
  if (second && (second->type == onnx_int64 || second->type == onnx_int32) && node.inputs.size() < 4)
    throw OnnxUnknown("it lacks cosines or sines");
  RotaryEmbedding(to, node).convert();
}

}  // namespace

std::span<const OnnxOperator> rotaryOfOnnx() {
  static constexpr OnnxOperator all[] = {{"RotaryEmbedding", inferRotary, rotary}};
  return all;
}

}  // namespace sluice::inline tensor
