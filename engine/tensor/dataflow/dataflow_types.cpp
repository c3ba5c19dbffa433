#include "engine/tensor/dataflow/dataflow_types.h"

#include <algorithm>
#include <tuple>

#include "engine/itensor/canonical.h"
#include "engine/tensor/programs/program_kernels.h"
#include "engine/tensor/programs/reassociation.h"

namespace sluice::inline tensor {
namespace {

using Extents = std::span<const std::int64_t>;

void addLoop(ITensor& type, ITensorLoop loop) {
  type.loops.push_back(loop);
  for (AffineForm& form : type.map) form.coefficients.push_back(0);
}

/// Gives dimensions of a stream other names, group by group of a reassociation.
class Renaming {
 public:
  Renaming(const ITensor& type, Extents from, Extents to) : from_(from), to_(to), type_(type) {
    renamed_.scalar = type.scalar;
    // Steps go into the coefficients, which a finer dimension divides; loops of one trip move nothing.
    for (std::size_t d = 0; d < type_.loops.size(); ++d) {
      const std::int64_t step = type_.loops[d].trips > 1 ? type_.loops[d].step : 0;
      for (AffineForm& form : type_.map) form.coefficients[d] *= step;
      type_.loops[d].step = 1;
    }
  }

  std::optional<ITensor> run() {
    const auto groups = reassociation(from_, to_);
    if (!groups || type_.vector_token) return {};
    // Loops that a merged dimension splits become several, so the loops are collected first.
    if (!splitLoops(*groups)) return {};
    renamed_.loops = type_.loops;
    for (const ReassociationGroup& group : *groups)
      if (!rename(group)) return {};
    for (std::size_t k = 0; k < to_.size(); ++k)
      if (const OffsetRange range = offsetRange(renamed_, k); range.begin < 0 || range.end > to_[k])
        return {};
    return std::move(renamed_);
  }

 private:
  /// The elements that one step of dimension k of the group's finer side covers.
  static std::int64_t weight(Extents shape, std::size_t k, std::size_t end) {
    std::int64_t product = 1;
    while (++k < end) product *= shape[k];
    return product;
  }

  static bool splits(const ReassociationGroup& group) {
    return group.from_end - group.from_begin == 1 && group.to_end - group.to_begin > 1;
  }

  /// Where a dimension falls apart, no loop along it may run over the end of a finer dimension.
  bool splitLoops(const std::vector<ReassociationGroup>& groups) {
    for (const ReassociationGroup& group : groups)
      for (std::size_t d = 0; splits(group) && d < type_.loops.size(); ++d)
        if (!splitLoop(group, d)) return false;
    return true;
  }

  bool splitLoop(const ReassociationGroup& group, std::size_t d) {
    const std::int64_t stride = type_.stride(group.from_begin, d);
    if (stride == 0 || type_.loops[d].trips == 1) return true;
    if (stride < 0) return false;
    const std::size_t k = dimensionOf(group, stride);
    const std::int64_t step = weight(to_, k, group.to_end);
    const std::int64_t left = to_[k] * step;  // of the dimension, in elements
    if (stride % step != 0) return false;
    if (stride * type_.loops[d].trips <= left) return true;
    const std::int64_t inner = left / stride;
    if (left % stride != 0 || type_.loops[d].trips % inner != 0) return false;
    // An outer loop in front; it is looked at next in its place, the inner one fits.
    type_.loops.insert(type_.loops.begin() + static_cast<std::ptrdiff_t>(d + 1), {inner, 1});
    type_.loops[d].trips /= inner;
    for (AffineForm& form : type_.map) {
      const std::int64_t coefficient = form.coefficients[d];
      form.coefficients.insert(form.coefficients.begin() + static_cast<std::ptrdiff_t>(d + 1), coefficient);
      form.coefficients[d] *= inner;
    }
    return splitLoop(group, d);
  }

  /// The finer dimension along which a step of `stride` elements moves.
  std::size_t dimensionOf(const ReassociationGroup& group, std::int64_t stride) const {
    std::size_t k = group.to_end - 1;
    while (k > group.to_begin && stride >= to_[k] * weight(to_, k, group.to_end)) --k;
    return k;
  }

  bool rename(const ReassociationGroup& group) {
    const std::size_t from = group.from_end - group.from_begin, to = group.to_end - group.to_begin;
    if (splits(group)) return split(group);
    if (to == 0) return type_.extent(group.from_begin) == 1;
    if (from == 0) {
      push(1, AffineForm::zero(type_.loops.size()));
      return true;
    }
    return merge(group);
  }

  void push(std::int64_t extent, AffineForm form) {
    renamed_.tile.push_back(extent);
    renamed_.map.push_back(std::move(form));
  }

  bool split(const ReassociationGroup& group) {
    std::int64_t rest = type_.extent(group.from_begin);
    std::vector<std::int64_t> extents;
    for (std::size_t k = group.to_end; k-- > group.to_begin;) {
      // A run of elements is whole inner dimensions, then a part of one.
      const bool whole = rest % to_[k] == 0;
      if (!whole && to_[k] % rest != 0) return false;
      extents.insert(extents.begin(), whole ? to_[k] : rest);
      rest = whole ? rest / to_[k] : 1;
    }
    const AffineForm& source = type_.map[group.from_begin];
    std::int64_t constant = source.constant;
    for (std::size_t k = group.to_begin; k < group.to_end; ++k) {
      const std::int64_t step = weight(to_, k, group.to_end);
      AffineForm form = AffineForm::zero(type_.loops.size());
      form.constant = constant / step;
      constant %= step;
      for (std::size_t d = 0; d < type_.loops.size(); ++d) {
        const std::int64_t stride = type_.stride(group.from_begin, d);
        if (type_.loops[d].trips == 1 || stride == 0 || dimensionOf(group, stride) != k) continue;
        if (stride % step != 0) return false;
        form.coefficients[d] = stride / step;
      }
      push(extents[k - group.to_begin], std::move(form));
    }
    return rest == 1;
  }

  /// One dimension, also where it was one before.
  bool merge(const ReassociationGroup& group) {
    AffineForm form = AffineForm::zero(type_.loops.size());
    std::int64_t extent = 1;
    bool whole = true;  // all dimensions further in
    for (std::size_t k = group.from_end; k-- > group.from_begin;) {
      if (!whole && type_.extent(k) != 1) return false;
      whole = whole && type_.extent(k) == from_[k];
      extent *= type_.extent(k);
      const std::int64_t step = weight(from_, k, group.from_end);
      form.constant += step * type_.map[k].constant;
      for (std::size_t d = 0; d < type_.loops.size(); ++d)
        form.coefficients[d] += step * type_.map[k].coefficients[d];
    }
    push(extent, std::move(form));
    return true;
  }

  Extents from_, to_;
  ITensor type_, renamed_;
};

/// Tries every divisor in dimension k of `tile`, then in those behind it.
void searchVectors(Extents tile, std::int64_t elements, std::vector<std::int64_t>& tried,
                   std::vector<std::int64_t>& best) {
  const auto quality = [](const std::vector<std::int64_t>& vector) {
    std::int64_t size = 1, longest = 1;
    for (const std::int64_t extent : vector) size *= extent, longest = std::max(longest, extent);
    return std::tuple(size, -longest, std::vector(vector.rbegin(), vector.rend()));
  };
  const std::size_t k = tried.size();
  if (k == tile.size()) {
    if (quality(best) < quality(tried)) best = tried;
    return;
  }
  for (std::int64_t extent = 1; extent <= std::min(tile[k], elements); ++extent) {
    if (tile[k] % extent != 0) continue;
    tried.push_back(extent);
    searchVectors(tile, elements / extent, tried, best);
    tried.pop_back();
  }
}

}  // namespace

std::vector<std::int64_t> widestVector(std::span<const std::int64_t> tile, std::int64_t elements) {
  const std::vector<std::int64_t> single(tile.size(), 1);
  std::vector<std::int64_t> tried, best = single;
  searchVectors(tile, elements, tried, best);
  return best == single ? std::vector<std::int64_t>{} : best;
}

bool vectorDivides(std::span<const std::int64_t> vector, const ITensor& type) {
  bool divides = vector.size() == type.tile.size();
  for (std::size_t k = 0; divides && k < vector.size(); ++k)
    divides = vector[k] >= 1 && type.tile[k] % vector[k] == 0;
  return divides;
}

ITensor vectorisedType(const ITensor& type, std::span<const std::int64_t> vector) {
  if (vector.empty()) return type;
  ITensor cut = type;
  cut.tile.assign(vector.begin(), vector.end());
  cut.vector_token = true;
  for (std::size_t k = 0; k < vector.size(); ++k) {
    if (type.tile[k] == vector[k]) continue;
    addLoop(cut, {type.tile[k] / vector[k], vector[k]});
    cut.map[k].coefficients.back() = 1;
  }
  return cut;
}

std::optional<ITensor> interleavedSlice(const ITensor& type, std::size_t ways, std::size_t part) {
  std::size_t d = type.loops.size();
  while (d > 0 && type.loops[d - 1].trips == 1) --d;
  const auto count = static_cast<std::int64_t>(ways);
  if (d == 0 || ways < 1 || type.loops[--d].trips % count != 0) return {};
  ITensor slice = type;
  for (std::size_t k = 0; k < type.rank(); ++k)
    slice.map[k].constant += static_cast<std::int64_t>(part) * type.stride(k, d);
  slice.loops[d].trips /= count;
  slice.loops[d].step *= count;
  return slice;
}

std::optional<ITensor> reassociatedType(const ITensor& type, std::span<const std::int64_t> from,
                                        std::span<const std::int64_t> to) {
  return Renaming(type, from, to).run();
}

bool isReassociated(const TensorProgram& program, std::span<const std::optional<std::size_t>> written_by,
                    const TaskPort& from, const TaskPort& to) {
  // From the stream's own tensor forwards, through the reshapes that lead to the other one.
  std::vector<std::size_t> path{to.tensor};
  while (path.back() != from.tensor) {
    const auto writer = written_by[path.back()];
    if (!writer || !isPlainReshape(program.operators[*writer])) return false;
    path.push_back(program.operators[*writer].inputs[0]);
  }
  std::optional<ITensor> type = from.type;
  for (std::size_t i = path.size() - 1; type && i > 0; --i)
    type = reassociatedType(*type, program.tensors[path[i]].shape, program.tensors[path[i - 1]].shape);
  return type && sameStream(*type, to.type);
}

std::vector<ExternalAccess> externalAccesses(const DataflowDesign& design) {
  std::vector<ExternalAccess> found;
  for (std::size_t number = 0; number < design.tasks.size(); ++number) {
    const Task& task = design.tasks[number];
    for (std::size_t port = 0; port < task.inputs.size(); ++port)
      if (task.kind == TaskKind::Store || task.inputs[port].external)
        found.push_back(
            {{number, port}, task.inputs[port], task.name, task.group, task.kind == TaskKind::Store});
    for (std::size_t port = 0; port < task.outputs.size(); ++port)
      if (task.kind == TaskKind::Load || task.outputs[port].external)
        found.push_back(
            {{number, port}, task.outputs[port], task.name, task.group, task.kind != TaskKind::Load});
  }
  return found;
}

}  // namespace sluice::inline tensor
