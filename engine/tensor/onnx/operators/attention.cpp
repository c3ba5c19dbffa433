// Attention (opset 23): its two products, the mask and the softmax between them, each an operator of its own.

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"
#include "engine/tensor/onnx/onnx_types.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

/// What Attention works on, whichever of its two layouts it has: [batch, heads, length, size], or
/// [batch, length, heads * size].
struct Heads {
  std::int64_t batch = 0, queries = 0, shared = 0;  ///< heads of the queries; of keys and values
  std::int64_t length = 0, context = 0;             ///< of the queries; of keys and values
  std::int64_t size = 0, value_size = 0;            ///< of a head
  bool merged = false;                              ///< the second layout
};

std::optional<Heads> headsOf(const OnnxNode& node, const OnnxShape& q, const OnnxShape& k,
                             const OnnxShape& v) {
  if (k.size() != q.size() || v.size() != q.size()) return {};
  Heads heads;
  heads.merged = q.size() == 3;
  if (heads.merged) {
    heads.queries = integerOf(node, "q_num_heads", 0), heads.shared = integerOf(node, "kv_num_heads", 0);
    if (heads.queries < 1 || heads.shared < 1 || q[2] % heads.queries != 0 || k[2] % heads.shared != 0 ||
        v[2] % heads.shared != 0)
      return {};
    heads.length = q[1], heads.context = k[1];
    heads.size = q[2] / heads.queries, heads.value_size = v[2] / heads.shared;
    if (k[2] / heads.shared != heads.size || v[1] != k[1]) return {};
  } else {
    if (q.size() != 4) return {};
    heads.queries = q[1], heads.shared = k[1], heads.length = q[2], heads.context = k[2];
    heads.size = q[3], heads.value_size = v[3];
    if (v[1] != k[1] || v[2] != k[2] || k[3] != q[3]) return {};
  }
  heads.batch = q[0];
  if (k[0] != q[0] || v[0] != q[0] || heads.shared < 1 || heads.queries % heads.shared != 0) return {};
  return heads;
}

OnnxShape resultShape(const Heads& heads) {
  if (heads.merged) return {heads.batch, heads.length, heads.queries * heads.value_size};
  return {heads.batch, heads.queries, heads.length, heads.value_size};
}

void inferAttention(OnnxInference& infer) {
  const auto heads = headsOf(infer.node(), infer.shape(0), infer.shape(1), infer.shape(2));
  if (!heads || infer.given(4)) OnnxInference::giveUp();
  infer.result(0, resultShape(*heads));
}

class Attention {
 public:
  Attention(OnnxConverter& to, const OnnxNode& node, const Heads& heads)
      : to_(to), node_(node), heads_(heads), result_(node.outputs[0]) {}

  void convert() {
    const std::size_t q = split(node_.inputs[0], heads_.queries, heads_.size, " queries");
    const std::size_t k = split(node_.inputs[1], heads_.shared, heads_.size, " keys");
    const std::size_t v = split(node_.inputs[2], heads_.shared, heads_.value_size, " values");
    std::size_t scores = product(q, k, heads_.context, true, " scores");
    const double scale = numberOf(node_, "scale", 1 / std::sqrt(static_cast<double>(heads_.size)));
    scores = with(Kind::Mul, scores, scale, " scaled");
    scores = capped(masked(scores));
    scores = to_.step({{}, Kind::Softmax, {scores}, 0, false, {}, {}, {}}, result_ + " weights", all());
    std::size_t y = product(scores, v, heads_.value_size, false, " of heads");
    if (heads_.merged) {
      y = to_.transposed(y, {0, 2, 1, 3}, result_ + " turned");
      y = to_.reshaped(y, resultShape(heads_), result_);
    }
    to_.give(node_, y);
  }

 private:
  OnnxShape all() const { return {heads_.batch, heads_.queries, heads_.length, heads_.context}; }

  std::size_t split(const std::string& name, std::int64_t count, std::int64_t size, const std::string& what) {
    if (!heads_.merged) return to_.tensor(name);
    const OnnxShape own = to_.shape(name);
    const std::size_t apart =
        to_.reshaped(to_.tensor(name), {own[0], own[1], count, size}, result_ + what + " in heads");
    return to_.transposed(apart, {0, 2, 1, 3}, result_ + what);
  }

  /// Queries that share a head of keys or values are a batch of it.
  std::size_t product(std::size_t a, std::size_t b, std::int64_t columns, bool transposed,
                      const std::string& what) {
    const std::int64_t group = heads_.queries / heads_.shared;
    OnnxShape shape = to_.at(a).shape;
    if (group > 1) {
      shape = {heads_.batch, heads_.shared, group, heads_.length, shape.back()};
      a = to_.reshaped(a, shape, to_.at(a).name + " in groups");
    }
    shape.back() = columns;
    const std::size_t made = to_.step({{}, Kind::BatchedMatmul, {a, b}, 0, transposed, {}, {}, {}},
                                      result_ + what + (group > 1 ? " in groups" : ""), shape);
    return to_.reshaped(made, {heads_.batch, heads_.queries, heads_.length, columns}, result_ + what);
  }

  std::size_t with(Kind kind, std::size_t x, double number, const std::string& what) {
    TensorOperator op{{}, kind, {x}, 0, false, {}, {}, {}};
    op.number = static_cast<float>(number);
    return to_.step(std::move(op), result_ + what, all());
  }

  std::size_t masked(std::size_t scores) {
    if (integerOf(node_, "is_causal", 0) != 0) {
      const std::size_t table =
          to_.causalMask(result_ + " causal mask", {heads_.length, heads_.context}, to_.at(scores).scalar);
      scores = to_.step({{}, Kind::Add, {scores, table}, 0, false, {}, {}, {}}, result_ + " causal", all());
    }
    if (node_.inputs.size() < 4 || node_.inputs[3].empty()) return scores;
    const std::string& mask = node_.inputs[3];
    const std::optional<OnnxShape> both = broadcastShape(to_.shape(mask), all());
    if (both != all()) throw OnnxUnknown("its mask does not have the shape of its scores");
    const std::size_t other = to_.repeated(mask, all(), result_ + " mask");
    const OnnxValue* const known = to_.value(mask);
    if (!known || known->type != onnx_bool)
      return to_.step({{}, Kind::Add, {scores, other}, 0, false, {}, {}, {}}, result_ + " masked", all());
    TensorOperator fill{result_ + " nothing", Kind::Fill, {}, 0, false, {}, {}, {}};
    fill.number = std::numeric_limits<float>::lowest();
    const std::size_t nothing =
        to_.add(std::move(fill), result_ + " nothing", {heads_.context}, to_.at(scores).scalar);
    const Scalar scalar = to_.at(scores).scalar;
    return to_.add({result_ + " masked", Kind::Where, {other, scores, nothing}, 0, false, {}, {}, {}},
                   result_ + " masked", all(), scalar);
  }

  std::size_t capped(std::size_t scores) {
    const double cap = numberOf(node_, "softcap", 0);
    if (cap == 0) return scores;
    if (node_.inputs.size() > 3 || integerOf(node_, "is_causal", 0) != 0)
      throw OnnxUnknown("it caps masked scores");
    scores = with(Kind::Div, scores, cap, " below the cap");
    scores = to_.step({{}, Kind::Tanh, {scores}, 0, false, {}, {}, {}}, result_ + " bent", all());
    return with(Kind::Mul, scores, cap, " capped");
  }

  OnnxConverter& to_;
  const OnnxNode& node_;
  const Heads& heads_;
  const std::string& result_;
};

void attention(OnnxConverter& to, const OnnxNode& node) {
  if (node.inputs.size() < 3) throw OnnxUnknown("it lacks keys or values");
  for (std::size_t i = 4; i < node.inputs.size(); ++i)
    if (!node.inputs[i].empty()) throw OnnxUnknown("it has a cache");
  const auto heads =
      headsOf(node, to.shape(node.inputs[0]), to.shape(node.inputs[1]), to.shape(node.inputs[2]));
  if (!heads) throw OnnxUnknown("the shapes of its inputs do not go together");
  Attention(to, node, *heads).convert();
}

}  // namespace

std::span<const OnnxOperator> attentionOfOnnx() {
  static constexpr OnnxOperator all[] = {{"Attention", inferAttention, attention}};
  return all;
}

}  // namespace sluice::inline tensor
