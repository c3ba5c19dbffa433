// Every shape operator against a plain reference on nested lists: random, often ragged, lists go into the
// simulator as tokens, and the tokens that come out must be those of the reference's list.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/support/trial.h"

namespace sluice::stop_token_laws_test {

using namespace laws;

TEST(StopTokenLaws, EncodingAndDecodingAreInverse) {
  forAll([](Trial& t) {
    const Feed in = t.anyStream();
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

TEST(StopTokenLaws, NumbersRepeatInADimensionOfTheirOwn) {
  forAll([](Trial& t) {
    List values(static_cast<std::size_t>(t.between(1, 5)));
    for (std::int64_t& value : values) value = t.between(0, 90);
    const std::int64_t times = t.between(1, 4);
    const std::string input = t.input(values);
    const Settings plain{{"input", input}, {"times", times}};
    Settings positions = plain;
    positions["emit"] = std::string("index");
    const Feed out{t.builder.through("MetadataGen", plain), 2};
    const Feed index{t.builder.through("MetadataGen", positions), 2};
    t.run();
    Nested expected, expected_index;
    for (std::size_t i = 0; i < values.size() * static_cast<std::size_t>(times); ++i) {
      const auto value = static_cast<std::uint64_t>(values[i / static_cast<std::size_t>(times)]);
      expected.items.push_back({{value, 1, 1, 1}, {}});
      expected_index.items.push_back({{i, 1, 1, 1}, {}});
    }
    for (const std::size_t chunk : {static_cast<std::size_t>(times), values.size()}) {
      expected = chunked(expected, chunk, {});
      expected_index = chunked(expected_index, chunk, {});
    }
    t.expect(out, expected, "MetadataGen, value");
    t.expect(index, expected_index, "MetadataGen, index");
  });
}

TEST(StopTokenLaws, FlattenMergesDimensions) {
  forAll([](Trial& t) {
    const Feed in = t.anyStream();
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
    const Feed in = t.anyStream();
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
    const Feed in = t.anyStream();
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
    const Feed in = t.anyStream();
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
    const Feed in = t.anyStream();
    const std::int64_t factor = t.between(1, 4);
    const Feed out = t.through("ExpandStatic", {{"factor", factor}}, in, 0);
    t.run();
    t.expect(out, eachItem(t.list(in), in.rank, 0, [&](const Nested& leaf) { return copies(leaf, factor); }),
             "ExpandStatic");
  });
}

TEST(StopTokenLaws, BroadcastCopies) {
  forAll([](Trial& t) {
    const Feed in = t.anyStream();
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
    const Feed in = t.anyStream();
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

}  // namespace sluice::stop_token_laws_test
