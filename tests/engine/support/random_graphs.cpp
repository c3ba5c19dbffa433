#include "tests/engine/support/random_graphs.h"

#include <algorithm>
#include <numeric>

#include "tests/engine/support/graph_grower.h"

namespace sluice {

using List = std::vector<std::int64_t>;

bool OpenEnd::known() const {
  return std::find(dims.begin(), dims.end(), unknown) == dims.end();
}

std::int64_t OpenEnd::innermost(std::int64_t count) const {
  std::int64_t product = 1;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t extent = dims[dims.size() - 1 - static_cast<std::size_t>(i)];
    if (extent == unknown) return unknown;
    product *= extent;
  }
  return product;
}

GraphGrower::GraphGrower(std::uint64_t seed, bool reference)
    : reference_(reference), random_(seed * 0x9E3779B97F4A7C15u + 1) {}

std::vector<std::int64_t> GraphGrower::smallShape(std::int64_t most_dims) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(between(1, most_dims)));
  for (std::int64_t& extent : shape) extent = between(1, 4);
  return shape;
}

void GraphGrower::newDepth() {
  const std::int64_t depth = chance(88) ? between(1, 6) : chance(70) ? between(7, 40) : 1024;
  builder_.depth = static_cast<std::uint64_t>(depth);
}

OpenEnd GraphGrower::take(std::size_t index) {
  OpenEnd end = ends_[index];
  ends_.erase(ends_.begin() + static_cast<std::ptrdiff_t>(index));
  return end;
}

std::optional<OpenEnd> GraphGrower::takeAny() {
  if (ends_.empty()) return std::nullopt;
  return take(static_cast<std::size_t>(below(static_cast<std::int64_t>(ends_.size()))));
}

OpenEnd GraphGrower::through(const OpenEnd& end, const std::string& kind, const Settings& settings) {
  newDepth();
  OpenEnd result = end;
  result.from = builder_.through(kind, settings, {end.from});
  return result;
}

OpenEnd GraphGrower::fresh(OpenEnd end) {
  end.structure = ++structures_;
  return end;
}

std::vector<OpenEnd> GraphGrower::split(const OpenEnd& end, std::size_t ways) {
  newDepth();
  std::vector<OpenEnd> copies(ways, end);
  const std::vector<Output> outputs = builder_.broadcast(end.from, ways);
  for (std::size_t i = 0; i < ways; ++i) copies[i].from = outputs[i];
  return copies;
}

void GraphGrower::machine() {
  BoundMachine& m = builder_.machine;
  m.mock_bf16 = chance(50);
  m.on_chip_bandwidth = static_cast<std::uint64_t>(1) << between(2, 7);
  if (chance(30)) return;
  m.hbm_request_bytes = static_cast<std::uint64_t>(1) << between(4, 7);
  if (reference_) m.hbm_request_bytes = 64;
  m.hbm_channels = static_cast<std::uint64_t>(between(1, 9));
  m.hbm_latency = static_cast<std::uint64_t>(between(0, 5));
  m.hbm_initiation_interval = static_cast<std::uint64_t>(between(1, 4));
  m.hbm_start_up = static_cast<std::uint64_t>(between(0, 20));
}

void GraphGrower::source() {
  const std::int64_t kind = below(reference_ ? 10 : 13);
  if (kind < 5 || (reference_ && kind < 8)) return load();
  if (kind < 8) return tiles();
  if (kind < 9) return metadata();
  if (kind < 10) return cacheAddresses();
  if (kind < 12) return groupsOfNumbers();
  if (chance(50)) return count({});
  dynamicLoad();
}

namespace {

std::vector<std::int64_t> withLeadingOne(std::vector<std::int64_t> shape) {
  shape.insert(shape.begin(), 1);
  return shape;
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

constexpr std::int64_t tile_cols[] = {1, 4, 8, 16, 32};

}  // namespace

void GraphGrower::load() {
  const std::vector<std::int64_t> shape = chance(4) ? std::vector<std::int64_t>{} : smallShape(3);
  OpenEnd end{{},
              withLeadingOne(shape),
              ++structures_,
              product(shape),
              between(1, chance(10) ? 12 : 4),
              tile_cols[below(5)]};
  if (chance(10) && !reference_) end.scalar = "f16";
  end.from = builder_.through("LinearOffChipLoad", {{"tile", std::vector{end.rows, end.cols}},
                                                    {"out_shape", shape},
                                                    {"scalar", end.scalar},
                                                    {"par_dispatch", between(1, 5)}});
  put(end);
}

void GraphGrower::tiles() {
  const std::vector<std::int64_t> shape = smallShape(3);
  OpenEnd end{{}, withLeadingOne(shape), ++structures_, product(shape), between(1, 4), tile_cols[below(5)]};
  end.from = builder_.through("TileGen", {{"tile", std::vector{end.rows, end.cols}},
                                          {"shape", shape},
                                          {"scalar", end.scalar},
                                          {"interval", between(1, 6)}});
  put(end);
}

/// A new input of random integers; its name.
std::string GraphGrower::integers(const List& shape, std::int64_t low, std::int64_t high) {
  InputData data;
  data.tensor.shape.assign(shape.begin(), shape.end());
  for (std::int64_t i = 0; i < product(shape); ++i) data.tensor.data.push_back(between(low, high));
  const std::string name = "numbers" + std::to_string(inputs_.size());
  inputs_[name] = data;
  return name;
}

OpenEnd GraphGrower::numbers(const List& shape, std::int64_t low, std::int64_t high) {
  const std::string name = integers(shape, low, high);
  OpenEnd end{{}, withLeadingOne(shape), ++structures_, product(shape), 1, 1, "u64"};
  newDepth();
  end.from = builder_.through("MetadataGen", {{"input", name}});
  return end;
}

/// All the numbers of an input, or blocks of them, as they are or as a KV cache needs them.
void GraphGrower::metadata() {
  if (reference_ || chance(40)) return put(numbers(smallShape(2), 0, 99));
  const List shape = smallShape(2);
  const std::int64_t values = product(shape), first = below(values);
  const std::int64_t block = between(1, values - first), every = block + below(3);
  std::int64_t count = 0;
  while (count < values - first && first + count / block * every + count % block < values) ++count;
  static const std::string forms[] = {"value", "tiles", "remainder", "index"};
  OpenEnd end{{}, {1, count}, ++structures_, count, 1, 1, "u64"};
  newDepth();
  end.from = builder_.through("MetadataGen", {{"input", integers(shape, 0, 99)},
                                              {"emit", forms[below(4)]},
                                              {"unit", between(1, 9)},
                                              {"first", first},
                                              {"count", count},
                                              {"block", block},
                                              {"every", every}});
  if (first == 0 && count == values) end.dims = withLeadingOne(shape);
  put(end);
}

/// A new input with the shape of a tensor; its name.
std::string GraphGrower::extents(const List& shape) {
  InputData data;
  data.tensor = {{shape.size()}, shape};
  const std::string name = "extents" + std::to_string(inputs_.size());
  inputs_[name] = data;
  return name;
}

void GraphGrower::dynamicLoad() {
  const List shape = smallShape(3);
  OpenEnd end{{}, withLeadingOne(shape), ++structures_, product(shape), between(1, 4), tile_cols[below(5)]};
  newDepth();
  end.from = builder_.through(
      "DynLinearOffChipLoad",
      {{"tile", List{end.rows, end.cols}}, {"extents", extents(shape)}, {"par_dispatch", between(1, 5)}});
  put(end);
}

RandomGraph GraphGrower::grow() {
  machine();
  for (std::int64_t sources = between(1, 3); sources > 0; --sources) source();
  for (std::int64_t steps = below(9); steps > 0; --steps) step();
  for (std::size_t i = ends_.size(); i > 0; --i)
    if (chance(25))
      store(take(i - 1));
    else if (chance(10) && !reference_)
      builder_.add("Printer", {{"limit", between(0, 9)}}, {take(i - 1).from});
  return finished();
}

RandomGraph GraphGrower::growMemory() {
  machine();
  builder_.machine.hbm_channels = static_cast<std::uint64_t>(between(1, 40));
  for (std::int64_t loads = between(1, 4); loads > 0; --loads) {
    newDepth();
    const List tile = {between(1, 64), between(1, 512)}, shape = {between(1, 4)};
    Settings settings = {
        {"tile", tile}, {"out_shape", shape}, {"par_dispatch", chance(50) ? 1 : between(1, 70)}};
    Output from;
    if (chance(50)) {
      const Output starts = builder_.through(
          "TileGen", {{"shape", List{between(1, 3)}}, {"tile", List{1, 1}}, {"interval", between(1, 400)}});
      from = builder_.through("LinearOffChipLoadRef", settings, {starts});
    } else {
      from = builder_.through("LinearOffChipLoad", settings);
    }
    if (chance(50)) from = builder_.through("Map", compute("exp"), {from});
    if (chance(50))
      builder_.add("LinearOffChipStore", {{"tile", tile}, {"par_dispatch", between(1, 9)}}, {from});
  }
  return finished();
}

/// Ends what is open, and mostly shuffles the operators.
RandomGraph GraphGrower::finished() {
  newDepth();
  builder_.consumeTheRest();
  FlatGraph graph = builder_.build();
  if (chance(50)) {
    std::vector<OperatorId> position(graph.operators.size());
    std::iota(position.begin(), position.end(), 0);
    for (std::size_t i = position.size(); i > 1; --i)
      std::swap(position[i - 1], position[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
    graph = reordered(graph, position);
  }
  graph.machine.hbm_controller_wait = chance(50) ? 1 : 0;
  return {std::move(graph), inputs_};
}

void GraphGrower::step() {
  using Step = void (GraphGrower::*)(OpenEnd);
  static constexpr Step steps[] = {
      &GraphGrower::map, &GraphGrower::map, &GraphGrower::accumulate, &GraphGrower::accumulateRows,
      &GraphGrower::reshape, &GraphGrower::reshape, &GraphGrower::flatten, &GraphGrower::promote,
      &GraphGrower::reshapeOuter, &GraphGrower::repeat, &GraphGrower::flatMap, &GraphGrower::expandStatic,
      &GraphGrower::broadcast, &GraphGrower::bufferize, &GraphGrower::loadRef, &GraphGrower::store,
      &GraphGrower::route, &GraphGrower::route, &GraphGrower::expandBack, &GraphGrower::repeatBack,
      &GraphGrower::forkJoin, &GraphGrower::forkJoin, &GraphGrower::join, &GraphGrower::expandOne,
      &GraphGrower::parallelize, &GraphGrower::scatter, &GraphGrower::offsets, &GraphGrower::signal,
      // Unknown to the reference model:
      &GraphGrower::scan, &GraphGrower::splitTile, &GraphGrower::takeLast, &GraphGrower::promoteOuter,
      &GraphGrower::interleave, &GraphGrower::reshapePadStream, &GraphGrower::bufferize,
      &GraphGrower::accumulateBuffers, &GraphGrower::kernel, &GraphGrower::kernel,
      &GraphGrower::convertLayout, &GraphGrower::sweep, &GraphGrower::loopScan, &GraphGrower::shuffle,
      &GraphGrower::filterRows};
  constexpr std::int64_t for_reference = 28;
  std::optional<OpenEnd> end = takeAny();
  if (!end) return source();
  if (!end->whole) return map(std::move(*end));
  const std::int64_t choices = reference_ ? for_reference : static_cast<std::int64_t>(std::size(steps));
  (this->*steps[below(choices)])(std::move(*end));
}

RandomGraph randomGraph(std::uint64_t seed) {
  return GraphGrower(seed).grow();
}
RandomGraph randomReferenceGraph(std::uint64_t seed) {
  return GraphGrower(seed, true).grow();
}
RandomGraph randomMemoryGraph(std::uint64_t seed) {
  return GraphGrower(seed).growMemory();
}

}  // namespace sluice
