// What is too large to be counted or simulated is reported, not wrapped around; what does not get on is found
// out.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <thread>

#include "engine/explorer/bounds.h"
#include "engine/explorer/evaluate.h"
#include "engine/operators/simulate.h"
#include "engine/simulator/network.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/flat_builder.h"

namespace sluice::limits_test {

using testing::HasSubstr;
using List = std::vector<std::int64_t>;

Settings tiles(std::int64_t count, std::int64_t rows, std::int64_t cols) {
  return {{"shape", List{count}}, {"tile", List{rows, cols}}};
}

std::string causeOf(FlatBuilder& builder) {
  builder.consumeTheRest();
  const SimulationResult result = simulate(builder.build(), {});
  return result.fault ? result.fault->cause : "no fault";
}

TEST(Limits, OperationsThatDoNotFitAreTold) {
  constexpr std::int64_t side = std::int64_t{1} << 22;  // 2^67 operations
  FlatBuilder builder;
  const Output a = builder.through("TileGen", tiles(1, side, side));
  const Output b = builder.through("TileGen", tiles(1, side, side));
  builder.add("BinaryMap", {{"function", "matmul"}, {"compute_bw", 1024}}, {a, b});
  EXPECT_THAT(causeOf(builder), HasSubstr("more than 2^62 floating-point operations"));
}

TEST(Limits, OperationsThatFitAreExact) {
  constexpr std::int64_t side = std::int64_t{1} << 20;  // 2^61 operations
  FlatBuilder builder;
  const Output a = builder.through("TileGen", tiles(1, side, side));
  const Output b = builder.through("TileGen", tiles(1, side, side));
  builder.add("BinaryMap", {{"function", "matmul"}, {"compute_bw", 1024}}, {a, b});
  builder.consumeTheRest();
  const SimulationResult result = simulate(builder.build(), {});
  ASSERT_FALSE(result.fault) << result.fault->cause;
  EXPECT_EQ(result.flops, std::uint64_t{1} << 61);
  EXPECT_GE(result.cycles, std::uint64_t{1} << 51);
}

TEST(Limits, PackedRowsThatDoNotFitAreTold) {
  FlatBuilder builder;
  const Output rows = builder.through("TileGen", tiles(256, std::int64_t{1} << 24, 1));
  builder.add("Accum", {{"function", "retile_row"}, {"rank", 1}, {"init", List{0, 1}}, {"compute_bw", 1}},
              {rows});
  EXPECT_THAT(causeOf(builder), HasSubstr("more than can be counted"));
}

TEST(Limits, ClocksThatDoNotFitAreTold) {
  constexpr std::int64_t side = std::int64_t{1} << 20;
  FlatBuilder builder;
  const Output a = builder.through("TileGen", tiles(4, side, side));
  const Output b = builder.through("TileGen", tiles(4, side, side));
  builder.add("BinaryMap", {{"function", "matmul"}, {"compute_bw", 1}}, {a, b});  // 2^61 cycles each
  EXPECT_THAT(causeOf(builder), HasSubstr("more than 2^62 "));
}

/// Two sources and their product, as a document.
Document productDocument(std::int64_t side) {
  using testing_support::node;
  Document document;
  const auto list = [](std::int64_t a) { return std::vector<Value>{Value(a)}; };
  const Values source = {{"shape", list(1)}, {"tile", std::vector<Value>{Value(side), Value(side)}}};
  document.program.nodes = {
      node("a", "TileGen", source), node("b", "TileGen", source),
      node("product", "BinaryMap", {{"function", Value("matmul")}, {"compute_bw", Value(1024)}}),
      node("sink", "Consumer", {})};
  document.program.streams = {{{"a", "out", {}}, {"product", "in1", {}}, {}},
                              {{"b", "out", {}}, {"product", "in2", {}}, {}},
                              {{"product", "out", {}}, {"sink", "in", {}}, {}}};
  return document;
}

TEST(Limits, CostsAndBoundsBeyondCountingAreRefused) {
  const auto workload = makeWorkload(productDocument(std::int64_t{1} << 22), ".");
  ASSERT_TRUE(workload) << text(workload.diagnostics());
  const Result<SymbolicResult> symbolic = evaluateSymbolic(**workload, {});
  ASSERT_FALSE(symbolic);
  EXPECT_THAT(text(symbolic.diagnostics()), HasSubstr("more than 2^63 FLOPs"));
  EXPECT_FALSE(boundsOf(**workload, {}));
  const Result<PointResult> point = evaluate(**workload, {}, RecordMode::Count);
  ASSERT_TRUE(point) << text(point.diagnostics());
  EXPECT_EQ(point->point.state, PointState::Failed);
  EXPECT_EQ(point->point.metrics.flops, 0u);
  const auto smaller = makeWorkload(productDocument(std::int64_t{1} << 20), ".");
  ASSERT_TRUE(smaller);
  EXPECT_EQ(evaluate(**smaller, {}, RecordMode::Count)->point.metrics.flops, std::uint64_t{1} << 61);
}

simulator::Process looksForEver(simulator::Context& me) {
  for (;;) co_await me.poll(me.now, true);
}

TEST(Limits, ARunThatDoesNotGetOnIsFoundOut) {
  simulator::Network network(simulator::HbmConfig{});
  simulator::Context& context = network.addOperator();
  network.start(0, looksForEver(context));
  const SimulationResult result = network.run({});
  ASSERT_TRUE(result.fault);
  EXPECT_THAT(result.fault->cause, HasSubstr("no token and no clock has moved"));
  EXPECT_FALSE(result.cancelled);
}

simulator::Process sharesWithMany(simulator::Context& me, std::uint64_t copies, bool& kept) {
  simulator::Token buffer;
  buffer.kind = simulator::TokenKind::Buffer;
  buffer.group = me.newGroup();
  me.share(buffer, copies);
  me.share(buffer, 0);  // the first of them has been read
  kept = me.newGroup() != buffer.group;
  co_return;
}

TEST(Limits, ABufferWithMoreReadersThan32BitsHoldIsKept) {
  for (const int bits : {1, 31, 32, 33, 40}) {
    for (const std::uint64_t more : {0, 1}) {
      simulator::Network network(simulator::HbmConfig{});
      bool kept = false;
      network.start(0, sharesWithMany(network.addOperator(), (std::uint64_t{1} << bits) + more, kept));
      network.run({});
      EXPECT_TRUE(kept) << "2^" << bits << " + " << more;
    }
  }
}

TEST(Limits, MemoryThatIsAtWorkForEverHeedsAStop) {
  FlatBuilder builder;
  builder.machine.hbm_channels = 4096;  // stepped cycle by cycle
  builder.add("LinearOffChipLoad", {{"tile", List{1 << 20, 1 << 20}}, {"out_shape", List{1, 1}}});
  builder.consumeTheRest();
  std::stop_source stop;
  std::jthread later([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.request_stop();
  });
  SimulationOptions options;
  options.stop = stop.get_token();
  EXPECT_TRUE(simulate(builder.build(), {}, options).cancelled);
}

}  // namespace sluice::limits_test
