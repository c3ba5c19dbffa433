#include "engine/itensor/coverage.h"

#include <algorithm>
#include <cstdlib>

#include "engine/core/enum_names.h"
#include "engine/itensor/itensor_text.h"

namespace sluice::inline itensor {
namespace {

constexpr std::int64_t most_counted_elements = std::int64_t{1} << 22;
constexpr std::int64_t most_counted_tiles = std::int64_t{1} << 24;

/// Dimensions that share loops, and the loops that move them.
struct Group {
  std::vector<std::size_t> dimensions, loops;
};

bool moves(const ITensor& type, std::size_t k, std::size_t d) {
  return type.map[k].uses(d) && type.loops[d].trips > 1;
}

bool shareLoop(const ITensor& type, const Group& group, std::size_t k) {
  return std::any_of(group.loops.begin(), group.loops.end(),
                     [&](std::size_t d) { return moves(type, k, d); });
}

std::vector<Group> groupsOf(const ITensor& type) {
  std::vector<Group> groups;
  for (std::size_t k = 0; k < type.rank(); ++k) {
    Group own{{k}, {}};
    for (std::size_t d = 0; d < type.loops.size(); ++d) {
      if (moves(type, k, d)) own.loops.push_back(d);
    }
    const auto apart = [&](const Group& group) { return !shareLoop(type, group, k); };
    const auto joined = std::stable_partition(groups.begin(), groups.end(), apart);
    for (auto group = joined; group != groups.end(); ++group) {
      own.dimensions.insert(own.dimensions.begin(), group->dimensions.begin(), group->dimensions.end());
      own.loops.insert(own.loops.end(), group->loops.begin(), group->loops.end());
    }
    groups.erase(joined, groups.end());
    std::sort(own.dimensions.begin(), own.dimensions.end());
    std::sort(own.loops.begin(), own.loops.end());
    own.loops.erase(std::unique(own.loops.begin(), own.loops.end()), own.loops.end());
    groups.push_back(std::move(own));
  }
  return groups;
}

/// One dimension whose tiles are apart, so that nothing need be counted. Empty where they are not, or where
/// tiles with gaps reach beyond the tensor.
std::optional<GroupCoverage> countApart(const ITensor& type, std::size_t k, const Group& group,
                                        std::int64_t size) {
  std::vector<std::pair<std::int64_t, std::int64_t>> by_stride;  // and trips
  for (const std::size_t d : group.loops)
    by_stride.emplace_back(std::abs(type.stride(k, d)), type.loops[d].trips);
  std::sort(by_stride.begin(), by_stride.end());
  std::int64_t span = type.extent(k), sent = span;
  for (const auto& [stride, trips] : by_stride) {
    if (stride < span) return std::nullopt;
    sent *= trips;
    span += stride * (trips - 1);
  }
  const std::int64_t begin = offsetRange(type, k).begin;
  GroupCoverage result{{k}, size, sent, 0, 1, 1};
  if (begin < 0 || begin + span > size) {
    if (sent != span) return std::nullopt;
    result.covered =
        std::max<std::int64_t>(0, std::min(size, begin + span) - std::max<std::int64_t>(begin, 0));
    result.outside = sent - result.covered;
    if (result.covered == 0) result.least_visits = result.most_visits = 0;
  }
  return result;
}

/// Counts the visits of every element between the first and the last that the group touches.
class Counter {
 public:
  Counter(const ITensor& type, const Group& group) : type_(type), group_(group) {
    for (const std::size_t k : group.dimensions) box_.push_back(offsetRange(type, k));
  }

  bool fits() const {
    std::vector<std::int64_t> sizes, tiles;
    for (const OffsetRange& range : box_) sizes.push_back(range.end - range.begin + 1);
    for (const std::size_t d : group_.loops) tiles.push_back(type_.loops[d].trips);
    for (const std::size_t k : group_.dimensions) tiles.push_back(type_.extent(k));
    tiles.back() = 1;  // a row of a tile is marked at its two ends
    const auto cells = boundedProduct(sizes), marks = boundedProduct(tiles);
    return cells && marks && *cells <= most_counted_elements && *marks <= most_counted_tiles;
  }

  GroupCoverage count(std::span<const std::int64_t> shape) {
    markTiles();
    GroupCoverage result{group_.dimensions, 1, 0, 0, 0, 0};
    for (const std::size_t k : group_.dimensions) result.elements *= shape[k];
    std::vector<std::int64_t> at;
    for (const OffsetRange& range : box_) at.push_back(range.begin);
    const OffsetRange row = box_.back();
    for (std::size_t cell = 0; cell < change_.size();) {
      bool inside = true;
      for (std::size_t i = 0; i + 1 < at.size(); ++i)
        inside = inside && at[i] >= 0 && at[i] < shape[group_.dimensions[i]];
      std::int64_t visits = 0;
      for (std::int64_t x = row.begin; x <= row.end; ++x, ++cell) {
        visits += change_[cell];
        add(result, visits, inside && x >= 0 && x < shape[group_.dimensions.back()]);
      }
      for (std::size_t i = at.size() - 1; i-- > 0;) {
        if (++at[i] < box_[i].end) break;
        at[i] = box_[i].begin;
      }
    }
    return result;
  }

 private:
  static void add(GroupCoverage& result, std::int64_t visits, bool inside) {
    if (visits == 0) return;
    if (!inside) {
      ++result.outside;
      return;
    }
    ++result.covered;
    result.least_visits = result.least_visits == 0 ? visits : std::min(result.least_visits, visits);
    result.most_visits = std::max(result.most_visits, visits);
  }

  /// Where the number of visits rises and falls along the rows of the box. A row has one place more than the
  /// box, for the end of its last tile.
  void markTiles() {
    std::int64_t cells = 1;
    for (std::size_t i = 0; i + 1 < box_.size(); ++i) cells *= box_[i].end - box_[i].begin;
    const std::int64_t width = box_.back().end - box_.back().begin + 1;
    change_.assign(static_cast<std::size_t>(cells * width), 0);
    std::vector<std::int64_t> index(group_.loops.size());
    do markTile(index);
    while (advance(index, [this](std::size_t i) { return type_.loops[group_.loops[i]].trips; }));
  }

  void markTile(const std::vector<std::int64_t>& index) {
    const std::size_t rank = box_.size();
    std::vector<std::int64_t> row(rank - 1);
    do {
      std::int64_t place = 0;
      for (std::size_t i = 0; i < rank; ++i) {
        const std::size_t k = group_.dimensions[i];
        std::int64_t offset = type_.map[k].constant - box_[i].begin + (i + 1 < rank ? row[i] : 0);
        for (std::size_t j = 0; j < index.size(); ++j) offset += index[j] * type_.stride(k, group_.loops[j]);
        place = place * (box_[i].end - box_[i].begin + (i + 1 == rank ? 1 : 0)) + offset;
      }
      ++change_[static_cast<std::size_t>(place)];
      --change_[static_cast<std::size_t>(place + type_.extent(group_.dimensions.back()))];
    } while (advance(row, [this](std::size_t i) { return type_.extent(group_.dimensions[i]); }));
  }

  /// To the next index in row-major order; false after the last.
  template <class Bound>
  static bool advance(std::vector<std::int64_t>& index, Bound bound) {
    for (std::size_t i = index.size(); i-- > 0;) {
      if (++index[i] < bound(i)) return true;
      index[i] = 0;
    }
    return false;
  }

  const ITensor& type_;
  const Group& group_;
  std::vector<OffsetRange> box_;
  std::vector<std::int32_t> change_;
};

Result<GroupCoverage> coverGroup(const ITensor& type, const Group& group,
                                 std::span<const std::int64_t> shape) {
  if (group.dimensions.size() == 1) {
    const std::size_t k = group.dimensions.front();
    if (const auto apart = countApart(type, k, group, shape[k])) return *apart;
  }
  Counter counter(type, group);
  if (!counter.fits())
    return error("too-many", "coverage, dimension " + std::to_string(group.dimensions.front()),
                 "its tiles overlap or share loops, and are too many to be counted one by one",
                 "use steps of the tile's size, or check a smaller tensor of the same pattern");
  return counter.count(shape);
}

}  // namespace

std::string text(CoverageKind kind) {
  static constexpr EnumName<CoverageKind> names[] = {{CoverageKind::Exact, "exact"},
                                                     {CoverageKind::Overlap, "overlap"},
                                                     {CoverageKind::Gap, "gap"},
                                                     {CoverageKind::OutOfRange, "out of range"}};
  return nameIn(names, kind);
}

CoverageKind Coverage::kind() const {
  if (outside > 0) return CoverageKind::OutOfRange;
  if (missed() > 0) return CoverageKind::Gap;
  return overlaps() ? CoverageKind::Overlap : CoverageKind::Exact;
}

Result<Coverage> coverage(const ITensor& type, std::span<const std::int64_t> shape) {
  const Location place = "tensor " + shapeText(shape);
  if (shape.size() != type.rank())
    return error("rank-mismatch", place,
                 "it has " + std::to_string(shape.size()) + " dimensions and the itensor's map " +
                     std::to_string(type.rank()) + " results",
                 "give the tensor as many dimensions as the map has results");
  const std::optional<std::int64_t> elements = boundedProduct(shape);
  if (!elements) return error("too-many", place, "it has more than 2^60 elements", "use smaller extents");
  Coverage result{*elements, 1, 0, 1, 1, revisitFactor(type), {}};
  std::int64_t sent = 1;
  for (const Group& group : groupsOf(type)) {
    SLUICE_TRY(const GroupCoverage part, coverGroup(type, group, shape));
    sent *= part.covered + part.outside;
    result.covered *= part.covered;
    result.least_visits *= part.least_visits;
    result.most_visits *= part.most_visits;
    result.groups.push_back(part);
  }
  result.outside = sent - result.covered;
  result.least_visits *= result.revisit;
  result.most_visits *= result.revisit;
  if (result.covered == 0) result.least_visits = result.most_visits = 0;
  return result;
}

}  // namespace sluice::inline itensor
