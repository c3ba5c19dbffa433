// Padding of extents: which dimensions are tied, which may be padded, and what that makes of their elements.

#include "engine/tensor/programs/padded_program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "engine/tensor/programs/operator_nest.h"
#include "engine/tensor/programs/operator_traits.h"
#include "engine/tensor/programs/padding_values.h"

namespace sluice::inline tensor {
namespace {

std::int64_t roundedUp(std::int64_t extent, std::int64_t tile) {
  return (extent + tile - 1) / tile * tile;
}

bool paysOff(std::int64_t extent, std::int64_t tile) {
  if (extent <= tile) return false;
  std::int64_t divisor = tile;
  while (extent % divisor != 0) --divisor;
  return extent / divisor >= 2 * (roundedUp(extent, tile) / tile);
}

/// Dimensions of tensors in classes: those that one loop of an operator runs over are of one.
class TiedDimensions {
 public:
  explicit TiedDimensions(const TensorProgram& program) {
    for (const TensorValue& tensor : program.tensors) {
      first_.push_back(parent_.size());
      for (std::size_t k = 0; k < tensor.shape.size(); ++k) parent_.push_back(parent_.size());
    }
    fixed_.assign(parent_.size(), false);
    for (const TensorOperator& op : program.operators) tie(nestOf(program, op), hasRows(op.kind));
  }

  std::size_t classOf(std::size_t tensor, std::size_t dimension) {
    std::size_t at = first_[tensor] + dimension;
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
  }
  /// Classes that an operator needs as they are.
  std::set<std::size_t> fixed() {
    std::set<std::size_t> classes;
    for (std::size_t at = 0; at < fixed_.size(); ++at)
      if (fixed_[at]) classes.insert(rootOf(at));
    return classes;
  }

 private:
  std::size_t rootOf(std::size_t at) const {
    while (parent_[at] != at) at = parent_[at];
    return at;
  }

  void tie(const OperatorNest& nest, bool knows_valid) {
    std::vector<std::optional<std::size_t>> of_loop(nest.loops.size());
    for (const OperatorAccess& access : nest.accesses)
      for (std::size_t k = 0; k < access.index.size(); ++k) {
        const std::size_t dimension = first_[access.tensor] + k;
        const std::optional<std::size_t> loop = access.index[k].bareLoop();
        if (!loop) {
          fixed_[dimension] = true;
          continue;
        }
        if (!of_loop[*loop]) of_loop[*loop] = dimension;
        parent_[rootOf(dimension)] = rootOf(*of_loop[*loop]);
      }
    for (std::size_t loop = 0; loop < nest.loops.size(); ++loop)
      if (nest.loops[loop].kind == OperatorLoopKind::Row && !knows_valid && of_loop[loop])
        fixed_[*of_loop[loop]] = true;
    // Loops that are merged into one dimension, or stand for a dimension that is read whole.
    for (const OperatorAccess& access : nest.accesses)
      for (const AffineForm& form : access.index)
        for (std::size_t loop = 0; loop < nest.loops.size(); ++loop)
          if (form.uses(loop) && !form.bareLoop() && of_loop[loop]) fixed_[*of_loop[loop]] = true;
    for (const OperatorAccess& access : nest.accesses)
      for (std::size_t k = 0; k < access.whole.size(); ++k)
        if (access.whole[k] > 0) fixed_[first_[access.tensor] + k] = true;
  }

  std::vector<std::size_t> first_;   ///< dimension of each tensor
  std::vector<std::size_t> parent_;  ///< of each dimension
  std::vector<bool> fixed_;
};

TensorProgram withExtents(const TensorProgram& program, TiedDimensions& tied,
                          const std::map<std::size_t, std::int64_t>& extents) {
  TensorProgram result = program;
  for (std::size_t tensor = 0; tensor < result.tensors.size(); ++tensor) {
    TensorValue& value = result.tensors[tensor];
    const std::vector<std::int64_t> before = value.shape;
    for (std::size_t k = 0; k < value.shape.size(); ++k)
      if (const auto found = extents.find(tied.classOf(tensor, k)); found != extents.end())
        value.shape[k] = found->second;
    if (value.shape != before) value.valid = before;
  }
  for (TensorOperator& op : result.operators) {
    if (!hasRows(op.kind)) continue;
    const TensorValue& row = result.tensors[op.inputs[0]];
    if (!row.valid.empty() && row.valid.back() != row.shape.back()) op.valid = row.valid.back();
  }
  return result;
}

}  // namespace

TensorProgram padded(const TensorProgram& program, std::int64_t tile) {
  const bool any = std::ranges::any_of(program.tensors, [&](const TensorValue& tensor) {
    return std::ranges::any_of(tensor.shape, [&](std::int64_t extent) { return paysOff(extent, tile); });
  });
  if (!any) return program;
  TiedDimensions tied(program);
  const std::set<std::size_t> fixed = tied.fixed();
  std::map<std::size_t, std::int64_t> extents;
  for (std::size_t tensor = 0; tensor < program.tensors.size(); ++tensor)
    for (std::size_t k = 0; k < program.tensors[tensor].shape.size(); ++k) {
      const std::int64_t extent = program.tensors[tensor].shape[k];
      const std::size_t own = tied.classOf(tensor, k);
      if (paysOff(extent, tile) && !fixed.contains(own)) extents[own] = roundedUp(extent, tile);
    }
  // Each round takes one class out, so it ends.
  while (!extents.empty()) {
    const TensorProgram result = withExtents(program, tied, extents);
    const std::optional<TensorDimension> spoilt = spoiltByPadding(result);
    if (!spoilt) return result;
    extents.erase(tied.classOf(spoilt->tensor, spoilt->dimension));
  }
  return program;
}

Diagnostics paddingOf(const TensorProgram& program) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::pair<std::string, std::size_t>> padded;
  for (const TensorValue& tensor : program.tensors)
    for (std::size_t k = 0; k < tensor.valid.size(); ++k) {
      if (tensor.valid[k] == tensor.shape[k]) continue;
      ++padded.try_emplace({tensor.valid[k], tensor.shape[k]}, tensor.name, 0).first->second.second;
    }
  Diagnostics found;
  for (const auto& [extents, where] : padded) {
    const auto [valid, whole] = extents;
    found.push_back(warning("padded-extent", Location(Where::Tensor, where.first),
                            "its extent of " + std::to_string(valid) + " is padded to " +
                                std::to_string(whole) + ", as are " + std::to_string(where.second - 1) +
                                " others: no tile divides it well",
                            "use an extent that tiles divide, as " + std::to_string(whole) +
                                ", at the same cost, or a tile that divides " + std::to_string(valid)));
  }
  return found;
}

namespace {

/// Visits the part that counts, row by row: where a row begins in the whole tensor, and in that part.
template <class Visit>
void forEachRow(const TensorValue& value, const Visit& visit) {
  const std::size_t rank = value.shape.size();
  std::vector<std::int64_t> index(rank, 0);
  const std::int64_t rows =
      std::accumulate(value.valid.begin(), value.valid.end() - 1, std::int64_t{1}, std::multiplies<>());
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t at = 0;
    for (std::size_t k = 0; k < rank; ++k) at = at * value.shape[k] + index[k];
    visit(at, row * value.valid.back());
    for (std::size_t k = rank - 1; k-- > 0;) {
      if (++index[k] < value.valid[k]) break;
      index[k] = 0;
    }
  }
}

}  // namespace

FloatTensor withPadding(const TensorValue& value, const FloatTensor& counts) {
  if (value.valid.empty()) return counts;
  FloatTensor whole{{value.shape.begin(), value.shape.end()}, {}};
  whole.data.assign(static_cast<std::size_t>(elementCount(value)), 0.0f);
  forEachRow(value, [&](std::int64_t to, std::int64_t from) {
    std::copy_n(counts.data.begin() + from, value.valid.back(), whole.data.begin() + to);
  });
  return whole;
}

FloatTensor withoutPadding(const TensorValue& value, FloatTensor whole) {
  if (value.valid.empty()) return whole;
  FloatTensor counts{{value.valid.begin(), value.valid.end()}, {}};
  forEachRow(value, [&](std::int64_t from, std::int64_t) {
    const auto begin = whole.data.begin() + from;
    counts.data.insert(counts.data.end(), begin, begin + value.valid.back());
  });
  return counts;
}

}  // namespace sluice::inline tensor
