// The shape operators that came after the artifact, and those that read buffers through views and references,
// against a plain reference on nested lists.

#include <gtest/gtest.h>

#include "tests/engine/support/trial.h"

namespace sluice::more_stop_token_laws_test {

using namespace laws;

Leaf number(std::uint64_t value) {
  return {value, 1, 1, 1};
}

TEST(MoreStopTokenLaws, PromoteOuterWrapsTheWholeStream) {
  forAll([](Trial& t) {
    const Feed in = t.anyStream();
    const Feed out = t.through("PromoteOuter", {}, in, 1);
    t.run();
    const Nested list = t.list(in);
    t.expect(out, list.items.empty() ? list : wrapped({list}), "PromoteOuter");
  });
}

TEST(MoreStopTokenLaws, TakeLastKeepsTheLastOfEveryInnermostGroup) {
  forAll([](Trial& t) {
    const Feed in = t.anyStream();
    if (in.rank == 0) return;
    const Feed out = t.through("TakeLast", {}, in, 0);
    t.run();
    t.expect(out,
             eachItem(t.list(in), in.rank, 1,
                      [](const Nested& group) { return copies(wrapped({group.items.back()}), 1); }),
             "TakeLast");
  });
}

TEST(MoreStopTokenLaws, CounterCounts) {
  forAll([](Trial& t) {
    const std::int64_t max = t.between(0, 9);
    const Feed out{t.builder.through("Counter", {{"max", max}}), 1};
    t.run();
    Nested list;
    for (std::int64_t i = 0; i < max; ++i) list.items.push_back({number(static_cast<std::uint64_t>(i)), {}});
    t.expect(out, max > 0 ? wrapped({list}) : list, "Counter");
  });
}

TEST(MoreStopTokenLaws, FlatmapCounterCountsForEveryNumber) {
  forAll([](Trial& t) {
    // The numbers that count something: 1, 2, 3, ... with stops and raggedness.
    const List shape = t.shape(1, 2);
    const Feed plain = t.numbers(shape);
    const Feed in = t.disguised(t.chance(60) ? t.ragged(plain, shape) : plain);
    const Feed out = t.through("FlatmapCounter", {}, in, 1);
    t.run();
    t.expect(out,
             eachItem(t.list(in), in.rank, 0,
                      [](const Nested& leaf) {
                        Nested below;
                        for (std::uint64_t i = 0; i < leaf.leaf.scalar; ++i)
                          below.items.push_back({number(i), {}});
                        return copies(below, 1);
                      }),
             "FlatmapCounter");
  });
}

TEST(MoreStopTokenLaws, AdjacencyAddrGenListsEveryNodesNeighbours) {
  forAll([](Trial& t) {
    const bool own = t.chance(50);
    List degrees, neighbours;
    std::vector<List> listed(200);  // Trial's numbers are 100 and more
    for (List& each : listed) {
      degrees.push_back(t.between(own ? 0 : 1, 3));
      for (std::int64_t i = 0; i < degrees.back(); ++i) each.push_back(t.below(listed.size()));
      neighbours.insert(neighbours.end(), each.begin(), each.end());
    }
    const List shape = t.shape(1, 2);
    const Feed plain = t.numbers(shape);
    const Feed in = t.disguised(t.chance(60) ? t.ragged(plain, shape) : plain);
    const Feed out =
        t.through("AdjacencyAddrGen",
                  {{"degrees", t.input(degrees)}, {"neighbours", t.input(neighbours)}, {"own", own}}, in, 1);
    t.run();
    t.expect(out,
             eachItem(t.list(in), in.rank, 0,
                      [&](const Nested& leaf) {
                        Nested below;
                        if (own) below.items.push_back({number(leaf.leaf.scalar), {}});
                        for (const std::int64_t node : listed.at(leaf.leaf.scalar))
                          below.items.push_back({number(static_cast<std::uint64_t>(node)), {}});
                        return copies(below, 1);
                      }),
             "AdjacencyAddrGen");
  });
}

TEST(MoreStopTokenLaws, ReshapePadStreamTellsPaddingApart) {
  forAll([](Trial& t) {
    const Feed in = t.anyStream();
    const std::int64_t chunk = t.between(1, 5);
    const OperatorId op =
        t.builder.add("ReshapePadStream", {{"chunk", chunk}, {"pad", List{2, 3}}}, {in.from});
    t.run();
    const auto split = [&](const Leaf& pad) {
      return [&, pad](const Nested& list) { return chunked(list, static_cast<std::size_t>(chunk), pad); };
    };
    t.expect({{op, 0}, in.rank + 1}, transformed(t.list(in), in.rank, 0, split({0, 2, 3, 0})), "data");
    const Nested falses = eachItem(t.list(in), in.rank, 0, [](const Nested&) {
      return copies({number(0), {}}, 1);
    });
    t.expect({{op, 1}, in.rank + 1}, transformed(falses, in.rank, 0, split(number(1))), "padding");
  });
}

TEST(MoreStopTokenLaws, StaticReassembleUndoesParallelize) {
  forAll([](Trial& t) {
    // [ways * groups, rows ...] dealt out by groups, joined along the rows.
    const std::int64_t ways = t.between(1, 4);
    List shape = {ways * t.between(1, 3), t.between(1, 3)};
    if (t.chance(50)) shape.push_back(t.between(1, 3));
    const Feed in = t.through("Flatten",
                              {{"min", static_cast<std::int64_t>(shape.size()) - 1},
                               {"max", static_cast<std::int64_t>(shape.size())}},
                              t.numbers(shape), -1);
    const OperatorId dealer = t.builder.add(
        "Parallelize", {{"ways", ways}, {"rank", static_cast<std::int64_t>(in.rank)}}, {in.from});
    const Feed out{t.builder.through("StaticReassemble",
                                     {{"ways", ways}, {"rank", static_cast<std::int64_t>(in.rank) - 1}},
                                     t.builder.outputs(dealer)),
                   in.rank};
    t.run();
    // Every `ways` groups have become one, in their order.
    Nested joined;
    const Nested list = t.list(in);
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      if (i % static_cast<std::size_t>(ways) == 0) joined.items.emplace_back();
      for (const Nested& row : list.items[i].items) joined.items.back().items.push_back(row);
    }
    t.expect(out, joined, "Parallelize, StaticReassemble");
  });
}

TEST(MoreStopTokenLaws, BuffersAreReadOncePerReference) {
  forAll([](Trial& t) {
    const List outer = t.shape(1, 2);
    List held = outer;
    const List inner = t.shape(1, 2);
    held.insert(held.end(), inner.begin(), inner.end());
    const auto rank = static_cast<std::uint32_t>(inner.size());
    std::int64_t count = 1;
    for (const std::int64_t extent : inner) count *= extent;
    if (rank > 1 && count == 1) return;  // loses its rank, as in the reference simulator
    const Feed in = t.numbers(held);
    Feed buffers = t.through("Bufferize", {{"rank", static_cast<std::int64_t>(rank)}}, in,
                             -static_cast<std::int64_t>(rank));
    buffers = t.through("Promote", {{"rank", 0}}, buffers, 1);
    const Feed reference = t.ragged(t.numbers(outer), outer);
    const Feed out{t.builder.through("DynStreamify", {{"rank", static_cast<std::int64_t>(rank)}},
                                     {buffers.from, reference.from}),
                   reference.rank + rank};
    t.run();
    const std::vector<Nested> contents = listsOf(t.list(in), in.rank, rank - 1);
    std::size_t next = 0;
    // Each list of references becomes as many copies of its buffer.
    const Nested expected = transformed(t.list(reference), reference.rank, 0, [&](const Nested& references) {
      return wrapped(copies(contents.at(next++), static_cast<std::int64_t>(references.items.size())));
    });
    t.expect(out, expected, "Bufferize, Promote, DynStreamify");
  });
}

TEST(MoreStopTokenLaws, AffineViewsPickTilesOfTheBuffer) {
  forAll([](Trial& t) {
    const std::int64_t rows = t.between(1, 4), cols = t.between(1, 4);
    List shape = t.shape(1, 2);
    const Feed in = t.numbers([&] {
      List all = shape;
      all.insert(all.end(), {rows, cols});
      return all;
    }());
    const Feed buffers = t.through("Bufferize", {{"rank", 2}}, in, -2);
    // The transpose: column by column; or every row `times` times.
    const bool transposes = t.chance(50);
    const std::int64_t times = t.between(1, 3);
    const Feed out = t.through("StaticStreamify",
                               {{"rank", 2},
                                {"out_shape", transposes ? List{cols, rows} : List{rows, times, cols}},
                                {"stride", transposes ? List{1, cols} : List{cols, 0, 1}}},
                               buffers, transposes ? 2 : 3);
    t.run();
    const auto view = [&](const Nested& buffer) {
      Nested result;
      for (std::int64_t c = 0; transposes && c < cols; ++c) {
        result.items.emplace_back();
        for (const Nested& row : buffer.items)
          result.items.back().items.push_back(row.items[static_cast<std::size_t>(c)]);
      }
      for (std::size_t r = 0; !transposes && r < buffer.items.size(); ++r)
        result.items.push_back(wrapped(copies(buffer.items[r], times)));
      return copies(result, 1);
    };
    t.expect(out, eachItem(t.list(in), in.rank, 2, view), "Bufferize, StaticStreamify");
  });
}

TEST(MoreStopTokenLaws, ScanKeepsTheShape) {
  forAll([](Trial& t) {
    const std::int64_t rows = t.between(1, 4);
    const Feed in = t.anyTiles(1);
    if (in.rank == 0) return;
    const bool prior = t.chance(50);
    const Feed out = t.through("Scan",
                               {{"function", std::string("max")},
                                {"tap", std::string(prior ? "prior" : "next")},
                                {"init", List{rows, 8}},
                                {"rank", t.between(1, in.rank)},
                                {"compute_bw", 8}},
                               in, 0);
    t.run();
    const auto height = static_cast<std::uint64_t>(rows);
    t.expect(out,
             eachItem(t.list(in), in.rank, 0,
                      [&](const Nested&) {
                        return copies({{0, height, 8, height}, {}}, 1);
                      }),
             "Scan");
  });
}

// Clocks of the operators that came after the artifact, worked out by hand
// (engine/operators/timing.md 3 to 7).

Cycles finished(FlatBuilder& builder, OperatorId op, const InputSet& inputs = {}) {
  builder.consumeTheRest();
  const SimulationResult result = simulate(builder.build(), inputs);
  EXPECT_FALSE(result.deadlock || result.fault);
  return result.operators.at(op).finished;
}

TEST(LaterOperatorClocks, CounterWaitsOnlyForSlots) {
  FlatBuilder wide, narrow;
  wide.depth = 8;
  EXPECT_EQ(finished(wide, wide.add("Counter", {{"max", 5}})), 0u);
  // Depth 1: the consumer takes a token a cycle, from cycle 1 on; a slot is back a cycle later.
  narrow.depth = 1;
  EXPECT_EQ(finished(narrow, narrow.add("Counter", {{"max", 5}})), 8u);
}

/// Lists of the same lengths take the same time, wherever their addresses come from.
TEST(LaterOperatorClocks, AdjacencyAddrGenIsAsFastAsTheGeneratorOfTheCache) {
  const auto input = [](List values) {
    InputData data;
    data.tensor = {{values.size()}, std::move(values)};
    return data;
  };
  const InputSet inputs{{"degrees", input({2, 0, 3})},
                        {"lengths", input({3, 1, 4})},  // with the node's own
                        {"neighbours", input({1, 2, 0, 1, 1})}};
  std::vector<Cycles> ends;
  for (const bool graph : {true, false}) {
    FlatBuilder b;
    const Output nodes = b.through("MetadataGen", {{"input", std::string("degrees")}, {"emit", "index"}});
    const Output addresses =
        graph ? b.through("AdjacencyAddrGen",
                          {{"degrees", std::string("degrees")}, {"neighbours", std::string("neighbours")}},
                          {nodes})
              : b.through("CacheReadAddrGen", {{"row_offset", 4}},
                          {nodes, b.through("MetadataGen", {{"input", std::string("lengths")}})});
    ends.push_back(finished(b, b.add("Consumer", {}, {addresses}), inputs));
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_GE(ends[0], 8u);  // an address a cycle
}

TEST(LaterOperatorClocks, NodesThatCannotBeListedEndTheRun) {
  const auto fault = [](List degrees, bool own) {
    FlatBuilder b;
    InputData degree, neighbour, nodes;
    degree.tensor = {{degrees.size()}, degrees};
    neighbour.tensor = {{2}, {0, 1}};
    nodes.tensor = {{3}, {0, 1, 2}};
    const Output node = b.through("MetadataGen", {{"input", std::string("nodes")}});
    b.add("AdjacencyAddrGen",
          {{"degrees", std::string("degrees")}, {"neighbours", std::string("neighbours")}, {"own", own}},
          {node});
    b.consumeTheRest();
    const SimulationResult result =
        simulate(b.build(), {{"degrees", degree}, {"neighbours", neighbour}, {"nodes", nodes}});
    return result.fault ? result.fault->cause : std::string();
  };
  EXPECT_EQ(fault({1, 0, 1}, true), "");
  EXPECT_NE(fault({1, 0, 1}, false).find("node 1 has no neighbours"), std::string::npos);
  EXPECT_NE(fault({1, 1}, true).find("node 2 arrived; the graph has 2"), std::string::npos);
}

TEST(LaterOperatorClocks, PromoteOuterTakesACycleAnElementAndWaitsForTheClose) {
  FlatBuilder b;
  const Output source = b.through("TileGen", {{"shape", List{3}}, {"tile", List{1, 1}}, {"interval", 10}});
  // The last tile comes at 30 and lets the one before go at 31; it takes a cycle itself.
  EXPECT_EQ(finished(b, b.add("PromoteOuter", {}, {source})), 32u);
}

TEST(LaterOperatorClocks, ScanComputesButNeitherReadsNorWrites) {
  FlatBuilder b;
  const Output source = b.through("LinearOffChipLoad", {{"out_shape", List{1}}, {"tile", List{4, 32}}});
  // Loaded: 4 requests at par 1 end at 0 + 4 + 18, the tile arrives at 23; 128 FLOPs at 32 a cycle.
  const OperatorId scan =
      b.add("Scan", {{"function", std::string("add")}, {"init", List{4, 32}}, {"compute_bw", 32}}, {source});
  EXPECT_EQ(finished(b, scan), 27u);
}

TEST(LaterOperatorClocks, DynStreamifyTakesACycleATile) {
  FlatBuilder b;
  b.depth = 64;
  const Output tiles = b.through("TileGen", {{"shape", List{4}}, {"tile", List{1, 1}}});
  const Output buffers = b.through("Bufferize", {{"rank", 1}}, {tiles});
  const Output references = b.through("TileGen", {{"shape", List{3}}, {"tile", List{1, 1}}});
  const Output flat = b.through("Flatten", {{"min", 0}, {"max", 1}}, {references});
  const OperatorId op = b.add("DynStreamify", {{"rank", 1}}, {buffers, flat});
  // The buffer holds the tile of cycle 4 and arrives at 5; then 3 passes of 4 cycles.
  EXPECT_EQ(finished(b, op), 17u);
}

TEST(LaterOperatorClocks, DynamicLoadReadsWhatTheInputSays) {
  FlatBuilder b;
  InputData extents;
  extents.tensor = {{2}, {2, 2}};
  const OperatorId load =
      b.add("DynLinearOffChipLoad", {{"extents", std::string("e")}, {"tile", List{1, 32}}});
  // Four tiles of one request (engine/simulator/semantics.md 6.4).
  EXPECT_EQ(finished(b, load, {{"e", extents}}), 76u);
}

}  // namespace sluice::more_stop_token_laws_test
