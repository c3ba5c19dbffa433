#include "widgets/itensor/access_picture.h"

#include <algorithm>
#include <map>

#include "engine/itensor/access_sequence.h"
#include "engine/itensor/canonical.h"

namespace sluice::ui {
namespace {

/// Elements of the dimension drawn as rows or columns; one that does not exist has one.
OffsetRange rangeOf(std::span<const std::int64_t> shape, std::size_t dimension) {
  return {0, dimension < shape.size() ? shape[dimension] : 1};
}

std::int64_t offsetOf(const AccessSequence& at, std::size_t dimension) {
  return dimension < at.offset().size() ? at.offset()[dimension] : 0;
}

std::int64_t extentOf(const ITensor& type, std::size_t dimension) {
  return dimension < type.rank() ? type.extent(dimension) : 1;
}

bool meets(const ITensor& type, const AccessSequence& at, const TensorSlice& slice) {
  for (std::size_t k = 0; k < type.rank(); ++k) {
    if (k == slice.rows || k == slice.columns) continue;
    const std::int64_t index = k < slice.at.size() ? slice.at[k] : 0;
    if (index < at.offset()[k] || index >= at.offset()[k] + type.extent(k)) return false;
  }
  return true;
}

ElementRect around(const ElementRect& a, const ElementRect& b) {
  if (a.rows == 0 || a.columns == 0) return b;
  const std::int64_t row = std::min(a.row, b.row), column = std::min(a.column, b.column);
  return {row, column, std::max(a.row + a.rows, b.row + b.rows) - row,
          std::max(a.column + a.columns, b.column + b.columns) - column};
}

/// Cuts between patches of elements that are all sent equally often.
std::vector<std::int64_t> cuts(const AccessPicture& picture, std::int64_t ElementRect::*begin,
                               std::int64_t ElementRect::*length) {
  std::vector<std::int64_t> at;
  const auto add = [&](const ElementRect& rect) {
    at.push_back(rect.*begin);
    at.push_back(rect.*begin + rect.*length);
  };
  add(picture.drawn);
  add(picture.tensor);
  for (const PicturePlace& place : picture.places) add(place.elements);
  std::ranges::sort(at);
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

std::size_t cutAt(const std::vector<std::int64_t>& cuts, std::int64_t position) {
  return static_cast<std::size_t>(std::ranges::lower_bound(cuts, position) - cuts.begin());
}

std::optional<FlawKind> flawOf(const ElementRect& patch, std::int64_t visits, std::int64_t revisit,
                               const ElementRect& tensor) {
  if (!tensor.contains(patch.row, patch.column))
    return visits > 0 ? std::optional(FlawKind::Outside) : std::nullopt;
  if (visits == 0) return FlawKind::Gap;
  return visits > revisit ? std::optional(FlawKind::Overlap) : std::nullopt;
}

/// Visits of patches between the cuts, by a two-dimensional difference array.
void findFlaws(AccessPicture& picture, std::int64_t revisit) {
  const std::vector<std::int64_t> rows = cuts(picture, &ElementRect::row, &ElementRect::rows);
  const std::vector<std::int64_t> columns = cuts(picture, &ElementRect::column, &ElementRect::columns);
  const std::size_t width = columns.size();
  if (rows.size() * width > most_patches) {
    picture.complete = false;
    return;
  }
  std::vector<std::int64_t> visits(rows.size() * width, 0);
  for (const PicturePlace& place : picture.places) {
    const ElementRect& e = place.elements;
    const std::size_t top = cutAt(rows, e.row), bottom = cutAt(rows, e.row + e.rows);
    const std::size_t left = cutAt(columns, e.column), right = cutAt(columns, e.column + e.columns);
    const auto times = static_cast<std::int64_t>(place.tokens.size());
    visits[top * width + left] += times;
    visits[top * width + right] -= times;
    visits[bottom * width + left] -= times;
    visits[bottom * width + right] += times;
  }
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 1; c < width; ++c) visits[r * width + c] += visits[r * width + c - 1];
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 0; c < width; ++c) visits[r * width + c] += visits[(r - 1) * width + c];
  for (std::size_t r = 0; r + 1 < rows.size(); ++r) {
    for (std::size_t c = 0; c + 1 < width; ++c) {
      const ElementRect patch{rows[r], columns[c], rows[r + 1] - rows[r], columns[c + 1] - columns[c]};
      const auto flaw = flawOf(patch, visits[r * width + c], revisit, picture.tensor);
      if (!flaw) continue;
      // Patches of one row of cuts join, so that a hatch runs through.
      if (!picture.flaws.empty()) {
        PictureFlaw& last = picture.flaws.back();
        ElementRect& e = last.elements;
        if (last.kind == *flaw && e.row == patch.row && e.column + e.columns == patch.column) {
          e.columns += patch.columns;
          continue;
        }
      }
      picture.flaws.push_back({*flaw, patch});
    }
  }
}

}  // namespace

AccessPicture accessPicture(const ITensor& type, std::span<const std::int64_t> shape,
                            const TensorSlice& slice) {
  AccessPicture picture;
  const OffsetRange rows = rangeOf(shape, slice.rows), columns = rangeOf(shape, slice.columns);
  picture.tensor = {rows.begin, columns.begin, rows.end, columns.end};
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> place_at;
  AccessSequence at(type);
  picture.stream = at.count();
  ElementRect hull;
  for (; !at.atEnd(); at.advance()) {
    const bool met = meets(type, at, slice);
    if (at.position() >= most_walked_tokens || (met && std::ssize(picture.tokens) >= most_drawn_tokens)) {
      picture.complete = false;
      break;
    }
    if (!met) continue;
    const std::int64_t row = offsetOf(at, slice.rows), column = offsetOf(at, slice.columns);
    const auto [found, fresh] = place_at.try_emplace({row, column}, picture.places.size());
    if (fresh) {
      const ElementRect elements{row, column, extentOf(type, slice.rows), extentOf(type, slice.columns)};
      picture.places.push_back({elements, {}});
      hull = around(hull, elements);
    }
    picture.places[found->second].tokens.push_back(at.position());
    picture.path.push_back(found->second);
    picture.tokens.push_back(at.position());
  }
  // Where only the first tokens are drawn, the rest of a large tensor would leave no room for them.
  picture.drawn = picture.complete || picture.places.empty() ? around(hull, picture.tensor) : hull;
  if (picture.complete) findFlaws(picture, revisitFactor(type));
  return picture;
}

std::optional<Parting> partingOf(const ITensor& a, const ITensor& b) {
  if (sameStream(a, b)) return std::nullopt;
  if (a.tile != b.tile || !(a.scalar == b.scalar) || a.vector_token != b.vector_token)
    return Parting{0, true};
  AccessSequence left(a), right(b);
  while (!left.atEnd() && !right.atEnd() && std::ranges::equal(left.offset(), right.offset())) {
    if (left.position() >= most_walked_tokens) return Parting{left.position(), false};
    left.advance();
    right.advance();
  }
  return Parting{left.position(), true};
}

}  // namespace sluice::ui
