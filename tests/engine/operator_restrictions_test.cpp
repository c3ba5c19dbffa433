// Programs that must be refused: what each operator cannot take is a diagnostic that names the operator, the
// port, what was found there, and the fix.

#include <gtest/gtest.h>

#include <ostream>

#include "engine/operators/inference.h"
#include "engine/program/elaborate.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/flat_builder.h"

namespace sluice::operator_restrictions_test {

using List = std::vector<std::int64_t>;
using Words = std::vector<const char*>;

Output tiles(FlatBuilder& b, List shape, List tile) {
  return b.through("TileGen", {{"shape", std::move(shape)}, {"tile", std::move(tile)}});
}
Output flat(FlatBuilder& b, Output from) {
  return b.through("Flatten", {{"min", 0}, {"max", 1}}, {from});
}
Output numbers(FlatBuilder& b) {
  return b.through("MetadataGen", {{"input", "numbers"}});
}
/// [1, 2, n~] numbers.
Output ragged(FlatBuilder& b) {
  return b.through("FlatmapCounter", {}, {numbers(b)});
}
Output raggedTiles(FlatBuilder& b) {
  return b.through("RandomOffChipLoad", {{"tile", List{4, 8}}}, {ragged(b)});
}
Output buffers(FlatBuilder& b) {
  return b.through("Bufferize", {{"rank", 1}}, {tiles(b, {5, 3}, {4, 8})});
}
Output selectors(FlatBuilder& b) {
  return flat(b, b.through("SelectGen", {{"input", "route"}}));
}
Output dynamicTiles(FlatBuilder& b) {
  return b.through(
      "Accum",
      {{"function", std::string("retile_row")}, {"init", List{0, 8}}, {"rank", 1}, {"compute_bw", 1}},
      {raggedTiles(b)});
}
Settings map(const char* function) {
  return {{"function", std::string(function)}, {"compute_bw", 64}};
}
Settings fold(const char* function, List init, std::int64_t rank) {
  Settings settings = map(function);
  settings["init"] = std::move(init);
  settings["rank"] = rank;
  return settings;
}

struct Mistake {
  const char* name;
  void (*add)(FlatBuilder&);
  Words words;
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

// Wrong ranks.
const Mistake ranks[] = {
    {"BufferizeRank",
     [](FlatBuilder& b) {
       b.add("Bufferize", {{"rank", 4}}, {tiles(b, {2, 3}, {4, 8})});
     },
     {"Bufferize_", "'in'", "rank = 4", "[1, 2, 3]"}},
    {"AccumBuffRank",
     [](FlatBuilder& b) {
       b.add("AccumBuff",
             {{"function", "add"},
              {"rank", 4},
              {"buffer_shape", std::vector<std::int64_t>{3}},
              {"compute_bw", 1}},
             {tiles(b, {2, 3}, {4, 8})});
     },
     {"AccumBuff_", "'in'", "rank = 4", "[1, 2, 3]"}},
    {"AccumBuffUnevenGroups",
     [](FlatBuilder& b) {
       b.add("AccumBuff",
             {{"function", "add"},
              {"rank", 1},
              {"buffer_shape", std::vector<std::int64_t>{2}},
              {"compute_bw", 1}},
             {tiles(b, {2, 3}, {4, 8})});
     },
     {"AccumBuff_", "'in'", "groups of 3", "multiple"}},
    {"SplitTileUneven",
     [](FlatBuilder& b) {
       b.add("FlatMap", {{"function", "split_tile"}, {"piece", std::vector<std::int64_t>{2, 3}}},
             {tiles(b, {2, 3}, {4, 8})});
     },
     {"FlatMap_", "'in'", "3 columns", "divides"}},
    {"SplitTileDynamic",
     [](FlatBuilder& b) {
       b.add("FlatMap", {{"function", "split_tile"}, {"piece", std::vector<std::int64_t>{2, 0}}},
             {dynamicTiles(b)});
     },
     {"FlatMap_", "'in'", "2 rows", "leave this dimension whole"}},
    {"StreamifyRank",
     [](FlatBuilder& b) {
       b.add("Streamify", {{"rank", 2}}, {buffers(b)});
     },
     {"Streamify_", "'in'", "rank = 2", "buffer[3]"}},
    {"DynStreamifyRank",
     [](FlatBuilder& b) {
       b.add("DynStreamify", {{"rank", 2}}, {buffers(b), tiles(b, {5}, {1, 1})});
     },
     {"DynStreamify_", "'in'", "rank = 2", "buffer[3]"}},
    {"StaticStreamifyRank",
     [](FlatBuilder& b) {
       b.add("StaticStreamify", {{"rank", 2}, {"out_shape", List{2}}}, {buffers(b)});
     },
     {"StaticStreamify_", "'in'", "rank = 2", "buffer[3]"}},
    {"AccumRank",
     [](FlatBuilder& b) {
       b.add("Accum", fold("add", {4, 8}, 3), {tiles(b, {5, 3}, {4, 8})});
     },
     {"Accum_", "'in'", "rank = 3", "[1, 5, 3]"}},
    {"ScanRank",
     [](FlatBuilder& b) {
       b.add("Scan", fold("add", {4, 8}, 3), {tiles(b, {5, 3}, {4, 8})});
     },
     {"Scan_", "'in'", "rank = 3", "[1, 5, 3]"}},
    {"BinaryMapAccumRank",
     [](FlatBuilder& b) {
       b.add("BinaryMapAccum", fold("matmul", {4, 4}, 2), {tiles(b, {3}, {4, 8}), tiles(b, {3}, {8, 4})});
     },
     {"BinaryMapAccum_", "rank = 2", "[1, 3]"}},
    {"FlattenRange",
     [](FlatBuilder& b) {
       b.add("Flatten", {{"min", 0}, {"max", 2}}, {tiles(b, {3}, {1, 1})});
     },
     {"Flatten_", "'in'", "max = 2", "[1, 3]"}},
    {"PromoteRank",
     [](FlatBuilder& b) {
       b.add("Promote", {{"rank", 3}}, {tiles(b, {3}, {1, 1})});
     },
     {"Promote_", "'in'", "rank", "[1, 3]"}},
    {"ReshapeDim",
     [](FlatBuilder& b) {
       b.add("Reshape", {{"dim", 2}, {"chunk", 1}}, {tiles(b, {3}, {1, 1})});
     },
     {"Reshape_", "'in'", "dim = 2", "[1, 3]"}},
    {"TakeLastRankZero",
     [](FlatBuilder& b) {
       b.add("TakeLast", {}, {flat(b, tiles(b, {3}, {1, 1}))});
     },
     {"TakeLast_", "'in'", "[3]"}},
    {"ParallelizeRank",
     [](FlatBuilder& b) {
       b.add("Parallelize", {{"ways", 2}, {"rank", 0}}, {tiles(b, {4}, {1, 1})});
     },
     {"Parallelize_", "'in'", "rank = 0", "[1, 4]"}},
    {"ExpertAddrGenRank",
     [](FlatBuilder& b) {
       b.add("ExpertAddrGen", {{"tiles", 2}}, {b.through("SelectGen", {{"input", "route"}})});
     },
     {"ExpertAddrGen_", "'in'", "[1, 2]"}},
    {"StaticReassembleRank",
     [](FlatBuilder& b) {
       b.add("StaticReassemble", {{"ways", 2}, {"rank", 1}}, {tiles(b, {3}, {1, 1}), tiles(b, {3}, {1, 1})});
     },
     {"StaticReassemble_", "'in[0]'", "[1, 3]"}},
};

// Wrong element types.
const Mistake types[] = {
    {"MapOfSelectors",
     [](FlatBuilder& b) { b.add("Map", map("silu"), {selectors(b)}); },
     {"Map_", "'in'", "selector(3)"}},
    {"MapOfNumbers",
     [](FlatBuilder& b) { b.add("Map", map("exp"), {numbers(b)}); },
     {"Map_", "tile[1, 1]:u64"}},
    {"MatmulOfFloatsAndNumbers",
     [](FlatBuilder& b) {
       b.add("BinaryMap", map("matmul"), {tiles(b, {2}, {1, 1}), numbers(b)});
     },
     {"BinaryMap_", "tile[1, 1]:f32", "tile[1, 1]:u64"}},
    {"SetOffsetByFloats",
     [](FlatBuilder& b) {
       b.add("BinaryMap", map("set_offset"), {tiles(b, {2}, {4, 8}), tiles(b, {2}, {1, 1})});
     },
     {"BinaryMap_", "tile[4, 8]:f32", "tile[1, 1]:f32"}},
    {"StoreOfBuffers",
     [](FlatBuilder& b) {
       b.add("LinearOffChipStore", {{"tile", List{4, 8}}}, {buffers(b)});
     },
     {"LinearOffChipStore_", "'in'", "buffer[3]"}},
    {"BufferizeSelectors",
     [](FlatBuilder& b) {
       b.add("Bufferize", {{"rank", 1}}, {b.through("SelectGen", {{"input", "route"}})});
     },
     {"Bufferize_", "'in'", "selector(3)"}},
    {"BufferizeDynamicTiles",
     [](FlatBuilder& b) {
       b.add("Bufferize", {{"rank", 1}}, {dynamicTiles(b)});
     },
     {"Bufferize_", "'in'", "one size"}},
    {"StreamifyTiles",
     [](FlatBuilder& b) {
       b.add("Streamify", {{"rank", 1}}, {tiles(b, {3}, {4, 8})});
     },
     {"Streamify_", "'in'", "tile[4, 8]"}},
    {"PartitionByTiles",
     [](FlatBuilder& b) {
       b.add("Partition", {{"ways", 3}}, {tiles(b, {2}, {1, 1}), tiles(b, {2}, {1, 1})});
     },
     {"Partition_", "'control'", "tile[1, 1]"}},
    {"ReassembleByTiles",
     [](FlatBuilder& b) {
       const Output lane = flat(b, tiles(b, {2}, {1, 1}));
       b.add("Reassemble", {{"ways", 1}}, {lane, flat(b, tiles(b, {2}, {1, 1}))});
     },
     {"Reassemble_", "'control'", "tile[1, 1]"}},
    {"AddressesFromTiles",
     [](FlatBuilder& b) {
       b.add("ExpertAddrGen", {{"tiles", 2}}, {numbers(b)});
     },
     {"ExpertAddrGen_", "'in'", "u64"}},
    {"LengthsFromFloats",
     [](FlatBuilder& b) {
       b.add("FilterLastTile", {}, {tiles(b, {2}, {1, 1})});
     },
     {"FilterLastTile_", "'in'", "f32"}},
    {"CountFloats",
     [](FlatBuilder& b) {
       b.add("FlatmapCounter", {}, {tiles(b, {2}, {1, 1})});
     },
     {"FlatmapCounter_", "'in'", "f32"}},
    {"CacheAddressesFromFloats",
     [](FlatBuilder& b) {
       b.add("CacheReadAddrGen", {{"row_offset", 4}}, {tiles(b, {2}, {1, 1}), numbers(b)});
     },
     {"CacheReadAddrGen_", "'index'", "f32"}},
    {"NodesFromFloats",
     [](FlatBuilder& b) {
       b.add("AdjacencyAddrGen", {{"degrees", "numbers"}, {"neighbours", "numbers"}},
             {tiles(b, {2}, {1, 1})});
     },
     {"AdjacencyAddrGen_", "'node'", "f32"}},
    {"MapOfSinglesByAPairFunction",
     [](FlatBuilder& b) {
       b.add("Map", map("add"), {tiles(b, {2}, {1, 1})});
     },
     {"Map_", "'in'", "pairs"}},
    {"EagerMergeOfTwoTypes",
     [](FlatBuilder& b) {
       b.add("EagerMerge", {{"ways", 2}}, {flat(b, tiles(b, {2}, {1, 1})), selectors(b)});
     },
     {"EagerMerge_", "'in[1]'", "selector(3)", "tile[1, 1]"}},
};

// Wrong dimensions, tiles, selectors and sizes.
const Mistake shapes[] = {
    {"BinaryMapShapes",
     [](FlatBuilder& b) {
       b.add("BinaryMap", map("add"), {tiles(b, {3}, {4, 8}), tiles(b, {4}, {4, 8})});
     },
     {"BinaryMap_", "'in2'", "[1, 3]", "[1, 4]"}},
    {"ZipRanks",
     [](FlatBuilder& b) {
       b.add("Zip", {}, {tiles(b, {3}, {4, 8}), tiles(b, {3, 1}, {4, 8})});
     },
     {"Zip_", "'in2'", "[1, 3]", "[1, 3, 1]"}},
    {"MatmulInner",
     [](FlatBuilder& b) {
       b.add("BinaryMap", map("matmul"), {tiles(b, {3}, {4, 8}), tiles(b, {3}, {4, 8})});
     },
     {"BinaryMap_", "tile[4, 8]", "columns"}},
    {"AddSizes",
     [](FlatBuilder& b) {
       b.add("BinaryMap", map("add"), {tiles(b, {3}, {4, 8}), tiles(b, {3}, {2, 8})});
     },
     {"BinaryMap_", "tile[4, 8]", "tile[2, 8]"}},
    {"AccumulatorSize",
     [](FlatBuilder& b) {
       b.add("Accum", fold("retile_row", {0, 9}, 1), {tiles(b, {3}, {4, 8})});
     },
     {"Accum_", "'in'", "tile[4, 8]", "[0, 9]"}},
    {"ScanState",
     [](FlatBuilder& b) {
       b.add("Scan", fold("max", {3, 8}, 1), {tiles(b, {3}, {4, 8})});
     },
     {"Scan_", "tile[4, 8]", "tile[3, 8]"}},
    {"StoreTile",
     [](FlatBuilder& b) {
       b.add("LinearOffChipStore", {{"tile", List{4, 9}}}, {tiles(b, {3}, {4, 8})});
     },
     {"LinearOffChipStore_", "'in'", "[4, 9]", "tile[4, 8]"}},
    {"ExpandShapes",
     [](FlatBuilder& b) {
       b.add("Expand", {{"rank", 1}}, {tiles(b, {3, 2}, {4, 8}), tiles(b, {3, 5}, {1, 1})});
     },
     {"Expand_", "'in'", "[1, 3, 2]", "[1, 3, 5]"}},
    {"ExpandRagged",
     [](FlatBuilder& b) {
       b.add("Expand", {{"rank", 1}}, {raggedTiles(b), ragged(b)});
     },
     {"Expand_", "'in'", "~"}},
    {"ExpandStaticNotOne",
     [](FlatBuilder& b) {
       b.add("ExpandStatic", {{"factor", 2}}, {tiles(b, {3}, {4, 8})});
     },
     {"ExpandStatic_", "'in'", "[1, 3]"}},
    {"RepeatRefShapes",
     [](FlatBuilder& b) {
       b.add("RepeatRef", {{"rank", 0}}, {tiles(b, {3}, {4, 8}), tiles(b, {4, 2}, {1, 1})});
     },
     {"RepeatRef_", "'in'", "[1, 3]", "[1, 4, 2]"}},
    {"DynStreamifyShapes",
     [](FlatBuilder& b) {
       b.add("DynStreamify", {{"rank", 1}}, {buffers(b), tiles(b, {5}, {1, 1})});
     },
     {"DynStreamify_", "'in'", "[1, 5]"}},
    {"AffineViewTooLarge",
     [](FlatBuilder& b) {
       b.add("StaticStreamify", {{"rank", 1}, {"out_shape", List{2, 2}}, {"stride", List{2, 1}}},
             {buffers(b)});
     },
     {"StaticStreamify_", "'in'", "[2, 2]", "buffer[3]"}},
    {"StrideLength",
     [](FlatBuilder& b) {
       b.add("StaticStreamify", {{"rank", 1}, {"out_shape", List{2, 2}}, {"stride", List{1}}}, {buffers(b)});
     },
     {"StaticStreamify_", "stride"}},
    {"BufferizeRaggedInside",
     [](FlatBuilder& b) {
       b.add("Bufferize", {{"rank", 2}}, {b.through("Repeat", {{"factor", 2}}, {raggedTiles(b)})});
       b.add("Bufferize", {{"rank", 2}}, {raggedTiles(b)});
     },
     {"Bufferize_", "'in'", "~"}},
    {"ReshapeUneven",
     [](FlatBuilder& b) {
       b.add("Reshape", {{"chunk", 2}}, {tiles(b, {3}, {4, 8})});
     },
     {"Reshape_", "'in'", "[1, 3]", "chunks of 2", "pad"}},
    {"ReshapeRagged",
     [](FlatBuilder& b) {
       b.add("Reshape", {{"chunk", 2}}, {raggedTiles(b)});
     },
     {"Reshape_", "'in'", "~", "chunks of 2"}},
    {"ReshapeOuterUneven",
     [](FlatBuilder& b) {
       b.add("Reshape", {{"dim", 1}, {"chunk", 2}, {"pad", List{4, 8}}}, {tiles(b, {3, 2}, {4, 8})});
     },
     {"Reshape_", "'in'", "[1, 3, 2]", "innermost"}},
    {"AddOuterDimOfRankOne",
     [](FlatBuilder& b) {
       b.add("Reshape", {{"chunk", 1}, {"add_outer_dim", true}}, {tiles(b, {3}, {4, 8})});
     },
     {"Reshape_", "'in'", "add_outer_dim", "[1, 3]"}},
    {"PaddingOfAnotherSize",
     [](FlatBuilder& b) {
       b.add("ReshapePadStream", {{"chunk", 2}, {"pad", List{1, 8}}}, {tiles(b, {3}, {4, 8})});
     },
     {"ReshapePadStream_", "'in'", "[1, 8]", "tile[4, 8]"}},
    {"ParallelizeUneven",
     [](FlatBuilder& b) {
       b.add("Parallelize", {{"ways", 2}, {"rank", 0}}, {flat(b, tiles(b, {3}, {1, 1}))});
     },
     {"Parallelize_", "'in'", "[3]"}},
    {"SwitchCyclesOfTooFewPorts",
     [](FlatBuilder& b) {
       b.add("Parallelize", {{"ways", 2}, {"rank", 0}, {"port_switch_cycles", List{1}}},
             {flat(b, tiles(b, {4}, {1, 1}))});
     },
     {"Parallelize_", "port_switch_cycles", "2 ports"}},
    {"PartitionWays",
     [](FlatBuilder& b) {
       b.add("Partition", {{"ways", 4}}, {flat(b, tiles(b, {2}, {1, 1})), selectors(b)});
     },
     {"Partition_", "'control'", "3 targets", "ways = 4"}},
    {"ReassembleWays",
     [](FlatBuilder& b) {
       const Output a = flat(b, tiles(b, {2}, {1, 1})), c = flat(b, tiles(b, {2}, {1, 1}));
       b.add("Reassemble", {{"ways", 2}}, {a, c, selectors(b)});
     },
     {"Reassemble_", "'control'", "3 inputs", "ways = 2"}},
    {"ReassembleGroups",
     [](FlatBuilder& b) {
       const Output a = tiles(b, {2}, {1, 1}), c = tiles(b, {2}, {1, 1}), d = tiles(b, {3}, {1, 1});
       b.add("Reassemble", {{"ways", 3}, {"rank", 1}}, {a, c, d, selectors(b)});
     },
     {"Reassemble_", "'in[2]'", "[1, 3]", "[1, 2]"}},
    {"EagerMergeGroups",
     [](FlatBuilder& b) {
       b.add("EagerMerge", {{"ways", 2}, {"rank", 1}}, {tiles(b, {2}, {1, 1}), tiles(b, {3}, {1, 1})});
     },
     {"EagerMerge_", "'in[1]'", "[1, 3]", "[1, 2]"}},
    {"LanesOfOtherRows",
     [](FlatBuilder& b) {
       b.add("StaticReassemble", {{"ways", 2}}, {tiles(b, {2, 3}, {1, 1}), tiles(b, {3, 3}, {1, 1})});
     },
     {"StaticReassemble_", "'in[1]'", "[1, 3, 3]", "[1, 2, 3]"}},
    {"LoadStrides",
     [](FlatBuilder& b) {
       b.add("LinearOffChipLoad", {{"tile", List{1, 1}}, {"out_shape", List{2, 2}}, {"stride", List{1}}});
     },
     {"LinearOffChipLoad_", "stride", "out_shape"}},
    {"LoadTooLarge",
     [](FlatBuilder& b) {
       b.add("LinearOffChipLoad", {{"tile", List{1, 1}}, {"out_shape", List{1 << 30, 1 << 30}}});
     },
     {"LinearOffChipLoad_", "2^40"}},
    {"TileOfThreeNumbers",
     [](FlatBuilder& b) {
       tiles(b, {2}, {1, 2, 3});
     },
     {"TileGen_", "two-dimensional"}},
    {"ProductOverflows",
     [](FlatBuilder& b) {
       const Output many = tiles(b, {std::int64_t{1} << 40}, {1, 1});
       b.add("Repeat", {{"factor", std::int64_t{1} << 40}}, {many});
     },
     {"Repeat_", "2^62", "[1, 1099511627776, 1099511627776]"}},
    {"BufferOverflows",
     [](FlatBuilder& b) {
       const Output many = tiles(b, {std::int64_t{1} << 31, std::int64_t{1} << 30}, {1, 1});
       b.add("Bufferize", {{"rank", 2}}, {many});
     },
     {"TileGen_", "2^62"}},
    {"NoSuchInput",
     [](FlatBuilder& b) {
       b.through("SelectGen", {{"input", "nothing"}});
     },
     {"SelectGen_", "'nothing'"}},
    {"NoExtents",
     [](FlatBuilder& b) {
       b.add("DynLinearOffChipLoad", {{"extents", "nothing"}, {"tile", List{1, 1}}});
     },
     {"DynLinearOffChipLoad_", "'nothing'"}},
    {"NoNeighbours",
     [](FlatBuilder& b) {
       b.add("AdjacencyAddrGen", {{"degrees", "numbers"}, {"neighbours", "nothing"}}, {numbers(b)});
     },
     {"AdjacencyAddrGen_", "'nothing'", "neighbours"}},
    {"DegreesOfAnotherGraph",
     [](FlatBuilder& b) {
       b.add("AdjacencyAddrGen", {{"degrees", "numbers"}, {"neighbours", "numbers"}}, {numbers(b)});
     },
     {"AdjacencyAddrGen_", "sum to 4", "2 neighbours"}},
    {"NeighbourThatIsNoNode",
     [](FlatBuilder& b) {
       b.add("AdjacencyAddrGen", {{"degrees", "ones"}, {"neighbours", "numbers"}}, {numbers(b)});
     },
     {"AdjacencyAddrGen_", "neighbour number 0 is node 3", "0 to 1"}},
    {"NegativeDegree",
     [](FlatBuilder& b) {
       b.add("AdjacencyAddrGen", {{"degrees", "negative"}, {"neighbours", "numbers"}}, {numbers(b)});
     },
     {"AdjacencyAddrGen_", "-1 neighbours"}},
    {"NegativeExtent",
     [](FlatBuilder& b) {
       b.add("DynLinearOffChipLoad", {{"extents", "negative"}, {"tile", List{1, 1}}});
     },
     {"DynLinearOffChipLoad_", "'negative'"}},
};

InputSet someInputs() {
  InputData route, lengths, negative, ones;
  ones.tensor = {{2}, {1, 1}};
  route.tensor = {{2, 3}, {1, 0, 1, 0, 1, 0}};
  lengths.tensor = {{2}, {3, 1}};
  negative.tensor = {{2}, {3, -1}};
  return {{"route", route}, {"numbers", lengths}, {"negative", negative}, {"ones", ones}};
}

class Restriction : public testing::TestWithParam<Mistake> {};

TEST_P(Restriction, IsToldWithPlaceAndFix) {
  FlatBuilder builder;
  GetParam().add(builder);
  builder.consumeTheRest();
  const Result<Inference> inference = infer(builder.build(), someInputs());
  ASSERT_FALSE(inference);
  const Diagnostic& problem = inference.diagnostics().front();
  const std::string all = text(problem);
  for (const char* word : GetParam().words)
    EXPECT_NE(all.find(word), std::string::npos) << word << "\n" << all;
  EXPECT_NE(text(problem.place).find("operator '"), std::string::npos) << all;
  EXPECT_FALSE(problem.fix.empty() || problem.code.empty()) << all;
}

const auto nameOf = [](const auto& mistake) { return std::string(mistake.param.name); };
INSTANTIATE_TEST_SUITE_P(Ranks, Restriction, testing::ValuesIn(ranks), nameOf);
INSTANTIATE_TEST_SUITE_P(Types, Restriction, testing::ValuesIn(types), nameOf);
INSTANTIATE_TEST_SUITE_P(Shapes, Restriction, testing::ValuesIn(shapes), nameOf);

// What a document can say wrong before any shape is known.

Diagnostics refusals(const std::string& kind, Values parameters, const char* port) {
  Document document;
  document.program.nodes = {testing_support::node("source", "TileGen",
                                                  {{"shape", std::vector<Value>{Value(4)}},
                                                   {"tile", std::vector<Value>{Value(1), Value(1)}}}),
                            testing_support::node("it", kind, std::move(parameters)),
                            testing_support::node("sink", "Consumer", {})};
  document.program.streams = {testing_support::stream("source", "it"), testing_support::stream("it", "sink")};
  document.program.streams[0].to.port = port;
  const Result<FlatGraph> graph = elaborate(document, {}, builtInCatalog());
  return graph ? Diagnostics{} : graph.diagnostics();
}

TEST(Restrictions, ZeroAndNegativeParameters) {
  for (const std::int64_t chunk : {0, -3}) {
    for (const auto& [kind, parameter] : std::vector<std::pair<std::string, std::string>>{
             {"Reshape", "chunk"}, {"Repeat", "factor"}, {"ExpandStatic", "factor"}, {"Bufferize", "rank"}}) {
      const Diagnostics problems = refusals(kind, {{parameter, Value(chunk)}}, "in");
      ASSERT_FALSE(problems.empty()) << kind;
      EXPECT_NE(text(problems).find("it"), std::string::npos) << text(problems);
      EXPECT_NE(text(problems).find(parameter), std::string::npos) << text(problems);
      EXPECT_NE(text(problems).find("at least 1"), std::string::npos) << text(problems);
    }
  }
}

TEST(Restrictions, MissingReferenceStream) {
  for (const auto& [kind, parameters] :
       std::vector<std::pair<std::string, Values>>{{"Expand", {{"rank", Value(1)}}},
                                                   {"RepeatRef", {{"rank", Value(0)}}},
                                                   {"DynStreamify", {{"rank", Value(1)}}}}) {
    const Diagnostics problems = refusals(kind, parameters, "in");
    ASSERT_FALSE(problems.empty()) << kind;
    EXPECT_NE(text(problems).find("it"), std::string::npos) << text(problems);
    EXPECT_NE(text(problems).find("ref"), std::string::npos) << text(problems);
    EXPECT_FALSE(problems.front().fix.empty());
  }
}

/// Extents that knobs decide are compared at the point, not found out by the run.
TEST(Restrictions, KnobsDecideWhatFits) {
  using testing_support::node;
  using testing_support::stream;
  Document document;
  const auto source = [](const char* name, Value cols) {
    return node(name, "TileGen", {{"shape", std::vector<Value>{2}}, {"tile", std::vector<Value>{4, cols}}});
  };
  document.program.nodes = {source("a", "width"), source("b", 16),
                            node("sum", "BinaryMap", {{"function", "add"}, {"compute_bw", 64}}),
                            node("sink", "Consumer", {})};
  document.program.streams = {{{"a", "out", {}}, {"sum", "in1", {}}, {}},
                              {{"b", "out", {}}, {"sum", "in2", {}}, {}},
                              stream("sum", "sink")};
  Knob width;
  width.name = "width";
  width.kind = KnobKind::List;
  width.list = {8, 16};
  width.initial = 16;
  document.knobs = {width};
  const auto workload = testing_support::workloadOf(document);
  EXPECT_TRUE(evaluateSymbolic(*workload, {{"width", 16}}));
  const auto refused = evaluateSymbolic(*workload, {{"width", 8}});
  ASSERT_FALSE(refused);
  EXPECT_NE(text(refused.diagnostics()[0].place).find("'sum'"), std::string::npos)
      << text(refused.diagnostics());
  EXPECT_FALSE(refused.diagnostics()[0].fix.empty());
  EXPECT_EQ(refused.diagnostics()[0].code, "tile-mismatch");
  const Location other = Location(Where::Operator, "sum") / Location(Where::Port, "in1");
  EXPECT_EQ(refused.diagnostics()[0].related, std::vector{other});
}

}  // namespace sluice::operator_restrictions_test
