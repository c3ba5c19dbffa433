// The order in which a stream brings the tiles of a tensor: kept by lowering, told by kernels, checked where
// a producer and a consumer meet, and of no concern to operators that say nothing about it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/itensor/canonical.h"
#include "engine/itensor/converter_counts.h"
#include "engine/itensor/itensor_text.h"
#include "engine/operators/order.h"
#include "engine/program/elaborate.h"
#include "engine/program/stream_id.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_types.h"
#include "engine/tensor/programs/llm_blocks.h"
#include "tests/engine/support/compiled_designs.h"
#include "tests/engine/support/documents.h"

namespace sluice::stream_orders_test {

using namespace testing_support;
using testing::HasSubstr;

constexpr const char* by_rows = "itensor<4x2xf32, iter_space: [2,4]*[4,2], iter_map: (d0,d1)->(d0,d1)>";
constexpr const char* by_columns = "itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>";

Values orders(const char* parameter, const char* type) {
  return {{parameter, std::vector<Value>{type}}};
}

Node kernel(const std::string& name, Values told) {
  told.insert({{"takes", std::vector<Value>{8}},
               {"gives", std::vector<Value>{8}},
               {"initial_delay", 1},
               {"tile", std::vector<Value>{4, 2}},
               {"scalar", Value("f32")}});
  return node(name, "Kernel", std::move(told));
}

/// A load of an 8 x 8 tensor by rows, what is between, a kernel that takes it by columns, and a store.
Document rowsToColumns(const std::vector<Node>& between) {
  Document document;
  Graph& graph = document.program;
  Values load = orders("gives_order", by_rows);
  load.insert({{"tile", std::vector<Value>{4, 2}}, {"out_shape", std::vector<Value>{8}}});
  graph.nodes.push_back(node("x", "LinearOffChipLoad", std::move(load)));
  graph.nodes.insert(graph.nodes.end(), between.begin(), between.end());
  Values told = orders("takes_order", by_columns);
  told.merge(orders("gives_order", by_columns));
  graph.nodes.push_back(kernel("work", std::move(told)));
  Values store = orders("takes_order", by_columns);
  store.insert({"tile", std::vector<Value>{4, 2}});
  graph.nodes.push_back(node("y", "LinearOffChipStore", std::move(store)));
  for (std::size_t i = 1; i < graph.nodes.size(); ++i) {
    const auto end = [&](std::size_t at, const char* port, bool output) {
      const bool bundle =
          graph.nodes[at].kind == "Kernel" || (output && graph.nodes[at].kind == "LayoutConverter");
      return Endpoint{graph.nodes[at].name, port, bundle ? std::optional(Value(0)) : std::nullopt};
    };
    graph.streams.push_back({end(i - 1, "out", true), end(i, "in", false), {}});
  }
  return document;
}

Node converter(std::int64_t iterations, std::int64_t fill, std::int64_t drain, std::int64_t bytes) {
  Values told = orders("takes_order", by_rows);
  told.merge(orders("gives_order", by_columns));
  told.insert({{"iterations", iterations},
               {"fill", fill},
               {"drain", drain},
               {"buffer_bytes", bytes},
               {"tile", std::vector<Value>{4, 2}},
               {"scalar", Value("f32")}});
  return node("turn", "LayoutConverter", std::move(told));
}

Result<SymbolicResult> typed(const Document& document) {
  return evaluateSymbolic(*workloadOf(document), defaultKnobs(document));
}

/// The order of the stream into a port, as a text; empty: none.
std::string orderInto(const SymbolicResult& result, const std::string& id) {
  for (std::size_t s = 0; s < result.graph.streams.size(); ++s)
    if (result.graph.streams[s].origin == id) {
      const StreamOrder& order = result.inference.streams[s].order;
      return order ? text(*order) : "";
    }
  return "no such stream";
}

// --- graphs that somebody writes --------------------------------------------------------------------------

TEST(StreamOrders, AnotherOrderThanTheConsumersIsRefusedAtTheStream) {
  const Result<SymbolicResult> result = typed(rowsToColumns({}));
  ASSERT_FALSE(result);
  ASSERT_EQ(result.diagnostics().size(), 1u) << text(result.diagnostics());
  const Diagnostic& told = result.diagnostics().front();
  EXPECT_EQ(told.code, "layout-mismatch");
  const LocationPart* place = told.place.find(Where::Stream);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->name, "#work.in[0]");
  EXPECT_THAT(told.cause, HasSubstr(by_rows));
  EXPECT_THAT(told.cause, HasSubstr(by_columns));
  EXPECT_THAT(told.fix,
              HasSubstr("LayoutConverter with iterations = 1, fill = 8, drain = 8, buffer_bytes = 512"));
}

TEST(StreamOrders, AConverterOfTheRightSizeMakesItRight) {
  const Result<SymbolicResult> result = typed(rowsToColumns({converter(1, 8, 8, 512)}));
  ASSERT_TRUE(result) << text(result.diagnostics());
  EXPECT_EQ(orderInto(*result, "#turn.in"), by_rows);
  EXPECT_EQ(orderInto(*result, "#work.in[0]"), by_columns);
  EXPECT_EQ(orderInto(*result, "#y.in"), by_columns);
  const Document document = rowsToColumns({converter(1, 8, 8, 512)});
  const Result<PointResult> run = evaluate(*workloadOf(document), defaultKnobs(document), RecordMode::Count);
  ASSERT_TRUE(run) << text(run.diagnostics());
  EXPECT_FALSE(run->simulation.fault || run->simulation.deadlock);
}

TEST(StreamOrders, AConverterWithTooSmallABufferOrTooManyFillsIsRefused) {
  for (const Node& turn : {converter(1, 8, 8, 511), converter(8, 1, 1, 512)}) {
    const Result<SymbolicResult> result = typed(rowsToColumns({turn}));
    ASSERT_FALSE(result);
    const Diagnostic& told = result.diagnostics().front();
    EXPECT_EQ(told.code, "layout-mismatch");
    EXPECT_EQ(text(told.place), "operator 'turn'");
    EXPECT_THAT(told.fix, HasSubstr("buffer_bytes to 512"));
  }
}

TEST(StreamOrders, AnOrderOfOtherTokensThanItsStreamIsRefused) {
  Document document = rowsToColumns({converter(1, 8, 8, 512)});
  document.program.nodes.back().parameters["takes_order"] =
      std::vector<Value>{"itensor<4x2xf32, iter_space: [4]*[2], iter_map: (d0)->(0,d0)>"};
  const Result<SymbolicResult> result = typed(document);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics().front().code, "shape-mismatch");
  EXPECT_EQ(text(result.diagnostics().front().place), "operator 'y', port 'in'");
}

TEST(StreamOrders, ATypeThatCannotBeReadIsToldWithItsColumn) {
  Document document = rowsToColumns({});
  document.program.nodes.back().parameters["takes_order"] = std::vector<Value>{"itensor<4x2xf32"};
  const Result<SymbolicResult> result = typed(document);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.diagnostics().front().place.find(Where::Parameter));
  EXPECT_TRUE(result.diagnostics().front().place.find(Where::Column));
}

TEST(StreamOrders, GoThroughTheFile) {
  const Document document = rowsToColumns({converter(1, 8, 8, 512)});
  const std::string written = writeDocument(document);
  EXPECT_THAT(written, HasSubstr(by_columns));
  const Result<Document> read = parseDocument(written, "orders.sluice");
  ASSERT_TRUE(read) << text(read.diagnostics());
  EXPECT_TRUE(*read == document);
  EXPECT_EQ(writeDocument(*read), written);
  const Result<SymbolicResult> result = typed(*read);
  ASSERT_TRUE(result) << text(result.diagnostics());
  EXPECT_EQ(orderInto(*result, "#work.in[0]"), by_columns);
}

/// Tokens that routing sends are in no order that anybody told: a kernel may say what it takes them for.
TEST(StreamOrders, RoutingFeedsAKernel) {
  const Result<Document> document = parseDocument(R"({"sluice": 1, "program": {"nodes": [
      {"name": "x", "kind": "LinearOffChipLoad", "parameters": {"out_shape": [16], "tile": [1, 64],
        "gives_order": ["itensor<1x64xf32, iter_space: [16]*[1], iter_map: (d0)->(d0,0)>"]}},
      {"name": "rows", "kind": "Flatten", "parameters": {"max": 1, "min": 0}},
      {"name": "route", "kind": "SelectGen", "parameters": {"input": "routing"}},
      {"name": "scatter", "kind": "Partition", "parameters": {"ways": 2}},
      {"name": "expert", "kind": "Kernel", "parameters": {"takes": [11], "gives": [11], "initial_delay": 1,
        "tile": [1, 64], "scalar": "f32",
        "takes_order": ["itensor<1x64xf32, iter_space: [11]*[1], iter_map: (d0)->(d0,0)>"],
        "gives_order": ["itensor<1x64xf32, iter_space: [11]*[1], iter_map: (d0)->(d0,0)>"]}},
      {"name": "done", "kind": "Consumer"}, {"name": "rest", "kind": "Consumer"}],
    "streams": [
      {"from": "x.out", "to": "rows.in"}, {"from": "rows.out", "to": "scatter.in"},
      {"from": "route.out", "to": "scatter.control"}, {"from": "scatter.out[0]", "to": "expert.in[0]"},
      {"from": "scatter.out[1]", "to": "rest.in"}, {"from": "expert.out[0]", "to": "done.in"}]},
    "inputs": [{"name": "routing", "kind": "Routing", "counts": [11, 5], "tokens": 16, "experts": 2,
      "top_k": 1}]})",
                                                  "mixed.sluice");
  ASSERT_TRUE(document) << text(document.diagnostics());
  const Result<PointResult> run =
      evaluate(*workloadOf(*document), defaultKnobs(*document), RecordMode::Count);
  ASSERT_TRUE(run) << text(run.diagnostics());
  EXPECT_FALSE(run->simulation.fault || run->simulation.deadlock);
  EXPECT_NE(orderInto(run->symbolic, "#rows.in"), "");
  EXPECT_EQ(orderInto(run->symbolic, "#scatter.in"), "");  // Flatten says nothing of an order
  EXPECT_EQ(orderInto(run->symbolic, "#expert.in[0]"), "");
  EXPECT_EQ(orderInto(run->symbolic, "#done.in"),
            "itensor<1x64xf32, iter_space: [11]*[1], iter_map: (d0)->(d0,0)>");
}

// --- graphs that are compiled -----------------------------------------------------------------------------

struct Lowered {
  CompiledDesign compiled;
  LoweredDesign program;
  FlatGraph graph;
  Inference inference;
};

Result<Lowered> loweredBlock(const CompileOptions& options) {
  TransformerModel model = publishedModels()[0];
  model.hidden = 8, model.feed_forward = 16, model.heads = model.kv_heads = 4, model.head_size = 4;
  SLUICE_TRY(const TensorProgram block, transformerBlock(model, promptPhase(8), *quantisationNamed("FP32")));
  SLUICE_TRY(CompiledDesign compiled, compile(block, options));
  SLUICE_TRY(LoweredDesign program, lowered(compiled, options.requests_per_cycle));
  Document document;
  document.program = program.graph;
  SLUICE_TRY(FlatGraph graph, elaborate(document, {}, builtInCatalog()));
  SLUICE_TRY(Inference inference, infer(graph, {}));
  return Lowered{std::move(compiled), std::move(program), std::move(graph), std::move(inference)};
}

CompileOptions tinyOptions(StreamVectors vectors, std::int64_t on_chip_bytes) {
  CompileOptions options = optionsOf(4);
  options.tiling.overall_unroll_size = 64;
  options.vectors = vectors;
  options.on_chip_bytes = on_chip_bytes;
  return options;
}

/// A graph that is lowered says of every stream what the design said.
TEST(StreamOrders, ALoweredBlockKeepsThoseOfTheDesign) {
  for (const StreamVectors vectors : {StreamVectors::Tiles, StreamVectors::Unroll, StreamVectors::Bus}) {
    for (const std::int64_t on_chip_bytes : {0, 2000}) {
      const Result<Lowered> block = loweredBlock(tinyOptions(vectors, on_chip_bytes));
      ASSERT_TRUE(block) << text(block.diagnostics());
      const DataflowDesign& design = block->compiled.design;
      const std::vector<std::string> ids = streamIds(block->program.graph, "");
      for (std::size_t number = 0; number < design.streams.size(); ++number) {
        const DataflowStream& stream = design.streams[number];
        const auto found =
            std::ranges::find(block->graph.streams, ids[block->program.streams[number]], &FlatStream::origin);
        ASSERT_NE(found, block->graph.streams.end());
        const StreamOrder& order =
            block->inference.streams[static_cast<std::size_t>(found - block->graph.streams.begin())].order;
        ASSERT_TRUE(order) << found->name;
        EXPECT_TRUE(sameStream(*order, vectorisedType(sourceOf(design, stream).type, stream.vector)))
            << found->name << " is " << text(*order);
      }
    }
  }
}

/// What a converter of the design is set to is among what its two orders allow, and no smaller buffer is.
TEST(StreamOrders, ConvertersOfALoweredBlockAreCheckedAgainstTheirOrders) {
  std::size_t converters = 0;
  for (const StreamVectors vectors : {StreamVectors::Tiles, StreamVectors::Bus}) {
    const Result<Lowered> block = loweredBlock(tinyOptions(vectors, 0));
    ASSERT_TRUE(block) << text(block.diagnostics());
    for (const FlatOperator& op : block->graph.operators) {
      if (op.spec->kind != "LayoutConverter") continue;
      if (!takenOrder(op, 0)) continue;  // behind a reshape that was dropped
      ++converters;
      const std::vector<ConverterCounts> ways = converterCounts(*takenOrder(op, 0), *givenOrder(op, 0));
      ASSERT_FALSE(ways.empty()) << op.name;
      EXPECT_LE(ways.front().bytes, op.parameters.integer("buffer_bytes")) << op.name;
    }
  }
  EXPECT_GT(converters, 0u);
}

/// A kernel that is made to take its tiles in another order is refused where they come from.
TEST(StreamOrders, AWrongOrderInALoweredBlockIsRefused) {
  const Result<Lowered> block = loweredBlock(tinyOptions(StreamVectors::Tiles, 0));
  ASSERT_TRUE(block) << text(block.diagnostics());
  std::size_t refused = 0;
  for (OperatorId id = 0; id < block->graph.operators.size(); ++id) {
    const FlatOperator& op = block->graph.operators[id];
    const StreamOrder taken = op.spec->kind == "LinearOffChipStore" ? takenOrder(op, 0) : nullptr;
    if (!taken || taken->loops.size() < 2) continue;
    ITensor other = *taken;
    std::ranges::reverse(other.loops);
    for (AffineForm& form : other.map) std::ranges::reverse(form.coefficients);
    if (sameStream(*taken, other)) continue;
    FlatGraph changed = block->graph;
    changed.operators[id].parameters.set("takes_order",
                                         std::vector<StreamOrder>{std::make_shared<const ITensor>(other)});
    const Result<Inference> result = infer(changed, {});
    ASSERT_FALSE(result) << op.name;
    EXPECT_EQ(result.diagnostics().front().code, "layout-mismatch");
    EXPECT_EQ(result.diagnostics().front().place.find(Where::Stream)->name,
              changed.streams[op.inputs[0]].origin);
    ++refused;
  }
  EXPECT_GT(refused, 0u);
}

// --- what a converter is set to ---------------------------------------------------------------------------

ITensor typeOf(const char* written) {
  return parseITensor(written)->type;
}

TEST(ConverterCounts, SharedLoopsFillASmallerBufferMoreOften) {
  // 8 x 8 in tiles of 2 x 2, row of tiles after row; the result has each of them twice.
  const ITensor source = typeOf("itensor<2x2xi8, iter_space: [4,4]*[2,2], iter_map: (d0,d1)->(d0,d1)>");
  const ITensor twice = typeOf("itensor<2x2xi8, iter_space: [4,2,4]*[2,1,2], iter_map: (d0,d1,d2)->(d0,d2)>");
  const std::vector<ConverterCounts> ways = converterCounts(source, twice);
  ASSERT_FALSE(ways.empty());
  EXPECT_EQ(ways.front(), (ConverterCounts{4, 2 * 2 * 8}));  // both halves of a row of tiles
  EXPECT_EQ(ways.back(), (ConverterCounts{1, 2 * 8 * 8}));   // the whole tensor, once
}

/// Tiles that are drained in vectors: the buffer is that of the tiles.
TEST(ConverterCounts, VectorsAreCutFromTiles) {
  const ITensor source = typeOf("itensor<4x4xi8, iter_space: [2,4]*[4,4], iter_map: (d0,d1)->(d0,d1)>");
  const ITensor result =
      typeOf("itensor<4x4xi8, iter_space: [2,2,4]*[4,1,4], iter_map: (d0,d1,d2)->(d0,d2)>");
  const std::vector<std::int64_t> vector = {2, 2};
  const std::vector<ConverterCounts> tiles = converterCounts(source, result);
  const std::vector<ConverterCounts> cut = converterCounts(source, vectorisedType(result, vector));
  EXPECT_EQ(tiles.front(), (ConverterCounts{2, 2 * 4 * 16}));
  EXPECT_THAT(cut, testing::Contains(tiles.front()));
  EXPECT_THAT(converterCounts(vectorisedType(source, vector), vectorisedType(result, vector)),
              testing::Contains(tiles.front()));
}

TEST(ConverterCounts, TypesOfDifferentTensorsHaveNone) {
  EXPECT_TRUE(converterCounts(typeOf(by_rows),
                              typeOf("itensor<4x2xf32, iter_space: [4]*[2], iter_map: (d0)->(0,d0)>"))
                  .empty());
}

}  // namespace sluice::stream_orders_test
