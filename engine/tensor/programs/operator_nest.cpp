#include "engine/tensor/programs/operator_nest.h"

#include <algorithm>
#include <numeric>

#include "engine/tensor/programs/operator_traits.h"
#include "engine/tensor/programs/reassociation.h"

namespace sluice::inline tensor {
namespace {

using Forms = std::vector<AffineForm>;

/// Builds a nest loop by loop; accesses are lists of loop numbers, one per dimension.
class NestBuilder {
 public:
  NestBuilder(const TensorProgram& program, const TensorOperator& op) : program_(program), op_(op) {}

  OperatorNest build() {
    switch (op_.kind) {
      case TensorOperatorKind::Linear:
        linear();
        break;
      case TensorOperatorKind::BatchedMatmul:
        matmul();
        break;
      case TensorOperatorKind::Reshape:
        reshape();
        break;
      case TensorOperatorKind::Transpose:
        transpose();
        break;
      case TensorOperatorKind::Slice:
      case TensorOperatorKind::Concat:
        alongAxis();
        break;
      case TensorOperatorKind::Expand:
        expand();
        break;
      case TensorOperatorKind::Lookup:
        lookup();
        break;
      default:
        if (isReduction(op_.kind))
          reduce();
        else if (hasWindow(op_.kind))
          window();
        else
          overResult();
        break;
    }
    addSteps(op_.before_steps, first_, false);
    addSteps(op_.after_steps, result_, true);
    access(op_.output, result_, true, true);
    return std::move(nest_);
  }

 private:
  const std::vector<std::int64_t>& shape(std::size_t tensor) const { return program_.tensors[tensor].shape; }

  std::vector<std::size_t> parallel(std::span<const std::int64_t> extents) {
    std::vector<std::size_t> numbers;
    for (const std::int64_t extent : extents) {
      numbers.push_back(nest_.loops.size());
      nest_.loops.push_back({extent, OperatorLoopKind::Parallel});
    }
    return numbers;
  }

  Forms forms(std::span<const std::size_t> numbers) const {
    Forms result;
    for (const std::size_t number : numbers) result.push_back(AffineForm::loop(number, nest_.loops.size()));
    return result;
  }

  void access(std::size_t tensor, Forms index, bool written, bool at_result) {
    nest_.accesses.push_back({tensor, std::move(index), written, at_result, {}});
  }

  /// Dimensions of `index` that are no loop of the operator, but whole.
  void accessWhole(std::size_t tensor, Forms index, const std::vector<std::size_t>& dimensions) {
    access(tensor, std::move(index), false, false);
    std::vector<std::int64_t> whole(shape(tensor).size(), 0);
    for (const std::size_t k : dimensions) {
      nest_.accesses.back().index[k] = AffineForm::zero(nest_.loops.size());
      whole[k] = shape(tensor)[k];
    }
    nest_.accesses.back().whole = std::move(whole);
  }

  void addSteps(const std::vector<ElementwiseStep>& steps, const Forms& index, bool at_result) {
    for (const ElementwiseStep& step : steps)
      if (step.operand) access(*step.operand, suffix(index, *step.operand), false, at_result);
  }

  Forms suffix(const Forms& index, std::size_t tensor) const {
    return Forms(index.end() - static_cast<std::ptrdiff_t>(shape(tensor).size()), index.end());
  }

  void linear() {
    std::vector<std::size_t> out = parallel(shape(op_.output));
    std::vector<std::size_t> in = out;
    in.back() = nest_.loops.size();
    nest_.loops.push_back({shape(op_.inputs[0]).back(), OperatorLoopKind::Reduction});
    first_ = forms(in);
    result_ = forms(out);
    access(op_.inputs[0], first_, false, false);
    access(op_.inputs[1], forms(std::vector{out.back(), in.back()}), false, false);
    if (op_.inputs.size() == 3) access(op_.inputs[2], suffix(result_, op_.inputs[2]), false, true);
  }

  void matmul() {
    const std::vector<std::size_t> out = parallel(shape(op_.output));
    const std::size_t reduction = nest_.loops.size();
    nest_.loops.push_back({shape(op_.inputs[0]).back(), OperatorLoopKind::Reduction});
    std::vector<std::size_t> left = out;
    left.back() = reduction;
    const std::size_t batches = shape(op_.inputs[1]).size() - 2;
    std::vector<std::size_t> right(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(batches));
    right.push_back(op_.transposed_right ? out.back() : reduction);
    right.push_back(op_.transposed_right ? reduction : out.back());
    first_ = forms(left);
    result_ = forms(out);
    access(op_.inputs[0], first_, false, false);
    access(op_.inputs[1], forms(right), false, false);
  }

  /// One loop per dimension of the finer side, the other side's dimensions merging several of them.
  /// Dimensions of one element that only one side has need no loop.
  void reshape() {
    const auto &from = shape(op_.inputs[0]), &to = shape(op_.output);
    const auto groups = *reassociation(from, to);
    std::vector<std::vector<std::size_t>> loops;
    for (const ReassociationGroup& group : groups) {
      const bool splits = group.to_end - group.to_begin >= group.from_end - group.from_begin;
      const auto& fine = splits ? to : from;
      const std::size_t begin = splits ? group.to_begin : group.from_begin;
      const std::size_t end = splits ? group.to_end : group.from_end;
      loops.push_back(parallel(std::span(fine).subspan(begin, end - begin)));
    }
    const auto side = [&](bool input) {
      Forms index;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const std::size_t dimensions =
            input ? groups[g].from_end - groups[g].from_begin : groups[g].to_end - groups[g].to_begin;
        if (dimensions == loops[g].size()) {
          for (const AffineForm& form : forms(loops[g])) index.push_back(form);
        } else if (dimensions == 1) {
          index.push_back(merged(loops[g]));
        }
      }
      return index;
    };
    first_ = side(true);
    result_ = side(false);
    access(op_.inputs[0], first_, false, false);
  }

  AffineForm merged(const std::vector<std::size_t>& loops) const {
    AffineForm form = AffineForm::zero(nest_.loops.size());
    std::int64_t stride = 1;
    for (std::size_t i = loops.size(); i-- > 0;) {
      form.coefficients[loops[i]] = stride;
      stride *= nest_.loops[loops[i]].extent;
    }
    return form;
  }

  void transpose() {
    const std::vector<std::size_t> out = parallel(shape(op_.output));
    std::vector<std::size_t> in(out.size());
    for (std::size_t i = 0; i < out.size(); ++i) in[op_.permutation[i]] = out[i];
    first_ = forms(in);
    result_ = forms(out);
    access(op_.inputs[0], first_, false, false);
  }

  /// Both sides have all of the axis in a tile.
  void alongAxis() {
    const std::vector<std::size_t> out = parallel(shape(op_.output));
    nest_.loops[out[op_.axis]].kind = OperatorLoopKind::Row;
    first_ = result_ = forms(out);
    for (const std::size_t tensor : op_.inputs) accessWhole(tensor, result_, {op_.axis});
  }

  void expand() {
    const std::vector<std::size_t> out = parallel(shape(op_.output));
    first_ = result_ = forms(out);
    for (std::size_t k = 0; k < out.size(); ++k)
      if (shape(op_.inputs[0])[k] == 1) first_[k] = AffineForm::zero(nest_.loops.size());
    access(op_.inputs[0], first_, false, false);
  }

  /// A row for each place; of the table one row at a time, wherever it is.
  void lookup() {
    const std::vector<std::size_t> out = parallel(shape(op_.output));
    for (OperatorLoop& loop : nest_.loops) loop.kind = OperatorLoopKind::Each;
    nest_.loops.back().kind = OperatorLoopKind::Row;
    result_ = forms(out);
    first_ = Forms(result_.begin(), result_.end() - 1);
    access(op_.inputs[0], first_, false, false);
    access(op_.inputs[1], {AffineForm::zero(nest_.loops.size()), result_.back()}, false, false);
  }

  void reduce() {
    std::vector<std::size_t> out = parallel(shape(op_.inputs[0]));
    nest_.loops.back().kind = OperatorLoopKind::Row;
    first_ = result_ = forms(out);
    result_.back() = AffineForm::zero(nest_.loops.size());
    access(op_.inputs[0], first_, false, false);
  }

  /// A tile has whole images: windows overlap, and a row of the result needs several of the input.
  void window() {
    const std::vector<std::size_t> out = parallel(shape(op_.output));
    nest_.loops[out[2]].kind = nest_.loops[out[3]].kind = OperatorLoopKind::Row;
    std::vector<std::size_t> in = out, weight{out[1]};
    if (op_.inputs.size() > 1) {
      const auto& taps = shape(op_.inputs[1]);
      if (op_.kind == TensorOperatorKind::Conv) {
        in[1] = nest_.loops.size();
        nest_.loops.push_back({taps[1], OperatorLoopKind::Reduction});
      }
      weight.push_back(in[1]);
      for (const std::size_t k : {2, 3}) {
        weight.push_back(nest_.loops.size());
        nest_.loops.push_back({taps[k], OperatorLoopKind::Row});
      }
    }
    result_ = forms(out);
    first_ = forms(in);
    accessWhole(op_.inputs[0], first_, {2, 3});
    if (op_.inputs.size() < 2) return;
    Forms taps = forms(weight);
    if (op_.kind == TensorOperatorKind::DepthwiseConv) taps[1] = AffineForm::zero(nest_.loops.size());
    access(op_.inputs[1], std::move(taps), false, false);
    if (op_.inputs.size() == 3) access(op_.inputs[2], forms(std::vector{out[1]}), false, true);
  }

  /// Elementwise operators, rows and fills: every input has the result's index or a suffix of it.
  void overResult() {
    result_ = forms({});
    const std::vector<std::size_t> out = parallel(shape(op_.output));
    const bool rows = op_.kind == TensorOperatorKind::Softmax || op_.kind == TensorOperatorKind::LayerNorm ||
                      op_.kind == TensorOperatorKind::RmsNorm || op_.kind == TensorOperatorKind::Rotary;
    if (rows) nest_.loops.back().kind = OperatorLoopKind::Row;
    first_ = result_ = forms(out);
    for (const std::size_t tensor : op_.inputs) access(tensor, suffix(result_, tensor), false, false);
  }

  const TensorProgram& program_;
  const TensorOperator& op_;
  OperatorNest nest_;
  Forms first_, result_;
};

/// Joins a loop with the next one where together they move as one: a merged dimension, walked in order.
void joinLoops(ITensor& type) {
  for (std::size_t d = type.loops.size(); d-- > 1;) {
    bool continues = true;
    for (std::size_t k = 0; k < type.rank(); ++k)
      continues = continues && type.stride(k, d - 1) == type.loops[d].trips * type.stride(k, d);
    if (!continues) continue;
    type.loops[d].trips *= type.loops[d - 1].trips;
    type.loops.erase(type.loops.begin() + static_cast<std::ptrdiff_t>(d - 1));
    for (AffineForm& form : type.map)
      form.coefficients.erase(form.coefficients.begin() + static_cast<std::ptrdiff_t>(d - 1));
  }
}

std::int64_t largestDivisor(std::int64_t extent, std::int64_t most) {
  std::int64_t divisor = std::min(extent, most);
  while (extent % divisor != 0) --divisor;
  return divisor;
}

}  // namespace

OperatorNest nestOf(const TensorProgram& program, const TensorOperator& op) {
  return NestBuilder(program, op).build();
}

OperatorNest withoutUnitLoops(const OperatorNest& nest) {
  OperatorNest kept;
  for (const OperatorLoop& loop : nest.loops)
    if (loop.extent > 1) kept.loops.push_back(loop);
  for (OperatorAccess access : nest.accesses) {
    for (AffineForm& form : access.index) {
      std::vector<std::int64_t> coefficients;
      for (std::size_t d = 0; d < nest.loops.size(); ++d)
        if (nest.loops[d].extent > 1) coefficients.push_back(form.coefficients[d]);
      form.coefficients = std::move(coefficients);
    }
    kept.accesses.push_back(std::move(access));
  }
  return kept;
}

std::vector<std::int64_t> tileSizes(const OperatorNest& nest, std::int64_t most) {
  std::vector<std::int64_t> tiles;
  for (const OperatorLoop& loop : nest.loops)
    tiles.push_back(loop.kind == OperatorLoopKind::Row    ? loop.extent
                    : loop.kind == OperatorLoopKind::Each ? 1
                                                          : largestDivisor(loop.extent, most));
  for (const OperatorAccess& access : nest.accesses)
    for (const AffineForm& form : access.index)
      for (std::size_t d = 0; d < nest.loops.size(); ++d)
        if (form.coefficients[d] > 1) tiles[d] = 1;
  return tiles;
}

ITensor tiledStream(const OperatorNest& nest, const OperatorAccess& access, Scalar scalar,
                    std::span<const std::int64_t> tiles) {
  ITensor type;
  type.scalar = scalar;
  std::vector<std::size_t> kept;
  for (std::size_t d = 0; d < nest.loops.size(); ++d) {
    const OperatorLoop& loop = nest.loops[d];
    if (loop.extent == tiles[d] || (access.at_result && loop.kind == OperatorLoopKind::Reduction)) continue;
    kept.push_back(d);
    type.loops.push_back({loop.extent / tiles[d], tiles[d]});
  }
  bool merged = false;
  for (std::size_t k = 0; k < access.index.size(); ++k) {
    const AffineForm& form = access.index[k];
    AffineForm map = AffineForm::zero(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) map.coefficients[i] = form.coefficients[kept[i]];
    std::int64_t extent = access.whole.empty() ? 1 : std::max<std::int64_t>(1, access.whole[k]);
    for (std::size_t d = 0; d < nest.loops.size(); ++d) extent += form.coefficients[d] * (tiles[d] - 1);
    merged = merged || std::count(form.coefficients.begin(), form.coefficients.end(), 0) + 1 <
                           static_cast<std::ptrdiff_t>(form.coefficients.size());
    type.tile.push_back(extent);
    type.map.push_back(std::move(map));
  }
  // A loop that moves nothing has no step of its own.
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const bool moves =
        std::any_of(type.map.begin(), type.map.end(), [&](const AffineForm& f) { return f.uses(i); });
    if (!moves) type.loops[i].step = 1;
  }
  if (merged) joinLoops(type);
  return type;
}

}  // namespace sluice::inline tensor
