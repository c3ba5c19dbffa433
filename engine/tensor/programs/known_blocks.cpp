#include "engine/tensor/programs/known_blocks.h"

#include <algorithm>
#include <numeric>

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;
using Shape = std::vector<std::int64_t>;
using Order = std::vector<std::size_t>;

/// Operators take the place of others where those stand, so that the order stays; what is no longer read goes
/// in the end.
class Blocks {
 public:
  explicit Blocks(const TensorProgram& program) : program_(program) {
    for (const TensorOperator& op : program.operators) made_.push_back({op});
    index();
  }

  TensorProgram run() {
    for (std::size_t place = 0; place < made_.size(); ++place) {
      skipIdentities(place);
      if (made_[place].back().kind == Kind::Add) rotary(place);
      if (made_[place].back().kind == Kind::BatchedMatmul) product(place);
    }
    return withoutUnread();
  }

 private:
  void index() {
    writer_.assign(program_.tensors.size(), nothing);
    for (std::size_t place = 0; place < made_.size(); ++place) writer_[made_[place].back().output] = place;
  }

  const Shape& shape(std::size_t tensor) const { return program_.tensors[tensor].shape; }

  /// The operator that makes the tensor, if it is of that kind, whole and by itself.
  const TensorOperator* maker(std::size_t tensor, Kind kind) const {
    if (tensor >= writer_.size() || writer_[tensor] == nothing) return nullptr;
    const std::vector<TensorOperator>& made = made_[writer_[tensor]];
    const TensorOperator& op = made.back();
    const bool plain = made.size() == 1 && op.before_steps.empty() && op.after_steps.empty();
    return plain && op.kind == kind ? &op : nullptr;
  }
  bool sameScalar(std::size_t a, std::size_t b) const {
    return program_.tensors[a].scalar == program_.tensors[b].scalar;
  }
  std::size_t addTensor(const std::string& name, Shape shape, std::size_t like) {
    program_.tensors.push_back(
        {name, std::move(shape), program_.tensors[like].scalar, TensorRole::Activation});
    writer_.push_back(nothing);
    return program_.tensors.size() - 1;
  }

  // ---- what changes nothing

  /// The tensor that is the same as this one: from before a product by 1, a reshape and its inverse.
  std::size_t source(std::size_t tensor) const {
    for (int step = 0; step < 64; ++step) {
      if (tensor >= writer_.size() || writer_[tensor] == nothing) return tensor;
      const TensorOperator& op = made_[writer_[tensor]].back();
      if (made_[writer_[tensor]].size() != 1 || op.inputs.empty() || !op.before_steps.empty() ||
          !op.after_steps.empty() || !sameScalar(op.inputs[0], tensor))
        return tensor;
      const bool nothing_done = (op.number == 1.0f && (op.kind == Kind::Mul || op.kind == Kind::Div)) ||
                                (op.number == 0.0f && (op.kind == Kind::Add || op.kind == Kind::Sub));
      if (nothing_done && shape(op.inputs[0]) == shape(tensor)) {
        tensor = op.inputs[0];
        continue;
      }
      const std::optional<std::size_t> undone = beforeUndone(op, tensor);
      if (!undone) return tensor;
      tensor = *undone;
    }
    return tensor;
  }
  /// What two reshapes, or two transposes, lead back to.
  std::optional<std::size_t> beforeUndone(const TensorOperator& op, std::size_t tensor) const {
    const TensorOperator* const before = maker(op.inputs[0], op.kind);
    if (!before) return {};
    if (op.kind == Kind::Reshape && shape(before->inputs[0]) == shape(tensor)) return before->inputs[0];
    if (op.kind != Kind::Transpose || op.permutation.size() != before->permutation.size()) return {};
    for (std::size_t k = 0; k < op.permutation.size(); ++k)
      if (before->permutation[op.permutation[k]] != k) return {};
    return before->inputs[0];
  }
  void skipIdentities(std::size_t place) {
    for (std::size_t& tensor : made_[place].back().inputs) tensor = source(tensor);
  }

  // ---- rotary embeddings

  /// A factor of a product that is not `x`; empty where x is none of the two.
  static std::optional<std::size_t> otherFactor(const TensorOperator& mul, std::size_t x) {
    if (mul.inputs.size() != 2) return {};
    if (mul.inputs[0] == x) return mul.inputs[1];
    if (mul.inputs[1] == x) return mul.inputs[0];
    return {};
  }

  /// The tensor that this one has the halves of, the second negated and in front.
  std::optional<std::size_t> turnedFrom(std::size_t tensor) const {
    const TensorOperator* const turned = maker(tensor, Kind::Concat);
    const std::size_t last = shape(tensor).empty() ? 0 : shape(tensor).size() - 1;
    if (!turned || turned->inputs.size() != 2 || turned->axis != last) return {};
    const TensorOperator* const negated = maker(turned->inputs[0], Kind::Neg);
    const TensorOperator* const low = maker(turned->inputs[1], Kind::Slice);
    const TensorOperator* const high = negated ? maker(negated->inputs[0], Kind::Slice) : nullptr;
    if (!low || !high || low->axis != last || high->axis != last || low->inputs[0] != high->inputs[0])
      return {};
    const std::int64_t width = shape(tensor)[last];
    const bool halves = width % 2 == 0 && low->begin == 0 && high->begin == width / 2 &&
                        shape(turned->inputs[0])[last] == width / 2 &&
                        shape(turned->inputs[1])[last] == width / 2 && shape(low->inputs[0]) == shape(tensor);
    return halves ? std::optional(low->inputs[0]) : std::nullopt;
  }

  /// The two last dimensions of x, of what is the same for all others.
  std::optional<std::size_t> table(std::size_t place, std::size_t factor, const Shape& x) {
    const Shape own = shape(factor);
    const Shape wanted(x.end() - 2, x.end());
    if (own.size() < 2 || !std::equal(wanted.begin(), wanted.end(), own.end() - 2) ||
        !std::all_of(own.begin(), own.end() - 2, [](std::int64_t extent) { return extent == 1; }))
      return {};
    if (own.size() == 2) return factor;
    const std::size_t view = addTensor(program_.tensors[factor].name + " of rows", wanted, factor);
    insertBefore(place, {program_.tensors[view].name, Kind::Reshape, {factor}, view, false, {}, {}, {}});
    return view;
  }
  void insertBefore(std::size_t place, TensorOperator op) {
    made_[place].insert(made_[place].end() - 1, std::move(op));
  }

  void rotary(std::size_t place) {
    const TensorOperator sum = made_[place].back();
    if (sum.inputs.size() != 2 || !sum.before_steps.empty() || !sum.after_steps.empty()) return;
    for (const std::size_t turned_side : {1u, 0u}) {
      const TensorOperator* const straight = maker(sum.inputs[1 - turned_side], Kind::Mul);
      const TensorOperator* const turned = maker(sum.inputs[turned_side], Kind::Mul);
      if (!straight || !turned || turned->inputs.size() != 2 || straight->inputs.size() != 2) return;
      for (const std::size_t at : {0u, 1u}) {
        const std::optional<std::size_t> x = turnedFrom(turned->inputs[at]);
        if (!x || shape(*x).size() < 2 || shape(*x) != shape(sum.output)) continue;
        const std::optional<std::size_t> cosine = otherFactor(*straight, *x);
        if (!cosine) continue;
        const std::size_t sine = turned->inputs[1 - at];
        const std::optional<std::size_t> cosines = table(place, *cosine, shape(*x));
        const std::optional<std::size_t> sines = cosines ? table(place, sine, shape(*x)) : std::nullopt;
        if (!sines) {
          made_[place] = {sum};
          continue;
        }
        made_[place].back() = {sum.name, Kind::Rotary, {*x, *cosines, *sines}, sum.output, false, {}, {}, {}};
        return;
      }
    }
  }

  // ---- second operands of products

  void product(std::size_t place) {
    readTransposed(place);
    shareHeads(place);
  }

  /// [B..., N, K] of which the product reads [B..., K, N].
  void readTransposed(std::size_t place) {
    TensorOperator& op = made_[place].back();
    const TensorOperator* const turned = maker(op.inputs[1], Kind::Transpose);
    if (!turned) return;
    const std::size_t rank = turned->permutation.size();
    Order rest = turned->permutation;
    if (rank < 2) return;
    std::swap(rest[rank - 1], rest[rank - 2]);
    // Only where the last dimension of what is stored is not the last that is read.
    if (turned->permutation[rank - 2] != rank - 1) return;
    std::size_t stored = turned->inputs[0];
    if (!std::ranges::is_sorted(rest)) {
      Shape moved;
      for (const std::size_t from : rest) moved.push_back(shape(stored)[from]);
      const std::size_t view =
          addTensor(program_.tensors[op.inputs[1]].name + " as it is stored", moved, stored);
      insertBefore(place,
                   {program_.tensors[view].name, Kind::Transpose, {stored}, view, false, rest, {}, {}});
      stored = view;
    }
    made_[place].back().inputs[1] = stored;
    made_[place].back().transposed_right = !made_[place].back().transposed_right;
  }

  /// The heads from before they are repeated: [B, H/G, ...] where `heads` is [B, H, ...], and G.
  struct SharedHeads {
    std::size_t tensor = 0;
    std::int64_t times = 1;
  };
  std::optional<SharedHeads> sharedHeads(std::size_t heads) const {
    const TensorOperator* const merged = maker(heads, Kind::Reshape);
    const TensorOperator* const repeated = merged ? maker(merged->inputs[0], Kind::Expand) : nullptr;
    const TensorOperator* const split = repeated ? maker(repeated->inputs[0], Kind::Reshape) : nullptr;
    if (!split) return {};
    const Shape &own = shape(split->inputs[0]), &wide = shape(repeated->inputs[0]),
                &all = shape(merged->inputs[0]), &whole = shape(heads);
    if (own.size() != 4 || whole.size() != 4 || wide.size() != 5 || all.size() != 5) return {};
    const Shape apart{own[0], own[1], 1, own[2], own[3]};
    Shape spread = apart;
    spread[2] = all[2];
    if (wide != apart || all != spread || whole != Shape{own[0], own[1] * all[2], own[2], own[3]}) return {};
    return SharedHeads{split->inputs[0], all[2]};
  }

  /// [B, H, M, K] x [B, H, K, N] with repeated heads: the queries of a group are one more dimension.
  void shareHeads(std::size_t place) {
    const TensorOperator op = made_[place].back();
    std::size_t right = op.inputs[1];
    // The repetition may stand before a transpose that was moved in front of the product.
    const std::optional<SharedHeads> shared = sharedHeads(right);
    if (!shared || shape(op.inputs[0]).size() != 4 || op.before_steps.size() + op.after_steps.size() > 0)
      return;
    const Shape left = shape(op.inputs[0]), result = shape(op.output);  // tensors are added below
    const std::int64_t groups = left[1] / shared->times;
    const std::size_t queries = addTensor(program_.tensors[op.inputs[0]].name + " in groups",
                                          {left[0], groups, shared->times, left[2], left[3]}, op.inputs[0]);
    const std::size_t products =
        addTensor(program_.tensors[op.output].name + " in groups",
                  {result[0], groups, shared->times, result[2], result[3]}, op.output);
    insertBefore(place,
                 {program_.tensors[queries].name, Kind::Reshape, {op.inputs[0]}, queries, false, {}, {}, {}});
    insertBefore(
        place,
        {op.name, Kind::BatchedMatmul, {queries, shared->tensor}, products, op.transposed_right, {}, {}, {}});
    made_[place].back() = {
        op.name + " of all heads", Kind::Reshape, {products}, op.output, false, {}, {}, {}};
  }

  // ---- the end

  TensorProgram withoutUnread() {
    std::vector<TensorOperator> operators;
    for (std::vector<TensorOperator>& made : made_)
      for (TensorOperator& op : made) operators.push_back(std::move(op));
    std::vector<bool> read(program_.tensors.size(), false);
    for (const std::size_t result : program_.results) read[result] = true;
    std::vector<TensorOperator> kept;
    for (std::size_t i = operators.size(); i-- > 0;) {
      if (!read[operators[i].output] && wasRead(operators[i].output)) continue;
      for (const std::size_t tensor : readTensors(operators[i])) read[tensor] = true;
      kept.push_back(std::move(operators[i]));
    }
    std::ranges::reverse(kept);
    program_.operators = std::move(kept);
    return withoutUnusedTensors(program_);
  }
  /// By the program as it came: what nothing read there stays.
  bool wasRead(std::size_t tensor) const { return tensor >= uses_.size() || uses_[tensor] > 0; }

  static constexpr std::size_t nothing = static_cast<std::size_t>(-1);
  TensorProgram program_;
  const std::vector<std::size_t> uses_ = useCounts(program_);
  std::vector<std::vector<TensorOperator>> made_;  ///< at the place of each operator, itself the last
  std::vector<std::size_t> writer_;                ///< of each tensor: its place
};

}  // namespace

TensorProgram withKnownBlocks(const TensorProgram& program) {
  return Blocks(program).run();
}

}  // namespace sluice::inline tensor
