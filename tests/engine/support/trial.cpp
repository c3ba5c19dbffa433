#include "tests/engine/support/trial.h"

#include <gtest/gtest.h>

namespace sluice::laws {

std::string Trial::input(const List& values) {
  const std::string name = "values" + std::to_string(inputs_.size());
  inputs_[name].tensor = {{values.size()}, values};
  return name;
}

Feed Trial::numbers(const List& shape) {
  InputData data;
  std::int64_t count = 1;
  for (std::int64_t extent : shape) {
    data.tensor.shape.push_back(static_cast<std::size_t>(extent));
    count *= extent;
  }
  for (std::int64_t i = 0; i < count; ++i) data.tensor.data.push_back(100 + i);
  const std::string name = "numbers" + std::to_string(inputs_.size());
  inputs_[name] = data;
  return {builder.through("MetadataGen", {{"input", name}}), static_cast<std::uint32_t>(shape.size())};
}

Feed Trial::tiles(const List& shape, std::int64_t rows) {
  return {builder.through("TileGen", {{"shape", shape}, {"tile", List{rows, 8}}}),
          static_cast<std::uint32_t>(shape.size())};
}

Output Trial::selectors(const List& groups, std::size_t ways) {
  InputData data;
  std::int64_t count = 1;
  for (std::int64_t extent : groups) {
    data.tensor.shape.push_back(static_cast<std::size_t>(extent));
    count *= extent;
  }
  data.tensor.shape.push_back(ways);
  for (std::int64_t group = 0; group < count; ++group) {
    const std::size_t first = below(ways);
    for (std::size_t way = 0; way < ways; ++way)
      data.tensor.data.push_back(way == first || chance(40) ? 1 : 0);
  }
  const std::string name = "selectors" + std::to_string(inputs_.size());
  inputs_[name] = data;
  return builder.through("SelectGen", {{"input", name}});
}

Feed Trial::ragged(Feed regular, const List& shape) {
  const std::vector<Output> control = builder.broadcast(selectors(shape, 3), 2);
  const OperatorId partition = builder.add("Partition", {{"ways", 3}}, {regular.from, control[0]});
  std::vector<Output> parts = builder.outputs(partition);
  parts.push_back(control[1]);
  return {builder.through("Reassemble", {{"ways", 3}}, parts), regular.rank + 1};
}

Feed Trial::disguised(Feed feed) {
  if (feed.rank == 0 || chance(50)) return feed;
  const std::int64_t low = below(feed.rank), high = between(low + 1, feed.rank);
  return through("Flatten", {{"min", low}, {"max", high}}, feed, low - high);
}

Feed Trial::packed(Feed tiles) {
  return through(
      "Accum",
      {{"function", std::string("retile_row")}, {"init", List{0, 8}}, {"rank", 1}, {"compute_bw", 1}}, tiles,
      -1);
}

Feed Trial::anyStream(std::int64_t most_dims) {
  List extents = shape(1, most_dims);
  if (chance(20)) return disguised(packed(ragged(tiles(extents, between(1, 3)), extents)));
  if (chance(5)) extents[0] = 0;
  const Feed regular = numbers(extents);
  return disguised(chance(60) ? ragged(regular, extents) : regular);
}

Feed Trial::anyTiles(std::int64_t rows) {
  const List extents = shape(1, 3);
  const Feed regular = tiles(extents, rows);
  return disguised(chance(60) ? ragged(regular, extents) : regular);
}

void Trial::run() {
  builder.consumeTheRest();
  const FlatGraph graph = builder.build();
  SimulationOptions options;
  for (StreamId id = 0; id < graph.streams.size(); ++id) options.capture.push_back(id);
  result_ = simulate(graph, inputs_, options);
  ASSERT_FALSE(result_.deadlock) << "trial " << seed_ << "\n" << sluice::text(graph);
  ASSERT_FALSE(result_.fault) << "trial " << seed_ << ": " << result_.fault->cause << "\n"
                              << sluice::text(graph);
}

void Trial::expect(Feed feed, const Nested& expected, const std::string& what) const {
  const std::vector<LeveledLeaf> wanted = encode(expected, feed.rank), got = tokens(feed.from);
  EXPECT_EQ(got, wanted) << what << ", trial " << seed_ << "\n  got    " << text(got) << "\n  wanted "
                         << text(wanted);
}

void forAll(const std::function<void(Trial&)>& law) {
  for (std::uint64_t seed = 0; seed < 300 && !testing::Test::HasFailure(); ++seed) {
    Trial trial(seed);
    law(trial);
  }
}

Nested concatenated(const Nested& list, std::int64_t times) {
  Nested result = list;
  for (; times > 0; --times) {
    Nested merged;
    for (const Nested& item : result.items)
      merged.items.insert(merged.items.end(), item.items.begin(), item.items.end());
    result = merged;
  }
  return result;
}

Nested chunked(const Nested& list, std::size_t chunk, const Leaf& pad) {
  Nested result;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    if (i % chunk == 0) result.items.emplace_back();
    result.items.back().items.push_back(list.items[i]);
  }
  while (!result.items.empty() && result.items.back().items.size() < chunk)
    result.items.back().items.push_back({pad, {}});
  return result;
}

std::vector<Nested> copies(const Nested& item, std::int64_t times) {
  return std::vector<Nested>(static_cast<std::size_t>(times), item);
}

Nested wrapped(std::vector<Nested> items) {
  return {{}, std::move(items)};
}

}  // namespace sluice::laws
