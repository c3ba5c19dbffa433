#include "tests/engine/support/random_graphs.h"

#include <algorithm>
#include <numeric>

#include "tests/engine/support/graph_grower.h"

namespace sluice {

bool OpenEnd::known() const { return std::find(dims.begin(), dims.end(), unknown) == dims.end(); }

std::int64_t OpenEnd::innermost(std::int64_t count) const {
  std::int64_t product = 1;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t extent = dims[dims.size() - 1 - static_cast<std::size_t>(i)];
    if (extent == unknown) return unknown;
    product *= extent;
  }
  return product;
}

GraphGrower::GraphGrower(std::uint64_t seed) : random_(seed * 0x9E3779B97F4A7C15u + 1) {}

std::vector<std::int64_t> GraphGrower::smallShape(std::int64_t most_dims) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(between(1, most_dims)));
  for (std::int64_t& extent : shape) extent = between(1, 4);
  return shape;
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
  builder_.depth = static_cast<std::uint64_t>(between(1, 6));
  OpenEnd result = end;
  result.from = builder_.through(kind, settings, {end.from});
  return result;
}

OpenEnd GraphGrower::fresh(OpenEnd end) {
  end.structure = ++structures_;
  return end;
}

std::vector<OpenEnd> GraphGrower::split(const OpenEnd& end, std::size_t ways) {
  builder_.depth = static_cast<std::uint64_t>(between(1, 6));
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
  m.hbm_channels = static_cast<std::uint64_t>(between(1, 9));
  m.hbm_latency = static_cast<std::uint64_t>(between(0, 5));
  m.hbm_initiation_interval = static_cast<std::uint64_t>(between(1, 4));
  m.hbm_start_up = static_cast<std::uint64_t>(between(0, 20));
}

void GraphGrower::source() {
  const std::int64_t kind = below(10);
  if (kind < 5) return load();
  if (kind < 9) return tiles();
  metadata();
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
  OpenEnd end{{}, withLeadingOne(shape), ++structures_, product(shape), between(1, chance(10) ? 12 : 4), tile_cols[below(5)]};
  if (chance(10)) end.scalar = "f16";
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

void GraphGrower::metadata() {
  const std::vector<std::int64_t> shape = smallShape(2);
  InputData data;
  data.tensor.shape.assign(shape.begin(), shape.end());
  for (std::int64_t i = 0; i < product(shape); ++i) data.tensor.data.push_back(below(100));
  const std::string name = "numbers" + std::to_string(inputs_.size());
  inputs_[name] = data;
  OpenEnd end{{}, withLeadingOne(shape), ++structures_, product(shape), 1, 1, "u64"};
  end.from = builder_.through("MetadataGen", {{"input", name}});
  put(end);
}

RandomGraph GraphGrower::grow() {
  machine();
  for (std::int64_t sources = between(1, 3); sources > 0; --sources) source();
  for (std::int64_t steps = below(9); steps > 0; --steps) step();
  for (std::size_t i = ends_.size(); i > 0; --i)
    if (chance(25)) store(take(i - 1));
  builder_.depth = static_cast<std::uint64_t>(between(1, 6));
  builder_.consumeTheRest();
  FlatGraph graph = builder_.build();
  if (chance(50)) {
    std::vector<OperatorId> position(graph.operators.size());
    std::iota(position.begin(), position.end(), 0);
    for (std::size_t i = position.size(); i > 1; --i)
      std::swap(position[i - 1], position[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
    graph = reordered(graph, position);
  }
  return {std::move(graph), inputs_};
}

void GraphGrower::step() {
  using Step = void (GraphGrower::*)(OpenEnd);
  static constexpr Step steps[] = {
      &GraphGrower::map,          &GraphGrower::map,        &GraphGrower::accumulate, &GraphGrower::accumulateRows,
      &GraphGrower::reshape,      &GraphGrower::reshape,    &GraphGrower::flatten,    &GraphGrower::promote,
      &GraphGrower::reshapeOuter, &GraphGrower::repeat,     &GraphGrower::flatMap,    &GraphGrower::expandStatic,
      &GraphGrower::broadcast,    &GraphGrower::bufferize,  &GraphGrower::loadRef,    &GraphGrower::store,
      &GraphGrower::route,        &GraphGrower::route,      &GraphGrower::expandBack, &GraphGrower::repeatBack,
      &GraphGrower::forkJoin,     &GraphGrower::forkJoin,   &GraphGrower::join,       &GraphGrower::expandOne};
  std::optional<OpenEnd> end = takeAny();
  if (!end) return source();
  if (!end->whole) return map(std::move(*end));
  (this->*steps[below(std::size(steps))])(std::move(*end));
}

RandomGraph randomGraph(std::uint64_t seed) { return GraphGrower(seed).grow(); }

}  // namespace sluice
