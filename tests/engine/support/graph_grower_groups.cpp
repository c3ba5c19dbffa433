// Random graphs: states of groups, their last elements, their padding, and lanes joined in turn.
#include "tests/engine/support/graph_grower.h"

namespace sluice {

using List = std::vector<std::int64_t>;

void GraphGrower::scan(OpenEnd end) {
  if (!end.floating() || end.rank() < 1) return put(end);
  static const std::string functions[] = {"add", "multiply", "max"};
  put(through(end, "Scan",
              {{"function", functions[below(3)]},
               {"tap", std::string(chance(50) ? "next" : "prior")},
               {"init", List{end.rows, end.cols}},
               {"rank", between(1, end.rank())},
               {"compute_bw", between(1, 64)}}));
}

/// Cuts tiles into pieces, of which there are at least two.
void GraphGrower::splitTile(OpenEnd end) {
  std::int64_t rows = end.rows % 2 == 0 && chance(70) ? end.rows / 2 : end.rows;
  const std::int64_t cols = end.cols % 4 == 0 && chance(70) ? end.cols / (chance(50) ? 4 : 2) : end.cols;
  if (rows == end.rows && cols == end.cols) rows = 1;
  const std::int64_t down = end.rows / rows, across = end.cols / cols;
  if (!end.floating() || end.most * down * across > most_tokens) return put(end);
  const bool row_by_row = chance(50);
  const List piece = {rows == end.rows && chance(50) ? 0 : rows, cols == end.cols && chance(50) ? 0 : cols};
  OpenEnd result = fresh(through(end, "FlatMap",
                                 {{"function", std::string("split_tile")},
                                  {"split", std::string(row_by_row ? "row" : "column")},
                                  {"piece", piece}}));
  if (result.dims.back() != OpenEnd::unknown) result.dims.back() *= row_by_row ? down : across;
  result.dims.push_back(row_by_row ? across : down);
  result.most *= down * across;
  result.rows = rows;
  result.cols = cols;
  put(result);
}

void GraphGrower::takeLast(OpenEnd end) {
  if (end.rank() < 1) return put(end);
  OpenEnd result = fresh(through(end, "TakeLast", {}));
  result.dims.back() = 1;
  put(result);
}

void GraphGrower::promoteOuter(OpenEnd end) {
  OpenEnd result = fresh(through(end, "PromoteOuter", {}));
  result.dims.insert(result.dims.begin(), 1);
  put(result);
}

/// Chunks with padding, and on a second stream what is padding.
void GraphGrower::reshapePadStream(OpenEnd end) {
  const std::int64_t chunk = between(1, 4);
  if (!end.floating() || end.most * chunk > most_tokens) return put(end);
  newDepth();
  const OperatorId op = builder_.add(
      "ReshapePadStream",
      {{"chunk", chunk}, {"pad", List{end.rows, end.cols}}, {"write_back_mu", chance(40)}}, {end.from});
  OpenEnd data = fresh(end);
  std::int64_t& inner = data.dims.back();
  if (inner != OpenEnd::unknown) inner = (inner + chunk - 1) / chunk;
  data.dims.push_back(chunk);
  data.most *= chunk;
  OpenEnd padding = data;
  data.from = {op, 0};
  padding.from = {op, 1};
  padding.scalar = "flag";
  padding.rows = padding.cols = 1;
  put(data);
  put(padding);
}

/// Lanes of equal structure, dealt out or copied, whose groups become one in turn.
void GraphGrower::interleave(OpenEnd end) {
  if (end.rank() < 1) return put(end);
  const std::int64_t rank = below(end.rank()), ways = between(2, 3);
  const bool even = end.dims.front() != OpenEnd::unknown && end.dims.front() % ways == 0;
  const bool dealt = even || chance(3);
  if (!dealt && end.most * ways > most_tokens) return put(end);
  std::vector<OpenEnd> parts;
  if (dealt) {
    newDepth();
    const OperatorId dealer = builder_.add("Parallelize", switching(ways, end.rank()), {end.from});
    parts = lanes(end, builder_.outputs(dealer), end.rank());
  } else {
    parts = split(end, static_cast<std::size_t>(ways));
  }
  std::vector<Output> from;
  for (OpenEnd& part : parts)
    from.push_back(chance(50) || !part.floating() ? part.from : through(part, "Map", compute("silu")).from);
  newDepth();
  OpenEnd result = fresh(end);
  result.from = builder_.through("StaticReassemble", switching(ways, rank), from);
  std::int64_t& joined = result.dims[result.dims.size() - 1 - static_cast<std::size_t>(rank)];
  if (joined != OpenEnd::unknown) joined *= ways;
  if (dealt)
    result.dims.front() = even ? end.dims.front() / ways : OpenEnd::unknown;
  else
    result.most *= ways;
  put(result);
}

/// Ways, rank and the cycles to turn to another port: the same for all, or each its own.
Settings GraphGrower::switching(std::int64_t ways, std::int64_t rank) {
  Settings settings = {{"ways", ways}, {"rank", rank}, {"switch_cycles", below(4)}};
  if (chance(70) || reference_) return settings;
  List each(static_cast<std::size_t>(ways));
  for (std::int64_t& cycles : each) cycles = below(6);
  settings["port_switch_cycles"] = each;
  return settings;
}

}  // namespace sluice
