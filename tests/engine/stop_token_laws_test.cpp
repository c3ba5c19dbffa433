// Every shape operator against a plain reference on nested lists: random, often ragged, lists go into the
// simulator as tokens, and the tokens that come out must be those of the reference's list.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "engine/operators/simulate.h"
#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/nested_list.h"

namespace sluice {
namespace {

using List = std::vector<std::int64_t>;

/// A stream of known rank under construction.
struct Feed {
  Output from;
  std::uint32_t rank = 0;
};

/// One random trial: a graph, its inputs, and what the run captured.
class Trial {
 public:
  explicit Trial(std::uint64_t seed) : seed_(seed), random_(seed * 7919 + 17) { builder.depth = 4096; }

  FlatBuilder builder;

  std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
  }
  bool chance(std::size_t percent) { return below(100) < percent; }
  List shape(std::int64_t fewest, std::int64_t most) {
    List extents(static_cast<std::size_t>(between(fewest, most)));
    for (std::int64_t& extent : extents) extent = between(1, 4);
    return extents;
  }

  Feed numbers(const List& shape);                   ///< distinct numbers
  Feed tiles(const List& shape, std::int64_t rows);  ///< rows x 8 tiles
  Feed ragged(Feed regular,
              const List& shape);  ///< each element 1 to 3 times, in a new ragged innermost dimension
  Feed disguised(Feed feed);       ///< perhaps with dimensions merged, so that others become ragged
  Feed anyNumbers(std::int64_t most_dims = 3);
  Feed anyTiles(std::int64_t rows);
  Output selectors(const List& groups, std::size_t ways);

  Feed through(const std::string& kind, const Settings& settings, Feed feed, std::int64_t rank_change) {
    return {builder.through(kind, settings, {feed.from}),
            static_cast<std::uint32_t>(feed.rank + rank_change)};
  }

  void run();
  Nested list(Feed feed) const { return decode(tokens(feed.from), feed.rank); }
  std::vector<LeveledLeaf> tokens(Output output) const {
    return leveled(result_.captured.at(builder.stream(output)));
  }
  std::vector<std::vector<std::uint32_t>> selected(Output output) const {
    std::vector<std::vector<std::uint32_t>> result;
    for (const CapturedToken& token : result_.captured.at(builder.stream(output)))
      result.push_back(token.selected);
    return result;
  }
  /// The tokens that left `feed` are those of `expected`.
  void expect(Feed feed, const Nested& expected, const std::string& what) const;

 private:
  std::uint64_t seed_;
  std::mt19937_64 random_;
  InputSet inputs_;
  SimulationResult result_;
};

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

Feed Trial::anyNumbers(std::int64_t most_dims) {
  const List extents = shape(1, most_dims);
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

/// Runs `law` on many random trials, until one fails.
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

TEST(StopTokenLaws, EncodingAndDecodingAreInverse) {
  forAll([](Trial& t) {
    const Feed in = t.anyNumbers();
    t.run();
    t.expect(in, t.list(in), "decode, then encode");
  });
}

TEST(StopTokenLaws, SourcesAreRowMajor) {
  forAll([](Trial& t) {
    const List shape = t.shape(1, 4);
    const Feed in = t.numbers(shape);
    t.run();
    Nested expected;
    for (std::size_t i = 0; i < t.tokens(in.from).size(); ++i)
      expected.items.push_back({{100 + i, 1, 1, 1}, {}});
    for (std::size_t dim = shape.size(); dim > 0; --dim)
      expected = chunked(expected, static_cast<std::size_t>(shape[dim - 1]), {});
    t.expect(in, expected, "MetadataGen");
  });
}

TEST(StopTokenLaws, FlattenMergesDimensions) {
  forAll([](Trial& t) {
    const Feed in = t.anyNumbers();
    const std::int64_t low = t.below(in.rank + 1), high = t.between(low, in.rank);
    const Feed out = t.through("Flatten", {{"min", low}, {"max", high}}, in, low - high);
    t.run();
    const auto at = static_cast<std::uint32_t>(high);
    t.expect(out,
             transformed(t.list(in), in.rank, at,
                         [&](const Nested& list) { return concatenated(list, high - low); }),
             "Flatten");
  });
}

TEST(StopTokenLaws, ReshapeInnermostFillsTheLastChunk) {
  forAll([](Trial& t) {
    const Feed in = t.anyNumbers();
    const std::int64_t chunk = t.between(1, 5);
    const Feed out = t.through("Reshape", {{"dim", 0}, {"chunk", chunk}, {"pad", List{2, 3}}}, in, 1);
    t.run();
    const auto split = [&](const Nested& list) {
      return chunked(list, static_cast<std::size_t>(chunk), {0, 2, 3, 0});
    };
    t.expect(out, transformed(t.list(in), in.rank, 0, split), "Reshape");
  });
}

TEST(StopTokenLaws, ReshapeAddsAnOuterDimension) {
  forAll([](Trial& t) {
    const std::int64_t chunk = t.between(1, 5);
    const Feed numbers = t.numbers(List{t.between(1, 12)});
    const Feed in = t.through("Flatten", {{"min", 0}, {"max", 1}}, numbers, -1);
    const Feed out = t.through(
        "Reshape", {{"dim", 0}, {"chunk", chunk}, {"pad", List{1, 1}}, {"add_outer_dim", true}}, in, 2);
    t.run();
    t.expect(out, wrapped({chunked(t.list(in), static_cast<std::size_t>(chunk), {0, 1, 1, 0})}), "Reshape");
  });
}

TEST(StopTokenLaws, ReshapeOuterSplitsADimension) {
  forAll([](Trial& t) {
    List shape = t.shape(1, 3);
    const std::int64_t chunk = t.between(1, 3);
    const std::int64_t dim = t.between(1, static_cast<std::int64_t>(shape.size()));
    // The chunk divides the dimension; the outermost is the leading 1.
    const bool outermost = dim == static_cast<std::int64_t>(shape.size());
    if (!outermost) shape[shape.size() - 1 - static_cast<std::size_t>(dim)] *= chunk;
    const Feed in = t.numbers(shape);
    const Feed out = t.through("Reshape", {{"dim", dim}, {"chunk", outermost ? 1 : chunk}}, in, 1);
    t.run();
    const auto split = [&](const Nested& list) {
      return chunked(list, outermost ? 1 : static_cast<std::size_t>(chunk), {});
    };
    t.expect(out, transformed(t.list(in), in.rank, static_cast<std::uint32_t>(dim), split), "Reshape");
  });
}

TEST(StopTokenLaws, PromoteInsertsADimensionOfOne) {
  forAll([](Trial& t) {
    const Feed in = t.anyNumbers();
    const std::uint32_t rank = t.below(in.rank + 1);
    const Feed out = t.through("Promote", {{"rank", static_cast<std::int64_t>(rank)}}, in, 1);
    t.run();
    t.expect(
        out,
        eachItem(t.list(in), in.rank, rank, [](const Nested& item) { return copies(wrapped({item}), 1); }),
        "Promote");
  });
}

TEST(StopTokenLaws, RepeatMakesAnInnermostDimension) {
  forAll([](Trial& t) {
    const Feed in = t.anyNumbers();
    const std::int64_t factor = t.between(1, 4);
    const Feed out = t.through("Repeat", {{"factor", factor}}, in, 1);
    t.run();
    t.expect(out,
             eachItem(t.list(in), in.rank, 0,
                      [&](const Nested& leaf) { return copies(wrapped(copies(leaf, factor)), 1); }),
             "Repeat");
  });
}

TEST(StopTokenLaws, ExpandStaticLengthensTheInnermostDimension) {
  forAll([](Trial& t) {
    const Feed in = t.anyNumbers();
    const std::int64_t factor = t.between(1, 4);
    const Feed out = t.through("ExpandStatic", {{"factor", factor}}, in, 0);
    t.run();
    t.expect(out, eachItem(t.list(in), in.rank, 0, [&](const Nested& leaf) { return copies(leaf, factor); }),
             "ExpandStatic");
  });
}

TEST(StopTokenLaws, BroadcastCopies) {
  forAll([](Trial& t) {
    const Feed in = t.anyNumbers();
    const std::vector<Output> ways = t.builder.broadcast(in.from, 2 + t.below(3));
    t.run();
    for (const Output& way : ways) t.expect({way, in.rank}, t.list(in), "Broadcast");
  });
}

TEST(StopTokenLaws, ZipKeepsTheStopsAndBothElements) {
  forAll([](Trial& t) {
    const List shape = t.shape(1, 3);
    const Feed tall = t.tiles(shape, 3), flat = t.tiles(shape, 1);
    const Feed column{
        t.builder.through("Map", {{"function", std::string("row_sum")}, {"compute_bw", 1}}, {tall.from}),
        tall.rank};
    const Feed pairs{t.builder.through("Zip", {}, {column.from, flat.from}), tall.rank};
    const Feed out = t.through("Map", {{"function", std::string("multiply")}, {"compute_bw", 1}}, pairs, 0);
    t.run();
    // [3, 1] * [1, 8] = [3, 8]: only both elements together give this tile.
    t.expect(out,
             eachItem(t.list(tall), tall.rank, 0,
                      [](const Nested&) {
                        return copies({{0, 3, 8, 3}, {}}, 1);
                      }),
             "Zip, Map");
  });
}

TEST(StopTokenLaws, BuffersComeBackAsTheyWentIn) {
  forAll([](Trial& t) {
    const Feed in = t.anyNumbers();
    if (in.rank == 0) return;
    const auto rank = static_cast<std::uint32_t>(t.between(1, in.rank));
    const std::int64_t factor = t.between(0, 3);  // 0: no repeat at all
    const Feed buffers = t.through("Bufferize", {{"rank", static_cast<std::int64_t>(rank)}}, in,
                                   -static_cast<std::int64_t>(rank));
    const Feed out =
        t.through("Streamify",
                  {{"rank", static_cast<std::int64_t>(rank)}, {"repeat", factor > 0 ? List{factor} : List{}}},
                  buffers, rank + (factor > 0 ? 1 : 0));
    t.run();
    const Nested list = t.list(in);
    const auto single = [](const Nested& inner) { return leaves(inner).size() == 1; };
    const std::vector<Nested> held = listsOf(list, in.rank, rank - 1);
    if (rank > 1 && std::any_of(held.begin(), held.end(), single))
      return;  // loses its rank, as in the reference simulator
    const auto repeated = [&](const Nested& item) { return copies(wrapped(copies(item, factor)), 1); };
    t.expect(out, factor > 0 ? eachItem(list, in.rank, rank, repeated) : list, "Bufferize, Streamify");
  });
}

/// A stream of numbers, and a reference with the same outer dimensions and (perhaps ragged) `inner` more.
struct WithReference {
  Feed outer, reference;
  std::uint32_t inner = 0;
};

WithReference withReference(Trial& t) {
  List shape = t.shape(1, 2);
  const Feed outer = t.numbers(shape);
  if (t.chance(50)) return {outer, t.ragged(t.numbers(shape), shape), 1};
  const List inner = t.shape(1, 2);
  shape.insert(shape.end(), inner.begin(), inner.end());
  return {outer, t.numbers(shape), static_cast<std::uint32_t>(inner.size())};
}

/// `shape`, the leaves of whose lists of level `level` are all replaced by the next of `values`.
Nested filled(const Nested& shape, std::uint32_t rank, std::uint32_t level, const std::vector<Leaf>& values) {
  std::size_t next = 0;
  return transformed(shape, rank, level, [&](const Nested& list) {
    const Leaf value = values.at(next++);
    return eachItem(list, level, 0, [&](const Nested&) { return copies({value, {}}, 1); });
  });
}

TEST(StopTokenLaws, ExpandTakesTheReferencesShape) {
  forAll([](Trial& t) {
    const WithReference pair = withReference(t);
    Feed in = pair.outer;
    for (std::uint32_t i = 0; i < pair.inner; ++i) in = t.through("Promote", {{"rank", 0}}, in, 1);
    const Feed out{t.builder.through("Expand", {{"rank", static_cast<std::int64_t>(pair.inner)}},
                                     {in.from, pair.reference.from}),
                   pair.reference.rank};
    t.run();
    t.expect(out, filled(t.list(pair.reference), out.rank, pair.inner - 1, leaves(t.list(pair.outer))),
             "Expand");
  });
}

TEST(StopTokenLaws, ExpandSpreadsOneElementOverAStreamOfRankZero) {
  forAll([](Trial& t) {
    const Feed one = t.through("Flatten", {{"min", 0}, {"max", 1}}, t.numbers({1}), -1);
    const Feed reference = t.through("Flatten", {{"min", 0}, {"max", 1}}, t.numbers({t.between(1, 9)}), -1);
    const Feed out{t.builder.through("Expand", {{"rank", 1}}, {one.from, reference.from}), 0};
    t.run();
    t.expect(out, filled(t.list(reference), 0, 0, leaves(t.list(one))), "Expand");
  });
}

TEST(StopTokenLaws, RepeatRefRepeatsOncePerInnerListOfTheReference) {
  forAll([](Trial& t) {
    const WithReference pair = withReference(t);
    const std::uint32_t rank = pair.inner - 1;
    const Feed out{t.builder.through("RepeatRef", {{"rank", static_cast<std::int64_t>(rank)}},
                                     {pair.outer.from, pair.reference.from}),
                   pair.reference.rank - rank};
    t.run();
    // What is inside the dimension `rank` of the reference does not count, only how long that dimension is.
    const Nested counted = eachItem(t.list(pair.reference), pair.reference.rank, rank,
                                    [](const Nested&) { return copies({}, 1); });
    t.expect(out, filled(counted, out.rank, 0, leaves(t.list(pair.outer))), "RepeatRef");
  });
}

TEST(StopTokenLaws, PartitionSendsEveryGroupWhereItsSelectorSays) {
  forAll([](Trial& t) {
    const std::uint32_t rank = t.below(2);
    const List groups = t.shape(1, 2);
    List shape = groups;
    if (rank == 1) shape.push_back(t.between(1, 4));
    const Feed in = t.numbers(shape);
    const std::vector<Output> control = t.builder.broadcast(t.selectors(groups, 4), 3);
    const OperatorId partition = t.builder.add(
        "Partition", {{"ways", 4}, {"rank", static_cast<std::int64_t>(rank)}}, {in.from, control[0]});
    const std::vector<Output> parts = t.builder.outputs(partition);
    std::vector<Output> joined;
    std::vector<Output> seen;
    for (const Output& part : parts) {
      const std::vector<Output> both = t.builder.broadcast(part, 2);
      joined.push_back(both[0]);
      seen.push_back(both[1]);
    }
    joined.push_back(control[1]);
    const Feed out{
        t.builder.through("Reassemble", {{"ways", 4}, {"rank", static_cast<std::int64_t>(rank)}}, joined),
        static_cast<std::uint32_t>(groups.size()) + 1 + rank};
    t.run();

    // The groups in order: the items of the lists of level `rank`.
    const Nested list = t.list(in);
    std::vector<Nested> expected(parts.size());
    const auto selectors = t.selected(control[2]);
    std::size_t next = 0;
    const Nested reassembled = eachItem(list, in.rank, rank, [&](const Nested& group) {
      const std::vector<std::uint32_t>& ways = selectors.at(next++);
      for (std::uint32_t way : ways) expected[way].items.push_back(group);
      return copies(wrapped(copies(group, static_cast<std::int64_t>(ways.size()))), 1);
    });
    for (std::size_t way = 0; way < parts.size(); ++way)
      t.expect({seen[way], rank}, expected[way], "Partition");
    t.expect(out, reassembled, "Reassemble");
  });
}

TEST(StopTokenLaws, AccumEndsDimensions) {
  forAll([](Trial& t) {
    const std::int64_t rows = t.between(1, 4);
    const Feed in = t.anyTiles(rows);
    if (in.rank == 0) return;
    const std::int64_t rank = t.between(1, in.rank);
    const bool stack = t.chance(50);
    const Feed out = t.through("Accum",
                               {{"function", std::string(stack ? "retile_row" : "add")},
                                {"init", List{stack ? 0 : rows, 8}},
                                {"rank", rank},
                                {"compute_bw", 64}},
                               in, -rank);
    t.run();
    const auto sum = [&](const Nested& group) {
      std::uint64_t all = 0;
      for (const Leaf& leaf : leaves(group)) all += leaf.rows;
      const std::uint64_t height = stack ? all : static_cast<std::uint64_t>(rows);
      return copies({{0, height, 8, height}, {}}, 1);
    };
    t.expect(out, eachItem(t.list(in), in.rank, static_cast<std::uint32_t>(rank), sum), "Accum");
  });
}

TEST(StopTokenLaws, FlatMapPutsTheRowsInTheInnermostDimension) {
  forAll([](Trial& t) {
    const std::int64_t rows = t.between(1, 4);
    const Feed in = t.anyTiles(rows);
    const Feed out = t.through("FlatMap", {{"filter_mask", t.chance(50)}}, in, 0);
    t.run();
    t.expect(out,
             eachItem(t.list(in), in.rank, 0,
                      [&](const Nested&) {
                        return copies({{0, 1, 8, 1}, {}}, rows);
                      }),
             "FlatMap");
  });
}

TEST(StopTokenLaws, RowsPackedIntoPaddedTilesUnpackToThemselves) {
  forAll([](Trial& t) {
    const std::int64_t chunk = t.between(1, 5);
    const Feed rows = t.tiles({t.between(1, 13)}, 1);
    const Feed in = t.through("Flatten", {{"min", 0}, {"max", 1}}, rows, -1);
    const Feed chunks = t.through("Reshape", {{"dim", 0}, {"chunk", chunk}, {"pad", List{1, 8}}}, in, 1);
    const Feed packed = t.through(
        "Accum",
        {{"function", std::string("retile_row")}, {"init", List{0, 8}}, {"rank", 1}, {"compute_bw", 1}},
        chunks, -1);
    const Feed out = t.through("FlatMap", {{"filter_mask", true}}, packed, 0);
    t.run();
    t.expect(out, t.list(in), "Reshape, Accum, FlatMap");
    for (const Leaf& tile : leaves(t.list(packed))) EXPECT_EQ(tile.rows, static_cast<std::uint64_t>(chunk));
  });
}

}  // namespace
}  // namespace sluice
