// The steps of the random graph: each takes an open end and leaves the ends that come of it.
#include "tests/engine/support/graph_grower.h"

#include <algorithm>

namespace sluice {

using List = std::vector<std::int64_t>;

Settings GraphGrower::compute(const std::string& function) {
  return {
      {"function", function}, {"compute_bw", between(1, 3) * between(1, 64)}, {"write_back_mu", chance(40)}};
}

OpenEnd GraphGrower::mapped(const OpenEnd& end) {
  if (!end.floating()) return end;
  static const std::string functions[] = {"silu", "exp", "row_sum"};
  const std::string& function = functions[below(10) < 8 ? below(2) : 2];
  OpenEnd result = through(end, "Map", compute(function));
  if (function == "row_sum") result.cols = 1;
  return result;
}

void GraphGrower::map(OpenEnd end) {
  put(mapped(end));
}

/// Adds (or multiplies) over the `rank` inner dimensions.
OpenEnd GraphGrower::summed(const OpenEnd& end, std::int64_t rank) {
  Settings settings = compute(chance(80) ? "add" : reference_ || chance(50) ? "multiply" : "max");
  settings["rank"] = rank;
  settings["init"] = List{end.rows, end.cols};
  if (!reference_) settings["keep_padding"] = chance(30);
  OpenEnd result = fresh(through(end, "Accum", settings));
  result.dims.resize(result.dims.size() - static_cast<std::size_t>(rank));
  return result;
}

void GraphGrower::accumulate(OpenEnd end) {
  if (end.rank() < 1 || !end.floating()) return put(end);
  put(summed(end, between(1, end.rank())));
}

void GraphGrower::accumulateRows(OpenEnd end) {
  if (end.rank() < 1 || !end.floating()) return put(end);
  const std::int64_t rank = between(1, end.rank()), tiles = end.innermost(rank);
  if (tiles < 1) return put(end);  // unknown, or an empty stream
  const bool rows = chance(70) || reference_;
  Settings settings = compute(rows ? "retile_row" : "retile_col");
  settings["rank"] = rank;
  settings["init"] = rows ? List{0, end.cols} : List{end.rows, 0};
  OpenEnd result = fresh(through(end, "Accum", settings));
  result.dims.resize(result.dims.size() - static_cast<std::size_t>(rank));
  (rows ? result.rows : result.cols) *= tiles;
  put(result);
}

void GraphGrower::reshape(OpenEnd end) {
  const std::int64_t chunk = between(1, 4);
  const bool pad = end.floating(), outer = end.rank() == 0 && chance(60);
  const std::int64_t inner = end.dims.back();
  if (!pad && (inner == OpenEnd::unknown || inner % chunk != 0)) return put(end);
  if (end.most * chunk > most_tokens) return put(end);
  Settings settings = {{"dim", 0}, {"chunk", chunk}, {"add_outer_dim", outer}, {"write_back_mu", chance(40)}};
  if (pad) settings["pad"] = List{end.rows, end.cols};
  OpenEnd result = fresh(through(end, "Reshape", settings));
  result.dims.back() = inner == OpenEnd::unknown ? inner : (inner + chunk - 1) / chunk;
  result.dims.push_back(chunk);
  if (outer) result.dims.insert(result.dims.begin(), 1);
  result.most *= chunk;
  put(result);
}

void GraphGrower::reshapeOuter(OpenEnd end) {
  if (end.rank() < 1) return put(end);
  const std::int64_t dim = between(1, end.rank());
  const auto position = end.dims.end() - 1 - dim;
  const std::int64_t extent = *position, chunk = between(1, 3);
  if (extent == OpenEnd::unknown || extent % chunk != 0) return put(end);
  OpenEnd result = fresh(through(end, "Reshape", {{"dim", dim}, {"chunk", chunk}}));
  auto split = result.dims.end() - 1 - dim;
  *split = extent / chunk;
  result.dims.insert(split + 1, chunk);
  put(result);
}

void GraphGrower::flatten(OpenEnd end) {
  if (end.rank() < 1) return put(end);
  const std::int64_t low = below(end.rank()), high = between(low + 1, end.rank());
  OpenEnd result = fresh(through(end, "Flatten", {{"min", low}, {"max", high}}));
  std::int64_t merged = 1;
  for (std::int64_t i = low; i <= high; ++i) {
    const std::int64_t extent = end.dims[static_cast<std::size_t>(end.rank() - i)];
    merged = merged == OpenEnd::unknown || extent == OpenEnd::unknown ? OpenEnd::unknown : merged * extent;
  }
  const auto first = result.dims.begin() + (end.rank() - high);
  result.dims.erase(first, first + (high - low));
  result.dims[static_cast<std::size_t>(end.rank() - high)] = merged;
  put(result);
}

void GraphGrower::promote(OpenEnd end) {
  const std::int64_t rank = between(0, end.rank());
  OpenEnd result = fresh(through(end, "Promote", {{"rank", rank}}));
  result.dims.insert(result.dims.end() - rank, 1);
  put(result);
}

void GraphGrower::repeat(OpenEnd end) {
  const std::int64_t factor = between(1, 4);
  if (end.most * factor > most_tokens) return put(end);
  OpenEnd result = fresh(through(end, "Repeat", {{"factor", factor}}));
  result.dims.push_back(factor);
  result.most *= factor;
  put(result);
}

void GraphGrower::expandStatic(OpenEnd end) {
  const std::int64_t factor = between(1, 4);
  if (end.most * factor > most_tokens || reference_) return put(end);
  OpenEnd result = fresh(through(end, "ExpandStatic", {{"factor", factor}}));
  if (result.dims.back() != OpenEnd::unknown) result.dims.back() *= factor;
  result.most *= factor;
  put(result);
}

void GraphGrower::flatMap(OpenEnd end) {
  const bool rows = chance(70), filter = chance(40);
  const std::int64_t pieces = rows ? end.rows : end.cols;
  if (!end.floating() || end.most * pieces > most_tokens) return put(end);
  OpenEnd result = fresh(
      through(end, "FlatMap", {{"split", std::string(rows ? "row" : "column")}, {"filter_mask", filter}}));
  if (result.dims.back() != OpenEnd::unknown)
    result.dims.back() = filter ? OpenEnd::unknown : result.dims.back() * pieces;
  result.most *= pieces;
  result.rows = 1;
  if (!rows) result.cols = end.rows;
  put(result);
}

void GraphGrower::broadcast(OpenEnd end) {
  for (OpenEnd& copy : split(end, static_cast<std::size_t>(between(2, 3)))) put(std::move(copy));
}

void GraphGrower::loadRef(OpenEnd end) {
  const List shape = smallShape(2);
  std::int64_t tiles = 1;
  for (std::int64_t extent : shape) tiles *= extent;
  if (end.most * tiles > most_tokens / 2) return put(end);
  OpenEnd result = end;
  result.rows = between(1, 3);
  result.cols = chance(50) ? 8 : 32;
  result.scalar = "f32";
  result = fresh(through(
      result, "LinearOffChipLoadRef",
      {{"tile", List{result.rows, result.cols}}, {"out_shape", shape}, {"par_dispatch", between(1, 4)}}));
  result.dims.insert(result.dims.end(), shape.begin(), shape.end());
  result.most *= tiles;
  put(result);
}

void GraphGrower::store(OpenEnd end) {
  if (!end.floating() || !end.whole || end.rows > 8 || chance(60)) return put(end);
  if (!reference_ && end.known() && chance(40)) return storeTensor(end);
  newDepth();
  builder_.add("LinearOffChipStore",
               {{"tile", List{end.rows + (chance(2) ? 1 : 0), end.cols}}, {"par_dispatch", between(1, 4)}},
               {end.from});
}

// ---- several ends ----

/// Two streams of the same structure become one.
void GraphGrower::combine(const OpenEnd& a, const OpenEnd& b, bool careless) {
  newDepth();
  const bool same_tile = a.rows == b.rows && a.cols == b.cols;
  const bool matmul = a.cols == b.cols && chance(40);
  static const std::string functions[] = {"add", "multiply", "divide", "max"};
  Settings settings = compute(matmul ? (chance(50) || reference_ ? "matmul" : "dynamic_matmul")
                                     : functions[below(reference_ ? 2 : 4)]);
  settings["weight_transposed"] = matmul;
  OpenEnd result = a;
  result.most = std::max(a.most, b.most);
  if (!careless && !matmul && !same_tile && a.rows != 1 && b.rows != 1 && a.rows != b.rows)
    return put(a), put(b);
  if (!careless && !matmul && a.cols != 1 && b.cols != 1 && a.cols != b.cols) return put(a), put(b);
  if (!matmul) result.rows = std::max(a.rows, b.rows);
  result.cols = matmul ? b.rows : std::max(a.cols, b.cols);
  const std::int64_t way = below(4);
  if (way < 2 && matmul && a.rank() > 0) {
    const std::int64_t rank = between(1, a.rank());
    settings["rank"] = rank;
    settings["init"] = List{result.rows, result.cols};
    result.from = builder_.through("BinaryMapAccum", settings, {a.from, b.from});
    result.dims.resize(result.dims.size() - static_cast<std::size_t>(rank));
    return put(fresh(result));
  }
  if (way == 2 && !reference_) {
    result.from = builder_.through("Zip", {}, {a.from, b.from});
    return put(through(result, "Map", settings));
  }
  result.from = builder_.through("BinaryMap", settings, {a.from, b.from});
  put(result);
}

void GraphGrower::join(OpenEnd end) {
  const bool careless = chance(10) && !reference_;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const OpenEnd& other = ends_[i];
    const bool fits = other.structure == end.structure || (end.known() && end.dims == other.dims);
    if (!end.floating() || !other.floating() || !other.whole || !(fits || careless)) continue;
    return combine(end, take(i), careless);
  }
  put(end);
}

void GraphGrower::forkJoin(OpenEnd end) {
  if (!end.floating()) return put(end);
  std::vector<OpenEnd> ways = split(end, 2);
  for (std::int64_t more = below(3); more > 0; --more) ways[0] = mapped(ways[0]);
  if (chance(30)) ways[1] = mapped(ways[1]);
  combine(ways[0], ways[1], false);
}

/// Sums inner dimensions and spreads the sum over them again, beside the stream itself: deadlocks when the
/// FIFO beside is too shallow.
void GraphGrower::expandBack(OpenEnd end) {
  if (end.rank() < 1 || !end.floating()) return put(end);
  const std::int64_t rank = chance(70) ? 1 : between(1, end.rank());
  std::vector<OpenEnd> ways = split(end, 3);
  OpenEnd sum = summed(ways[0], rank);
  for (std::int64_t i = 0; i < rank; ++i) sum = through(sum, "Promote", {{"rank", 0}});
  newDepth();
  OpenEnd spread = end;
  spread.from = builder_.through("Expand", {{"rank", rank}}, {sum.from, ways[1].from});
  combine(ways[2], spread, false);
}

/// Spreads a single tile over a stream of rank 0.
void GraphGrower::expandOne(OpenEnd end) {
  if (end.rank() > 0) return put(end);
  newDepth();
  OpenEnd spread = end;
  spread.rows = 1;
  spread.cols = 8;
  spread.scalar = "f32";
  const Output one =
      reference_ ? builder_.through("LinearOffChipLoad", {{"tile", List{1, 8}}, {"out_shape", List{1}}})
                 : builder_.through("TileGen",
                                    {{"tile", List{1, 8}}, {"shape", List{1}}, {"interval", between(1, 30)}});
  const Output flat = builder_.through("Flatten", {{"min", 0}, {"max", 1}}, {one});
  spread.from = builder_.through("Expand", {{"rank", 1}}, {flat, end.from});
  put(spread);
}

void GraphGrower::repeatBack(OpenEnd end) {
  if (end.rank() < 1 || !end.floating() || reference_) return put(end);
  const std::int64_t rank = below(end.rank());
  std::vector<OpenEnd> ways = split(end, 2);
  const OpenEnd sum = summed(ways[0], rank + 1);
  newDepth();
  OpenEnd spread = fresh(end);
  spread.from = builder_.through("RepeatRef", {{"rank", rank}}, {sum.from, ways[1].from});
  spread.dims.resize(spread.dims.size() - static_cast<std::size_t>(rank));
  put(spread);
}

// ---- routing ----

/// Random selectors for `groups`; the name of the new input.
std::string GraphGrower::selectors(const List& groups, std::int64_t ways, bool nonempty) {
  InputData data;
  std::int64_t count = 1;
  for (std::int64_t extent : groups) {
    data.tensor.shape.push_back(static_cast<std::size_t>(extent));
    count *= extent;
  }
  const bool one_hot = groups.size() == 2 && groups.back() <= ways && chance(50);
  const bool numbers = one_hot || (groups.size() == 1 && chance(40));
  data.kind = numbers ? InputKind::Routing : InputKind::Tensor;
  data.experts = numbers ? ways : 0;
  const std::int64_t top_k = one_hot ? 1 : numbers ? between(1, ways) : ways;
  if (!one_hot) data.tensor.shape.push_back(static_cast<std::size_t>(top_k));
  for (std::int64_t group = 0; group < count; ++group) {
    const std::int64_t first = below(ways);
    for (std::int64_t k = 0; k < top_k; ++k)
      data.tensor.data.push_back(numbers                                  ? (first + k) % ways
                                 : (nonempty && k == first) || chance(40) ? 1
                                                                          : 0);
  }
  const std::string name = (one_hot ? "one_hot" : "selectors") + std::to_string(inputs_.size());
  inputs_[name] = data;
  return name;
}

Output GraphGrower::control(const std::string& input, bool flat) {
  const std::string view = input.starts_with("one_hot") ? "one_hot" : "multi_hot";
  const Output selectors = builder_.through("SelectGen", {{"input", input}, {"view", view}});
  return flat ? builder_.through("Flatten", {{"min", 0}, {"max", 1}}, {selectors}) : selectors;
}

/// Partition by groups of rank 0 to 2, and mostly Reassemble again. The control has the data's outer
/// dimensions, and its stops; or (flat) neither has stops above the groups.
void GraphGrower::route(OpenEnd end) {
  if (reference_ && end.scalar == "ack") return put(end);  // has no size there
  const bool flat = end.rank() <= 2 && end.dims.front() != OpenEnd::unknown && chance(50);
  const std::int64_t rank = flat ? end.rank() : end.rank() > 1 ? below(2) : 0;
  if (!flat && (end.rank() - rank < 1 || !end.known() || end.dims.front() != 1)) return put(end);
  const List groups(end.dims.begin() + (flat ? 0 : 1), end.dims.end() - rank);
  const std::int64_t ways = between(2, 4);
  const bool again = chance(65);
  const std::string input = selectors(groups, ways, again && (reference_ || !chance(4)));
  newDepth();
  Output first = control(input, flat), second;
  const bool shared = again && chance(60);
  if (shared) {
    const std::vector<Output> copies = builder_.broadcast(first, 2);
    first = copies[0];
    second = copies[1];
  } else if (again) {
    second = control(input, flat);
  }
  newDepth();
  Settings settings = switching(ways, rank);
  settings["write_back_mu"] = chance(40);
  const OperatorId partition = builder_.add("Partition", settings, {end.from, first});
  const std::vector<OpenEnd> parts = lanes(end, builder_.outputs(partition), rank);
  if (again) return reassemble(parts, end, rank, second);
  if (chance(60)) return eagerMerge(parts, end, rank);
  for (const OpenEnd& part : parts) put(part);
}

void GraphGrower::reassemble(std::vector<OpenEnd> parts, const OpenEnd& whole, std::int64_t rank,
                             Output control) {
  std::vector<Output> from;
  for (OpenEnd& part : parts) {
    for (std::int64_t more = below(3); more > 0 && part.floating(); --more)
      part = through(part, "Map", compute(chance(50) ? "silu" : "exp"));
    from.push_back(part.from);
  }
  from.push_back(control);
  newDepth();
  OpenEnd result = fresh(whole);
  const auto ways = static_cast<std::int64_t>(parts.size());
  Settings settings = switching(ways, rank);
  settings["write_back_mu"] = chance(40);
  result.from = builder_.through("Reassemble", settings, from);
  result.dims.insert(result.dims.end() - rank, OpenEnd::unknown);
  result.most *= ways;
  put(result);
}

}  // namespace sluice
