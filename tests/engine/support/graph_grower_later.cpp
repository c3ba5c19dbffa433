// Random graphs: triggered counters, scans of loops, items sorted into buckets, rows that a mask keeps.
#include <algorithm>

#include "tests/engine/support/graph_grower.h"

namespace sluice {

using List = std::vector<std::int64_t>;

/// A counter of one or two dimensions, by itself or once for each element of `trigger`.
void GraphGrower::count(std::optional<OpenEnd> trigger) {
  const bool grid = chance(50);
  List extents(grid ? 2 : 1);
  for (std::int64_t& extent : extents) extent = between(1, grid || trigger ? 4 : 9);
  if (!grid && !trigger && chance(8)) extents = {0};
  std::int64_t most = trigger ? trigger->most : 1;
  for (const std::int64_t extent : extents) most *= extent;
  if (most > most_tokens) return put(*std::move(trigger));
  Settings settings = {{"triggers", trigger ? 1 : 0}};
  if (grid) {
    settings["rows"] = extents[0];
    settings["columns"] = extents[1];
  } else {
    settings["max"] = extents[0];
  }
  newDepth();
  std::vector<Output> from;
  if (trigger) from.push_back(trigger->from);
  const OperatorId op = builder_.add(grid ? "Counter2D" : "Counter", settings, from);
  OpenEnd numbers{{}, trigger ? trigger->dims : List{1}, ++structures_, most, 1, 1, "u64"};
  numbers.dims.insert(numbers.dims.end(), extents.begin(), extents.end());
  for (const Output& output : builder_.outputs(op)) {
    numbers.from = output;
    if (grid) {
      put(numbers);
    } else {
      gather(numbers);
    }
  }
}

void GraphGrower::sweep(OpenEnd end) {
  count(std::move(end));
}

/// Stores the stream as a tensor of its size, or as a list of its tiles.
void GraphGrower::storeTensor(const OpenEnd& end) {
  List shape = end.dims;
  if (chance(50)) shape = {end.innermost(static_cast<std::int64_t>(end.dims.size()))};
  if (chance(2)) ++shape.front();
  newDepth();
  builder_.add("DynOffChipStore",
               {{"tile", List{end.rows, end.cols + (chance(2) ? 1 : 0)}},
                {"extents", extents(shape)},
                {"par_dispatch", between(1, 4)}},
               {end.from});
}

/// The state after and before every element, perhaps with a second operand, which may have other stops. The
/// count of a loop is a number, or what ends its group: that comes too late where the FIFO beside is shallow.
void GraphGrower::loopScan(OpenEnd end) {
  if (!end.floating() || end.rank() < 1) return put(end);
  const std::int64_t elements = end.innermost(static_cast<std::int64_t>(end.dims.size()));
  if (elements == 0) return put(end);
  const bool known = elements != OpenEnd::unknown, counted = known && chance(85), operand = chance(60);
  const bool copied = operand && (!known || end.scalar != "f32" || chance(40));
  std::vector<OpenEnd> ways = {end};
  if (copied || !counted) ways = split(end, 1U + (copied ? 1U : 0U) + (counted ? 0U : 1U));
  std::vector<Output> from = {ways[0].from};
  newDepth();
  if (copied) {
    from.push_back(ways[1].from);
  } else if (operand) {
    from.push_back(
        builder_.through("TileGen", {{"shape", List{elements - (chance(2) ? 1 : 0)}},
                                     {"tile", List{chance(40) ? 1 : end.rows, chance(40) ? 1 : end.cols}},
                                     {"interval", between(1, 4)}}));
  }
  from.push_back(
      counted ? builder_.through("Counter", {{"max", elements / end.dims.back() - (chance(20) ? 1 : 0)}})
              : through(ways.back(), "TakeLast", {}).from);
  static const std::string functions[] = {"add", "multiply", "max"};
  Settings settings = compute(functions[below(3)]);
  settings["operand_function"] = functions[below(3)];
  settings["operands"] = operand ? 1 : 0;
  settings["init"] = List{end.rows, end.cols};
  newDepth();
  for (const Output& output : builder_.outputs(builder_.add("LoopScan", settings, from))) {
    end.from = output;
    put(end);
  }
}

/// Items of a group into buckets, which mostly are dealt out again or stay in one stream.
void GraphGrower::shuffle(OpenEnd end) {
  if (end.rank() < 1 || !end.known() || end.dims.front() != 1 || end.scalar == "selector") return put(end);
  const std::int64_t ways = between(2, 4);
  const std::int64_t most_rank = std::min<std::int64_t>(end.rank(), 3);
  const std::int64_t rank = between(1, most_rank), item = rank - 1;
  if (end.most * ways > most_tokens) return put(end);
  const List items(end.dims.begin() + 1, end.dims.end() - item);
  const bool nonempty = items.back() < 3 ? !chance(4) : chance(60);
  newDepth();
  const Output index = control(selectors(items, ways, nonempty), false);
  newDepth();
  const OperatorId op =
      builder_.add("Shuffle", {{"rank", rank}, {"write_back_mu", chance(40)}}, {end.from, index});
  OpenEnd bucket = fresh(end), data = fresh(end);
  bucket.from = {op, 1};
  bucket.dims.assign(end.dims.begin(), end.dims.end() - rank);
  bucket.dims.push_back(OpenEnd::unknown);
  bucket.most *= ways;
  bucket.scalar = "selector";
  bucket.rows = bucket.cols = 1;
  data.from = {op, 0};
  data.dims.assign(bucket.dims.begin(), bucket.dims.end());
  data.dims.push_back(OpenEnd::unknown);
  data.dims.insert(data.dims.end(), end.dims.end() - item, end.dims.end());
  data.most *= ways;
  if (chance(60)) return put(data), put(bucket);
  newDepth();
  const OperatorId partition = builder_.add("Partition", switching(ways, rank), {data.from, bucket.from});
  for (const OpenEnd& part : lanes(data, builder_.outputs(partition), rank)) put(part);
}

/// Rows packed in chunks with a flag for each, and filtered by their flags.
void GraphGrower::filterRows(OpenEnd end) {
  const std::int64_t chunk = between(1, 4), pieces = end.rows;
  if (!end.floating() || end.most * pieces * chunk > most_tokens) return put(end);
  if (pieces > 1) {
    end = fresh(through(end, "FlatMap", {}));
    if (end.dims.back() != OpenEnd::unknown) end.dims.back() *= pieces;
    end.most *= pieces;
    end.rows = 1;
  }
  newDepth();
  const OperatorId chunks = builder_.add("ReshapePadStream",
                                         {{"chunk", chunk},
                                          {"pad", List{1, end.cols}},
                                          {"write_back_mu", chance(40)},
                                          {"marks", std::string(chance(80) ? "data" : "padding")}},
                                         {end.from});
  const std::int64_t rank = end.rank() > 0 && end.known() && chance(25) ? 2 : 1;
  const auto packed = [&](std::uint32_t port, std::int64_t cols) {
    Settings settings = compute("retile_row");
    settings["rank"] = rank;
    settings["init"] = List{0, cols};
    newDepth();
    return builder_.through("Accum", settings, {{chunks, port}});
  };
  const Output rows = packed(0, end.cols), mask = packed(1, 1);
  newDepth();
  OpenEnd result = fresh(end);
  result.from = builder_.through("FlatmapFilterRowStreamify", {}, {rows, mask});
  result.dims.back() = OpenEnd::unknown;
  if (rank == 2) result.dims.pop_back();
  result.dims.back() = OpenEnd::unknown;
  result.most *= chunk;
  put(result);
}

}  // namespace sluice
