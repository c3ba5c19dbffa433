// On-chip memory and off-chip traffic of every operator by the three sets of equations
// (engine/symbolic/cost_model.md 3, 4), against numbers worked out by hand.

#include <gtest/gtest.h>

#include <ostream>

#include "engine/operators/inference.h"
#include "engine/operators/registry.h"
#include "tests/engine/support/flat_builder.h"

namespace sluice::cost_model_test {

using List = std::vector<std::int64_t>;

/// A graph, the operator in question, and what it holds: by the scripts, by them with FIFOs, and by the
/// paper's equations without and with FIFOs. Then its traffic.
struct Row {
  const char* name;
  OperatorId (*add)(FlatBuilder&);
  std::int64_t reference, reference_fifos, paper, paper_fifos, off_chip;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

Output load(FlatBuilder& b, List shape, List tile) {
  return b.through("LinearOffChipLoad", {{"out_shape", std::move(shape)}, {"tile", std::move(tile)}});
}
Output tiles(FlatBuilder& b, List shape, List tile) {
  return b.through("TileGen", {{"shape", std::move(shape)}, {"tile", std::move(tile)}});
}
Output buffers(FlatBuilder& b) {
  return b.through("Bufferize", {{"rank", 2}}, {tiles(b, {5, 2, 3}, {4, 8})});
}
Output selectors(FlatBuilder& b) {
  return b.through("Flatten", {{"min", 0}, {"max", 1}}, {b.through("SelectGen", {{"input", "route"}})});
}
Output flat(FlatBuilder& b, Output from) {
  return b.through("Flatten", {{"min", 0}, {"max", 1}}, {from});
}
Settings map(const char* function) {
  return {{"function", std::string(function)}, {"compute_bw", 64}};
}

// The machine moves floats as 2 bytes: loads count 2 bytes an element, everything else 4. A [4, 8] tile: 128
// bytes in a stream, 64 in a load.
const Row rows[] = {
    {"LinearOffChipLoad",
     [](FlatBuilder& b) {
       return load(b, {6, 2}, {4, 8}).op;
     },
     64, 64, 128, 128, 768},
    {"LinearOffChipLoadRef",
     [](FlatBuilder& b) {
       return b.add("LinearOffChipLoadRef", {{"out_shape", List{3}}, {"tile", List{4, 8}}},
                    {tiles(b, {2}, {1, 1})});
     },
     64, 64, 128, 128, 384},
    {"RandomOffChipLoad",
     [](FlatBuilder& b) {
       return b.add("RandomOffChipLoad", {{"tile", List{4, 8}}}, {b.through("Counter", {{"max", 5}})});
     },
     64, 64, 128, 128, 320},
    {"RandomOffChipStore",
     [](FlatBuilder& b) {
       return b.add("RandomOffChipStore", {{"tile", List{4, 8}}, {"buffer_depth", 3}},
                    {b.through("Counter", {{"max", 5}}), tiles(b, {5}, {4, 8})});
     },
     192, 192, 384, 384, 320},
    {"LinearOffChipStore",
     [](FlatBuilder& b) {
       return b.add("LinearOffChipStore", {{"tile", List{4, 8}}}, {tiles(b, {5}, {4, 8})});
     },
     128, 128, 256, 256, 640},
    {"Bufferize", [](FlatBuilder& b) { return buffers(b).op; }, 2 * 768 + 128, 2 * 768 + 128, 2 * 768 + 128,
     2 * 768 + 128, 0},
    {"BufferizeOffChip",
     [](FlatBuilder& b) {
       return b.add("Bufferize", {{"rank", 2}, {"off_chip", true}}, {tiles(b, {5, 2, 3}, {4, 8})});
     },
     128, 128, 128, 128, 30 * 128},
    {"Streamify",
     [](FlatBuilder& b) {
       return b.add("Streamify", {{"rank", 2}, {"repeat", List{3}}}, {buffers(b)});
     },
     768 + 128, 768 + 128, 0, 0, 0},
    {"StreamifyOffChip",
     [](FlatBuilder& b) {
       return b.add("Streamify", {{"rank", 2}, {"repeat", List{3, 2}}, {"off_chip", true}}, {buffers(b)});
     },
     128, 128, 128, 128, 5 * 6 * 128},
    {"DynStreamifyOffChip",
     [](FlatBuilder& b) {
       const Output promoted = b.through("Promote", {{"rank", 0}}, {buffers(b)});
       return b.add("DynStreamify", {{"rank", 2}, {"off_chip", true}}, {promoted, tiles(b, {5, 7}, {1, 1})});
     },
     128, 128, 128, 128, 35 * 128},
    {"Repeat",
     [](FlatBuilder& b) {
       return b.add("Repeat", {{"factor", 3}}, {tiles(b, {5}, {4, 8})});
     },
     128, 256, 128, 256, 0},
    {"Expand",
     [](FlatBuilder& b) {
       return b.add("Expand", {{"rank", 1}}, {tiles(b, {5, 1}, {4, 8}), tiles(b, {5, 3}, {1, 1})});
     },
     128, 256, 128, 256, 0},
    {"Accum",
     [](FlatBuilder& b) {
       Settings settings = map("retile_row");
       settings["init"] = List{0, 8};
       settings["rank"] = 1;
       return b.add("Accum", settings, {tiles(b, {5, 3}, {4, 8})});
     },
     384, 384 + 128, 384, 384, 0},
    {"BinaryMapAccum",
     [](FlatBuilder& b) {
       Settings settings = map("matmul");
       settings["init"] = List{4, 16};
       settings["rank"] = 1;
       return b.add("BinaryMapAccum", settings, {tiles(b, {5, 3}, {4, 8}), tiles(b, {5, 3}, {8, 16})});
     },
     256, 3 * 128, 256, 16 * 8 + 512 + 256, 0},
    {"BinaryMapMatmul",
     [](FlatBuilder& b) {
       return b.add("BinaryMap", map("matmul"), {tiles(b, {5}, {4, 8}), tiles(b, {5}, {8, 16})});
     },
     0, 128 + 512 + 256, 0, 16 * 8 + 512 + 256, 0},
    {"BinaryMapAdd",
     [](FlatBuilder& b) {
       return b.add("BinaryMap", map("add"), {tiles(b, {5}, {4, 8}), tiles(b, {5}, {1, 8})});
     },
     0, 128 + 32 + 128, 0, 0, 0},
    {"Map",
     [](FlatBuilder& b) {
       return b.add("Map", map("row_sum"), {tiles(b, {5}, {4, 8})});
     },
     0, 128 + 16, 0, 0, 0},
    {"Flatten",
     [](FlatBuilder& b) {
       return flat(b, tiles(b, {5}, {4, 8})).op;
     },
     0, 256, 0, 256, 0},
    {"Promote",
     [](FlatBuilder& b) {
       return b.add("Promote", {{"rank", 0}}, {tiles(b, {5}, {4, 8})});
     },
     0, 256, 0, 256, 0},
    {"Reshape",
     [](FlatBuilder& b) {
       return b.add("Reshape", {{"chunk", 5}}, {tiles(b, {5}, {4, 8})});
     },
     0, 256, 0, 256, 0},
    {"Partition",
     [](FlatBuilder& b) {
       return b.add("Partition", {{"ways", 3}}, {flat(b, tiles(b, {2}, {4, 8})), selectors(b)});
     },
     0, 4 * 128, 0, 4 * 128, 0},
    {"PartitionOfIndices",
     [](FlatBuilder& b) {
       const Output list =
           flat(b, b.through("SelectGen", {{"input", "route"}, {"encoding", std::string("index")}}));
       return b.add("Partition", {{"ways", 3}}, {list, selectors(b)});
     },
     0, 4 * 2 * 2, 0, 4 * 2 * 2, 0},
    {"Parallelize",
     [](FlatBuilder& b) {
       return b.add("Parallelize", {{"ways", 2}, {"rank", 0}}, {flat(b, tiles(b, {6}, {4, 8}))});
     },
     0, 3 * 128, 0, 3 * 128, 0},
    {"EagerMerge",
     [](FlatBuilder& b) {
       return b.add("EagerMerge", {{"ways", 2}},
                    {flat(b, tiles(b, {2}, {4, 8})), flat(b, tiles(b, {3}, {4, 8}))});
     },
     0, 3 * (128 + 2), 0, 3 * (128 + 2), 0},
    {"Zip",
     [](FlatBuilder& b) {
       return b.add("Zip", {}, {tiles(b, {2}, {4, 8}), tiles(b, {2}, {4, 8})});
     },
     0, 0, 0, 0, 0},
    {"Broadcast",
     [](FlatBuilder& b) {
       return b.broadcast(tiles(b, {2}, {4, 8}), 2)[0].op;
     },
     0, 0, 0, 0, 0},
};

InputSet routes() {
  InputData route;
  route.tensor = {{2, 3}, {1, 0, 1, 0, 1, 0}};
  return {{"route", route}};
}

class CostModelRow : public testing::TestWithParam<Row> {};

TEST_P(CostModelRow, IsAsWorkedOutByHand) {
  FlatBuilder builder;
  const OperatorId op = GetParam().add(builder);
  builder.consumeTheRest();
  const FlatGraph graph = builder.build();
  const auto cost = [&](CostModel::Equations equations, bool fifos) {
    const Result<Inference> inference = infer(graph, routes(), {equations, fifos});
    if (!inference) throw std::runtime_error(text(inference.diagnostics()));
    return inference->operators[op];
  };
  using enum CostModel::Equations;
  EXPECT_EQ(cost(Reference, false).on_chip_bytes, Expr(GetParam().reference));
  EXPECT_EQ(cost(Reference, true).on_chip_bytes, Expr(GetParam().reference_fifos));
  EXPECT_EQ(cost(Paper, false).on_chip_bytes, Expr(GetParam().paper));
  EXPECT_EQ(cost(Paper, true).on_chip_bytes, Expr(GetParam().paper_fifos));
  EXPECT_EQ(cost(Reference, false).off_chip_bytes, Expr(GetParam().off_chip));
}

INSTANTIATE_TEST_SUITE_P(Operators, CostModelRow, testing::ValuesIn(rows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(CostModel, ReassembleWrittenBackHoldsItsRaggedGroups) {
  FlatBuilder b;
  const std::vector<Output> control = b.broadcast(selectors(b), 2);
  const OperatorId partition =
      b.add("Partition", {{"ways", 3}}, {flat(b, tiles(b, {2}, {4, 8})), control[0]});
  std::vector<Output> in = b.outputs(partition);
  in.push_back(control[1]);
  const OperatorId op = b.add("Reassemble", {{"ways", 3}, {"write_back_mu", true}}, in);
  b.consumeTheRest();
  const FlatGraph graph = b.build();
  const Result<Inference> plain = infer(graph, routes());
  const Result<Inference> fifos = infer(graph, routes(), {CostModel::Equations::Reference, true});
  ASSERT_TRUE(plain) << text(plain.diagnostics());
  // What the two selectors gather together, shared out between them.
  const Expr gathered = Expr::symbol("Reassemble_" + std::to_string(op) + "_n");
  const Expr group = ceilDiv(gathered, Expr(2)) * Expr(128);
  EXPECT_EQ(plain->operators[op].on_chip_bytes, group);
  EXPECT_EQ(fifos->operators[op].on_chip_bytes, group + Expr(4 * 128));
}

}  // namespace sluice::cost_model_test
