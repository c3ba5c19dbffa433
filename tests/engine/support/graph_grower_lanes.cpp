// Random graphs: parallel lanes, and the addresses of caches and experts.
#include "tests/engine/support/graph_grower.h"

namespace sluice {

using List = std::vector<std::int64_t>;

/// Streams of the groups of rank `rank` that some operator dealt out.
std::vector<OpenEnd> GraphGrower::lanes(const OpenEnd& end, const std::vector<Output>& outputs,
                                        std::int64_t rank) {
  std::vector<OpenEnd> parts;
  for (const Output& output : outputs) {
    OpenEnd part = fresh(end);
    part.from = output;
    part.dims.assign(end.dims.end() - rank, end.dims.end());
    part.dims.insert(part.dims.begin(), OpenEnd::unknown);
    parts.push_back(part);
  }
  return parts;
}

void GraphGrower::parallelize(OpenEnd end) {
  newDepth();
  const std::int64_t ways = between(2, 4);
  const OperatorId dealer = builder_.add("Parallelize", switching(ways, end.rank()), {end.from});
  const std::vector<OpenEnd> parts = lanes(end, builder_.outputs(dealer), end.rank());
  if (chance(60)) return eagerMerge(parts, end, end.rank());
  for (const OpenEnd& part : parts) put(part);
}

/// First come, first served; what tells the input goes on to a second partition, to addresses, or stays open.
void GraphGrower::eagerMerge(std::vector<OpenEnd> parts, const OpenEnd& whole, std::int64_t rank) {
  std::vector<Output> from;
  for (OpenEnd& part : parts) {
    for (std::int64_t more = below(3); more > 0 && part.floating(); --more)
      part = through(part, "Map", compute(chance(50) ? "silu" : "exp"));
    from.push_back(part.from);
  }
  newDepth();
  const auto ways = static_cast<std::int64_t>(parts.size());
  const OperatorId merge = builder_.add("EagerMerge", {{"ways", ways}, {"rank", rank}}, from);
  OpenEnd data = lanes(whole, {{merge, 0}}, rank).front();
  data.most *= ways;
  OpenEnd select = fresh(data);
  select.from = {merge, 1};
  select.dims = {OpenEnd::unknown};
  select.scalar = "selector";
  select.rows = select.cols = 1;
  if (chance(40) && !(reference_ && data.scalar == "ack")) {
    newDepth();
    const OperatorId again = builder_.add(
        "Partition", {{"ways", ways}, {"rank", rank}, {"switch_cycles", below(3)}}, {data.from, select.from});
    for (const OpenEnd& part : lanes(data, builder_.outputs(again), rank)) put(part);
    return;
  }
  put(data);
  const std::int64_t tiles = between(1, 3);
  if (chance(35) || select.most * tiles > most_tokens) return put(select);
  OpenEnd addresses = fresh(through(select, "ExpertAddrGen", {{"tiles", tiles}, {"base", below(10)}}));
  addresses.scalar = "u64";
  addresses.dims = {OpenEnd::unknown, tiles, 1};
  addresses.most *= tiles;
  gather(addresses);
}

/// Perhaps loads the tiles at the addresses.
void GraphGrower::gather(const OpenEnd& addresses) {
  if (chance(30)) return put(addresses);
  OpenEnd result = addresses;
  result.rows = between(1, 4);
  result.cols = chance(50) ? 8 : 32;
  result.scalar = "f32";
  put(through(result, "RandomOffChipLoad",
              {{"tile", List{result.rows, result.cols}}, {"par_dispatch", between(1, 4)}}));
}

void GraphGrower::scatter(OpenEnd end) {
  if (end.scalar == "u64") return gather(end);
  if (!end.floating() || !end.known() || end.dims.size() < 2 || end.dims.front() != 1) return put(end);
  const OpenEnd addresses = numbers({end.dims.begin() + 1, end.dims.end()}, 0, 99);
  newDepth();
  end.from = builder_.through("RandomOffChipStore",
                              {{"tile", List{end.rows + (!reference_ && chance(2) ? 1 : 0), end.cols}},
                               {"par_dispatch", between(1, 4)},
                               {"ack_from_address", chance(50)}},
                              {addresses.from, end.from});
  end.scalar = "ack";
  put(end);
}

/// Marks rows of tiles as valid by numbers, and perhaps appends one row more.
void GraphGrower::offsets(OpenEnd end) {
  if (!end.floating() || !end.known() || end.dims.size() < 2 || end.dims.front() != 1) return put(end);
  const List shape(end.dims.begin() + 1, end.dims.end());
  const OpenEnd valid = numbers(shape, 0, end.rows - 1);
  newDepth();
  end.from = builder_.through("BinaryMap", compute("set_offset"), {end.from, valid.from});
  if (chance(50)) {
    newDepth();
    const Output row =
        builder_.through(reference_ ? "LinearOffChipLoad" : "TileGen",
                         {{"tile", List{1, end.cols}}, {reference_ ? "out_shape" : "shape", shape}});
    end.from = builder_.through("BinaryMap", compute("row_append"), {end.from, row});
  }
  put(end);
}

void GraphGrower::signal(OpenEnd end) {
  if (end.rank() < 1 || !end.floating()) return put(end);
  const std::int64_t rank = between(1, end.rank());
  Settings settings = compute("signal_all_read");
  settings["rank"] = rank;
  settings["init"] = List{1, 1};
  OpenEnd result = fresh(through(end, "Accum", settings));
  result.dims.resize(result.dims.size() - static_cast<std::size_t>(rank));
  result.scalar = "u64";
  result.rows = result.cols = 1;
  put(result);
}

/// Numbers up to 3 or 4 become groups: the numbers below them, or the neighbours of such a node.
void GraphGrower::groupsOfNumbers() {
  const bool counts = chance(50);
  OpenEnd result = fresh(numbers(smallShape(2), counts && !chance(3) ? 1 : 0, counts ? 4 : 3));
  newDepth();
  Settings settings;
  if (!counts) {
    InputData degrees, neighbours;
    for (std::int64_t node = 0; node < 4; ++node) {
      degrees.tensor.data.push_back(below(4));
      for (std::int64_t i = degrees.tensor.data.back(); i > 0; --i)
        neighbours.tensor.data.push_back(below(4));
    }
    degrees.tensor.shape = {degrees.tensor.data.size()};
    neighbours.tensor.shape = {neighbours.tensor.data.size()};
    const std::string count = std::to_string(inputs_.size());
    inputs_["degrees" + count] = degrees;
    inputs_["neighbours" + count] = neighbours;
    settings = {{"degrees", "degrees" + count}, {"neighbours", "neighbours" + count}, {"own", chance(90)}};
  }
  result.from = builder_.through(counts ? "FlatmapCounter" : "AdjacencyAddrGen", settings, {result.from});
  result.dims.push_back(OpenEnd::unknown);
  result.most *= 4;
  gather(result);
}

/// What a KV cache needs: where to read, where to write, which tile is the last.
void GraphGrower::cacheAddresses() {
  const List shape = smallShape(2);
  const OpenEnd index = numbers(shape, 0, 9), length = numbers(shape, 1, 4);
  newDepth();
  OpenEnd result = fresh(index);
  const std::int64_t kind = below(3);
  if (kind == 0) {
    Settings settings = compute("cache_write_address");
    settings["row_offset"] = between(1, 9);
    result.from = builder_.through("BinaryMap", settings, {index.from, length.from});
    return gather(result);
  }
  result.dims.push_back(OpenEnd::unknown);
  result.most *= 4;
  if (kind == 1) {
    result.from =
        builder_.through("CacheReadAddrGen", {{"row_offset", between(1, 9)}}, {index.from, length.from});
    return gather(result);
  }
  put(index);
  result.scalar = "selector";
  result.from = builder_.through("FilterLastTile", {}, {length.from});
  put(result);
}

}  // namespace sluice
