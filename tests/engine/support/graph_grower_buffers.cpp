// Random graphs: on-chip buffers, filled and streamed back in every way.
#include "tests/engine/support/graph_grower.h"

namespace sluice {

using List = std::vector<std::int64_t>;

/// Streams buffers of `rank` dimensions back, by any of the three operators.
void GraphGrower::streamBack(const OpenEnd& buffers, std::int64_t rank) {
  const std::int64_t kind = reference_ ? 0 : below(3);
  if (kind == 1 && streamByReference(buffers, rank)) return;
  if (kind == 2 && streamByView(buffers, rank)) return;
  streamRepeatedly(buffers, rank);
}

void GraphGrower::streamRepeatedly(const OpenEnd& buffers, std::int64_t rank) {
  List repeats;
  for (std::int64_t entries = below(3); entries > 0; --entries) repeats.push_back(between(1, 3));
  std::int64_t passes = 0;
  for (std::int64_t factor : repeats) passes += factor;
  if (buffers.most * std::max<std::int64_t>(passes, 1) > most_tokens) repeats.clear();
  OpenEnd result = through(buffers, "Streamify", {{"rank", rank}, {"repeat", repeats}});
  if (!repeats.empty()) {
    result.dims.insert(result.dims.end() - rank, repeats.begin(), repeats.end());
    result.most *= passes;
  }
  const bool single = losesRank(buffers, rank);
  if (!repeats.empty() || single) result = fresh(result);
  result.whole = repeats.size() < 2 && !single;
  put(result);
}

/// A buffer of a single element loses its rank.
bool GraphGrower::losesRank(const OpenEnd& buffers, std::int64_t rank) {
  const std::int64_t held = buffers.innermost(rank);
  return rank > 1 && (held == 1 || held == OpenEnd::unknown);
}

/// The reference has the buffers' outer dimensions and, inside them, those that repeat.
bool GraphGrower::streamByReference(OpenEnd buffers, std::int64_t rank) {
  List outer(buffers.dims.begin(), buffers.dims.end() - rank);
  const bool lonely = outer == List{1};
  const std::int64_t repeated = lonely ? 1 : between(1, 2);
  List shape(static_cast<std::size_t>(repeated));
  for (std::int64_t& extent : shape) extent = between(1, 3);
  std::int64_t passes = 1;
  for (std::int64_t extent : shape) passes *= extent;
  for (std::int64_t extent : outer)
    if (extent == OpenEnd::unknown) return false;
  if (outer.front() != 1 || buffers.most * passes > most_tokens) return false;
  for (std::int64_t i = 0; i < repeated && !lonely; ++i) buffers = through(buffers, "Promote", {{"rank", 0}});

  newDepth();
  outer.erase(outer.begin());
  outer.insert(outer.end(), shape.begin(), shape.end());
  if (chance(4)) outer.back() += 1;  // the reference does not fit; without outer dimensions it still does
  Output ref =
      builder_.through("TileGen", {{"shape", outer}, {"tile", List{1, 1}}, {"interval", between(1, 4)}});
  if (lonely) ref = builder_.through("Flatten", {{"min", 0}, {"max", 1}}, {ref});
  newDepth();
  OpenEnd result = fresh(buffers);
  result.from =
      builder_.through("DynStreamify", {{"rank", rank}, {"repeat_rank", repeated - 1}}, {buffers.from, ref});
  const List inner(buffers.dims.end() - rank, buffers.dims.end());
  result.dims = outer;
  if (!lonely) result.dims.insert(result.dims.begin(), 1);
  result.dims.insert(result.dims.end(), inner.begin(), inner.end());
  result.most *= passes + 1;
  result.whole = !losesRank(buffers, rank);
  put(result);
  return true;
}

/// An affine view of the buffers, mostly inside them.
bool GraphGrower::streamByView(const OpenEnd& buffers, std::int64_t rank) {
  const std::int64_t held = buffers.innermost(rank);
  if (held == OpenEnd::unknown) return false;
  List view = smallShape(3), stride(view.size());
  std::int64_t room = held - 1, tiles = 1;
  for (std::size_t d = 0; d < view.size(); ++d) {
    stride[d] = below(3);
    if (stride[d] > 0) view[d] = std::min(view[d], room / stride[d] + 1);
    room -= stride[d] * (view[d] - 1);
    tiles *= view[d];
  }
  if (chance(30)) {
    view = {held};
    tiles = held;
    stride.clear();
  }
  if (chance(1)) view.back() += held;  // reaches beyond
  if (buffers.most * tiles > most_tokens) return false;
  OpenEnd result =
      fresh(through(buffers, "StaticStreamify", {{"rank", rank}, {"out_shape", view}, {"stride", stride}}));
  result.dims.resize(result.dims.size() - static_cast<std::size_t>(rank));
  result.dims.insert(result.dims.end(), view.begin(), view.end());
  result.most *= tiles;
  put(result);
  return true;
}

void GraphGrower::bufferize(OpenEnd end) {
  if (end.rank() < 1 || !end.floating()) return put(end);
  const std::int64_t rank = between(1, end.rank());
  const OpenEnd buffers = through(end, "Bufferize", {{"rank", rank}});
  std::vector<OpenEnd> ends = {buffers};
  if (chance(25)) ends = split(buffers, 2);
  for (const OpenEnd& one : ends) streamBack(one, rank);
}

/// Sums a stream into buffers of several tiles.
void GraphGrower::accumulateBuffers(OpenEnd end) {
  if (end.rank() < 1 || !end.floating()) return put(end);
  const std::int64_t rank = between(1, end.rank()), group = end.innermost(rank);
  if (group == OpenEnd::unknown) return put(end);
  List slots;
  for (std::int64_t left = group, most = between(1, 2); most > 0; --most) {
    std::int64_t factor = between(1, 4);
    while (left % factor != 0) --factor;
    slots.push_back(factor);
    left /= factor;
  }
  if (chance(1)) ++slots.back();
  static const std::string functions[] = {"add", "multiply", "max"};
  OpenEnd buffers = fresh(through(end, "AccumBuff",
                                  {{"function", functions[below(3)]},
                                   {"buffer_shape", slots},
                                   {"rank", rank},
                                   {"compute_bw", between(1, 3) * between(1, 64)}}));
  buffers.dims.resize(buffers.dims.size() - static_cast<std::size_t>(rank));
  buffers.dims.insert(buffers.dims.end(), slots.begin(), slots.end());
  streamBack(buffers, static_cast<std::int64_t>(slots.size()));
}

}  // namespace sluice
