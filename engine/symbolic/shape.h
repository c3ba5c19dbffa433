#pragma once
// Stream shapes with static, dynamic-regular and ragged dimensions (STeP, section 3.1).
//
// A shape is written outermost first, [D_N ... D_0]; rank = number of dimensions - 1; "rank index" k counts
// from the innermost. A ragged dimension has another extent in every group of the dimensions around it. Its
// symbol stands for the *total* over all those groups, so it absorbs every outer extent: the stream [B, n~,
// 4] has 4*n~ elements, and flattening B and n~ gives n~.

#include <string>
#include <vector>

#include "engine/symbolic/expr.h"

namespace sluice::inline symbolic {

enum class DimKind { Static, Regular, Ragged };

struct Dim {
  Expr extent = Expr(1);
  DimKind kind = DimKind::Static;
  /// 1, or 0 when what it encloses is empty (Reshape's added outer dimension): flattening it into the inner
  /// ones drops it.
  bool presence = false;

  static Dim fixed(Expr extent) {
    return {std::move(extent), DimKind::Static, false};
  }  ///< known before the run (numbers, knobs)
  static Dim regular(Expr extent) {
    return {std::move(extent), DimKind::Regular, false};
  }  ///< known at run time, the same in every group
  static Dim ragged(Expr total) { return {std::move(total), DimKind::Ragged, false}; }
  bool operator==(const Dim&) const = default;
};

using Shape = std::vector<Dim>;  ///< outermost first; never empty for a stream

/// Number of elements: the product from the innermost outwards, ended by the first ragged dimension met (it
/// absorbs the rest). A presence dimension counts as 1 around a regular or ragged one (that is 0 when it is
/// 0), by its extent around static ones only.
Expr elementCount(const Shape& shape);
/// The dimension that flattening `shape[first..last]` (positions, outermost = 0) gives: ragged if one of them
/// is and an outer dimension is left to be ragged over; regular if it is the outermost. Extents multiply as
/// in elementCount.
Dim flattened(const Shape& shape, std::size_t first, std::size_t last);
std::string text(const Shape& shape);  ///< "[1, B, n_0~]" — '~' marks ragged
std::string latex(const Shape& shape);
Shape substitute(const Shape& shape, const std::map<std::string, Expr>& values);

}  // namespace sluice::inline symbolic
