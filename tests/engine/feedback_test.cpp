// Streams that feed back into an EagerMerge are typed, checked and simulated; any other cycle is refused.

#include <gtest/gtest.h>

#include "engine/explorer/evaluate.h"
#include "engine/interchange/step_fixture.h"

namespace sluice::feedback_test {

std::shared_ptr<const Workload> imported(const std::string& operators) {
  const auto document =
      importStepFixture(R"({"depth":4,"cfg":{},"fb":2,"ops":[)" + operators + "]}", "graph.json");
  if (!document) throw std::runtime_error(text(document.diagnostics()));
  auto workload = makeWorkload(*document, ".");
  if (!workload) throw std::runtime_error(text(workload.diagnostics()));
  return *std::move(workload);
}

/// Three numbers enter, the selectors send the first two of the merged ones round once more. `back` is what
/// the merge's second input reads, `between` further operators.
std::string loop(const std::string& back, const std::string& between = "") {
  return R"({"T":"MetadataGen","id":0,"shape":[3],"data":[7,8,9]},
      {"T":"Flatten","id":1,"inp":[0,null],"mn":0,"mx":1},
      {"T":"EagerMerge","id":2,"inps":[[1,null],)" +
         back + R"(],"rank":0},
      {"T":"ConsumerContext","id":3,"inp":[2,1]},
      {"T":"SelectGen","id":4,"shape":[5,2],"data":[0,1,0,1,1,0,1,0,1,0]},
      {"T":"Flatten","id":6,"inp":[4,null],"mn":0,"mx":1},)" +
         between + R"(
      {"T":"FlatPartition","id":5,"inp":[2,0],"ctl":[6,null],"rank":0,"n":2,"sw":[1,1],"wb":false},
      {"T":"PrinterContext","id":7,"inp":[5,0]})";
}

StreamType typeOf(const SymbolicResult& result, const std::string& producer, std::uint32_t port) {
  for (StreamId id = 0; id < result.graph.streams.size(); ++id) {
    const FlatStream& stream = result.graph.streams[id];
    if (result.graph.operators[stream.producer].name == producer && stream.producer_port == port)
      return result.inference.streams[id];
  }
  throw std::runtime_error("no stream leaves " + producer);
}

TEST(Feedback, IsTypedByTheInputThatIsKnownAndCountedByTheRun) {
  const auto workload = imported(loop("[5,1]"));
  const Result<SymbolicResult> symbolic = evaluateSymbolic(*workload, {});
  ASSERT_TRUE(symbolic) << text(symbolic.diagnostics());
  EXPECT_EQ(text(typeOf(*symbolic, "op2", 0)), "[op2_n] tile[1, 1]:u64");
  EXPECT_EQ(text(typeOf(*symbolic, "op2", 1)), "[op2_n] selector(2)");

  const Result<PointResult> result = evaluate(*workload, {}, RecordMode::Count);
  ASSERT_TRUE(result) << text(result.diagnostics());
  EXPECT_EQ(result->point.state, PointState::Done) << result->point.cause;
  EXPECT_EQ(result->symbolic.bound.at("op2_n"), 5);
  ASSERT_EQ(result->simulation.printed.size(), 1u);
  std::vector<std::uint64_t> numbers;
  for (const CapturedToken& token : result->simulation.printed[0].tokens) numbers.push_back(token.scalar);
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{7, 8, 9}));
}

TEST(Feedback, MustBringBackTheTypeThatEntered) {
  const auto workload = imported(loop(
      "[8,null]", R"({"T":"RandomOffChipLoad","id":8,"raddr":[5,1],"tile_row":1,"tile_col":8,"par":1},)"));
  const Result<SymbolicResult> symbolic = evaluateSymbolic(*workload, {});
  ASSERT_FALSE(symbolic);
  const std::string said = text(symbolic.diagnostics());
  EXPECT_NE(said.find("operator 'op2', port 'in[1]'"), std::string::npos) << said;
  EXPECT_NE(said.find("tile[1, 8]:f32"), std::string::npos) << said;
  EXPECT_NE(said.find("tile[1, 1]:u64"), std::string::npos) << said;
}

TEST(Feedback, AMergeOfNothingButItselfIsACycle) {
  const auto workload = imported(R"({"T":"EagerMerge","id":2,"inps":[[1,null]],"rank":0},
      {"T":"Flatten","id":1,"inp":[2,0],"mn":0,"mx":0},
      {"T":"ConsumerContext","id":3,"inp":[2,1]})");
  const Result<SymbolicResult> symbolic = evaluateSymbolic(*workload, {});
  ASSERT_FALSE(symbolic);
  EXPECT_NE(text(symbolic.diagnostics()).find("waits for its own result"), std::string::npos);
}

TEST(Feedback, ACycleWithoutAMergeIsNamed) {
  const auto workload = imported(R"({"T":"MetadataGen","id":0,"shape":[3],"data":[7,8,9]},
      {"T":"ConsumerContext","id":9,"inp":[0,null]},
      {"T":"Flatten","id":1,"inp":[2,null],"mn":0,"mx":1},
      {"T":"Promote","id":2,"inp":[1,null],"rank":0})");
  const Result<SymbolicResult> symbolic = evaluateSymbolic(*workload, {});
  ASSERT_FALSE(symbolic);
  const std::string said = text(symbolic.diagnostics());
  EXPECT_NE(said.find("waits for its own result"), std::string::npos) << said;
  EXPECT_NE(said.find("op1 -> op2"), std::string::npos) << said;
  EXPECT_NE(said.find("cut one of these streams"), std::string::npos) << said;
}

}  // namespace sluice::feedback_test
