// The workloads beyond the paper's, and the schedules on them, compute what plain loops over dense tensors
// compute: graph neural network, wavefront, experts with shared ones, experts three ways at once, attention.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "engine/core/atomic_file.h"
#include "engine/explorer/explore.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/schedule.h"
#include "engine/workloads/workload_builder.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/functional_graphs.h"

namespace sluice::more_workloads_test {

using functional_test::at;
using functional_test::product;
using functional_test::routedExperts;
using functional_test::silu;
using functional_test::swiglu;
using functional_test::zeros;
using testing::HasSubstr;

constexpr double tolerance = 1e-5;

Document built(const std::string& name, const Sizes& sizes) {
  Result<Document> document = buildWorkload(name, "", sizes);
  if (!document) throw std::runtime_error(text(document.diagnostics()));
  return *std::move(document);
}

/// What the program stores under its schedule at one design point.
TensorSet stored(const Document& document, const KnobValues& set = {}, const ComputeOptions& options = {}) {
  const auto workload = testing_support::workloadOf(document);
  KnobValues knobs = defaultKnobs(document);
  for (const auto& [name, value] : set) knobs.at(name) = value;
  const Result<ScheduledProgram> scheduled = applySchedule(workload->document, workload->inputs, knobs);
  if (!scheduled) throw std::runtime_error(text(scheduled.diagnostics()));
  const Result<FlatGraph> graph = elaborate(scheduled->document, knobs, builtInCatalog());
  if (!graph) throw std::runtime_error(text(graph.diagnostics()));
  const Result<Inference> typed = infer(*graph, scheduled->inputs);
  if (!typed) throw std::runtime_error(text(typed.diagnostics()));
  Result<TensorSet> tensors = compute(*graph, scheduled->inputs, options);
  if (!tensors) throw std::runtime_error(text(tensors.diagnostics()));
  return *std::move(tensors);
}

std::string pointText(const KnobValues& knobs) {
  std::string text;
  for (const auto& [name, value] : knobs) text += name + "=" + std::to_string(value) + " ";
  return text;
}

/// `tensor` at every point of the whole design space.
void expectEverywhere(const Document& document, const std::string& tensor, const FloatTensor& expected) {
  Document plain = document;
  plain.schedule.clear();
  EXPECT_LT(maxRelativeError(stored(plain).at(tensor), expected), tolerance) << "without a schedule";
  const DesignSpace space = designSpace(document);
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    SCOPED_TRACE(pointText(space.point(i)));
    EXPECT_LT(maxRelativeError(stored(document, space.point(i)).at(tensor), expected), tolerance);
  }
}

Input lengths(const std::string& name, std::vector<std::int64_t> values) {
  Input input;
  input.name = name;
  input.kind = InputKind::Lengths;
  input.data = IntTensor{{values.size()}, std::move(values)};
  return input;
}

// --- graph neural network -------------------------------------------------------------------------------

FloatTensor denseGnn(const IntTensor& degrees, const IntTensor& neighbours, std::size_t features,
                     std::size_t hidden) {
  const std::size_t nodes = degrees.data.size();
  const FloatTensor x = filledTensor("x", {nodes, features});
  FloatTensor sums = x;
  std::size_t next = 0;
  for (std::size_t node = 0; node < nodes; ++node) {
    for (std::int64_t i = 0; i < degrees.data[node]; ++i) {
      const auto from = static_cast<std::size_t>(neighbours.data[next++]);
      for (std::size_t j = 0; j < features; ++j) at(sums, node, j) += at(x, from, j);
    }
  }
  FloatTensor y = product(sums, filledTensor("weight", {features, hidden}));
  for (float& value : y.data) value = silu(value);
  return y;
}

TEST(MoreWorkloads, GraphLayerEqualsTheDenseOneUnderEverySchedule) {
  const Document document = built("gnn", {{"N", 16}, {"E", 40}, {"D", 6}, {"H", 5}, {"block", 2}});
  const IntTensor &degrees = *document.inputs[0].data, &neighbours = *document.inputs[1].data;
  EXPECT_GT(*std::max_element(degrees.data.begin(), degrees.data.end()), 8) << "a hub";
  EXPECT_GE(designSpace(document).size(), 30u);
  expectEverywhere(document, "store", denseGnn(degrees, neighbours, 6, 5));
}

TEST(MoreWorkloads, NodesWithoutNeighboursKeepTheirOwnFeatures) {
  Document document = built("gnn", {{"N", 8}, {"E", 9}, {"D", 4}, {"H", 3}, {"block", 2}});
  document.inputs = {lengths("degrees", {0, 4, 0, 0, 1, 0, 0, 4}),
                     lengths("neighbours", {7, 7, 1, 0, 2, 6, 5, 4, 3})};
  expectEverywhere(document, "store", denseGnn(*document.inputs[0].data, *document.inputs[1].data, 4, 3));
}

TEST(MoreWorkloads, GraphsThatContradictThemselvesAreRefused) {
  const std::vector<std::pair<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>, std::string>>
      wrong{{{{1, 2, 0, 1}, {0, 1, 2}}, "the degrees sum to 4, but 3 neighbours are listed"},
            {{{1, 1, 0, 0}, {0, 4}}, "neighbour number 1 is node 4; nodes are numbered 0 to 3"},
            {{{1, 1}, {0, 1}}, "which has 2"}};
  for (const auto& [graph, cause] : wrong) {
    Document document = built("gnn", {{"N", 4}, {"E", 4}, {"D", 4}, {"H", 3}, {"block", 2}});
    document.inputs = {lengths("degrees", graph.first), lengths("neighbours", graph.second)};
    const auto workload = testing_support::workloadOf(document);
    const Result<PointResult> result = evaluate(*workload, defaultKnobs(document), RecordMode::Count);
    ASSERT_FALSE(result) << cause;
    EXPECT_THAT(text(result.diagnostics()), HasSubstr(cause));
  }
}

// --- wavefront ------------------------------------------------------------------------------------------

TEST(MoreWorkloads, WavefrontEqualsTheDynamicProgram) {
  constexpr std::size_t rows = 5, columns = 7, problems = 32;
  const FloatTensor a = filledTensor("a", {rows, problems}), b = filledTensor("b", {columns, problems}),
                    border = filledTensor("border", {columns, problems});
  FloatTensor score = zeros(1, problems);
  for (std::size_t p = 0; p < problems; ++p) {
    std::vector<float> above(columns + 1, 0.0F);  // T(-1, j) at j + 1
    for (std::size_t j = 0; j < columns; ++j) above[j + 1] = std::max(above[j], at(border, j, p));
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<float> row(columns + 1, 0.0F);
      for (std::size_t j = 0; j < columns; ++j)
        row[j + 1] = std::max({row[j], above[j + 1], above[j] + at(a, i, p) * at(b, j, p)});
      above = row;
    }
    at(score, 0, p) = above[columns];
  }
  const Document document = built("wavefront", {{"N", rows}, {"M", columns}, {"Q", problems}});
  EXPECT_GT(*std::max_element(score.data.begin(), score.data.end()), 0.5F);
  expectEverywhere(document, "store", score);
}

/// Rows work at the same time: twice as many take hardly longer.
TEST(MoreWorkloads, WavefrontIsAPipeline) {
  const auto cycles = [](std::int64_t rows) {
    const Document document = built("wavefront", {{"N", rows}, {"M", 64}, {"Q", 512}});
    const auto result =
        evaluate(*testing_support::workloadOf(document), defaultKnobs(document), RecordMode::Count);
    return result ? result->point.metrics.cycles : 0;
  };
  EXPECT_GT(cycles(8), 1000u);
  EXPECT_LT(cycles(32), cycles(8) * 5 / 4);
}

// --- experts --------------------------------------------------------------------------------------------

FloatTensor denseExperts(const IntTensor& routing, const FloatTensor& x, std::size_t experts,
                         std::size_t inner) {
  return routedExperts(x, routing, filledTensor("weight_load", routing.shape), experts, inner);
}

const Sizes small_experts{{"B", 16}, {"D", 8}, {"E", 8}, {"F", 12}, {"K", 2}, {"f", 4}};

TEST(MoreWorkloads, SharedExpertsAreAddedToTheRoutedOnesUnderEverySchedule) {
  Sizes sizes = small_experts;
  sizes["S"] = 2;
  const Document document = built("deepseek_moe", sizes);
  const IntTensor routing = testing_support::workloadOf(document)->inputs.at("routing").tensor;
  const FloatTensor x = filledTensor("x_load", {16, 8});
  FloatTensor expected = denseExperts(routing, x, 8, 12);
  const FloatTensor shared = swiglu(x, filledTensor("shared_gate", {8, 24}),
                                    filledTensor("shared_up", {8, 24}), filledTensor("shared_down", {24, 8}));
  for (std::size_t i = 0; i < expected.data.size(); ++i) expected.data[i] += shared.data[i];
  expectEverywhere(document, "store", expected);
}

TEST(MoreWorkloads, ThreeOptimizationsAtOnceComputeTheSameLayer) {
  const Document document = built("parallel_moe", small_experts);
  const IntTensor routing = testing_support::workloadOf(document)->inputs.at("routing").tensor;
  EXPECT_EQ(designSpace(document).size(), 4u * 2 * 2 * 2);
  expectEverywhere(document, "store", denseExperts(routing, filledTensor("x_load", {16, 8}), 8, 12));
}

/// Each of the three moves the metrics that it is for.
TEST(MoreWorkloads, ThreeOptimizationsTradeTimeForMemory) {
  const auto workload = testing_support::workloadOf(
      built("parallel_moe", {{"B", 32}, {"D", 256}, {"E", 8}, {"F", 512}, {"K", 2}, {"compute", 16}}));
  const auto at = [&](std::int64_t copies, std::int64_t tiling, std::int64_t regions) {
    const auto result =
        evaluate(*workload, {{"copies", copies}, {"tile", 32}, {"tiling", tiling}, {"regions", regions}},
                 RecordMode::Count);
    EXPECT_TRUE(result && result->point.state == PointState::Done);
    return result ? result->point.metrics : Metrics{};
  };
  EXPECT_LT(at(4, 1, 8).cycles, at(1, 1, 8).cycles / 2) << "copies work side by side";
  EXPECT_GT(at(4, 1, 8).off_chip_bytes, at(1, 1, 8).off_chip_bytes) << "each loads weights";
  EXPECT_LT(at(1, 1, 8).flops, at(1, 0, 8).flops) << "dynamic tiles have no padding";
  EXPECT_LT(at(2, 1, 4).on_chip_bytes, at(2, 1, 8).on_chip_bytes) << "shared arithmetic holds fewer weights";
}

// --- attention ------------------------------------------------------------------------------------------

/// softmax(q k^T) v over the cached rows and the new one; the caches get the new rows.
void denseAttention(const std::vector<std::int64_t>& cached, std::size_t room, std::size_t heads,
                    std::size_t width, std::size_t leading, TensorSet& tensors) {
  const std::size_t requests = cached.size();
  for (const char* name : {"k", "v"}) {
    FloatTensor& cache = tensors[name + std::string("_cache")] =
        filledTensor(name + std::string("_cache"), {requests * room + leading, width});
    const FloatTensor rows = filledTensor(name + std::string("_new"), {requests, width});
    for (std::size_t b = 0; b < requests; ++b)
      for (std::size_t j = 0; j < width; ++j)
        at(cache, leading + b * room + static_cast<std::size_t>(cached[b]), j) = at(rows, b, j);
  }
  const FloatTensor q = filledTensor("q", {requests * heads, width});
  FloatTensor y = zeros(requests * heads, width);
  for (std::size_t i = 0; i < y.shape[0]; ++i) {
    const std::size_t request = i / heads, first = leading + request * room;
    std::vector<double> mixed(width, 0);
    double total = 0;
    for (std::size_t row = 0; row <= static_cast<std::size_t>(cached[request]); ++row) {
      double score = 0;
      for (std::size_t j = 0; j < width; ++j)
        score += double{at(q, i, j)} * at(tensors["k_cache"], first + row, j);
      total += std::exp(score);
      for (std::size_t j = 0; j < width; ++j)
        mixed[j] += std::exp(score) * at(tensors["v_cache"], first + row, j);
    }
    for (std::size_t j = 0; j < width; ++j) at(y, i, j) = static_cast<float>(mixed[j] / total);
  }
  tensors["y"] = y;
}

TEST(MoreWorkloads, AttentionEqualsTheDenseOneHoweverItIsParallelized) {
  Document document = built(
      "attention",
      {{"B", 16}, {"N", 32}, {"d", 8}, {"q", 2}, {"kv", 4}, {"block", 2}, {"compute", 64}, {"depth", 2}});
  const std::vector<std::int64_t> cached{5, 0, 31, 8, 1, 2, 3, 4, 17, 12, 30, 7, 16, 28, 27, 3};
  document.inputs = {lengths("lengths", cached)};
  TensorSet expected;
  denseAttention(cached, 32, 2, 8, 4, expected);
  Document plain = document;
  plain.schedule.clear();
  const DesignSpace space = designSpace(document);
  EXPECT_EQ(space.size(), 4u * 5);
  for (std::uint64_t i = 0; i <= space.size(); ++i) {
    const bool whole = i < space.size();
    SCOPED_TRACE(whole ? pointText(space.point(i)) : "without a schedule");
    const TensorSet tensors = whole ? stored(document, space.point(i)) : stored(plain);
    EXPECT_LT(maxRelativeError(tensors.at("y"), expected.at("y")), tolerance);
    EXPECT_EQ(tensors.at("k_cache"), expected.at("k_cache")) << "new keys belong behind the cached ones";
    EXPECT_EQ(tensors.at("v_cache"), expected.at("v_cache"));
  }
}

// --- parallelizing a region that gives something ----------------------------------------------------------

Stream between(const std::string& from, const std::string& to) {
  return {*parseEndpoint(from), *parseEndpoint(to), {}};
}

/// 12 requests of 3 tiles each; the region gives silu of the tiles (one group a request) and their sum (one
/// tile a request). `y` holds the groups, `z` the sums.
Document twoOutputs() {
  using testing_support::node;
  const auto numbers = [](std::vector<Value> values) { return Value(std::move(values)); };
  Document document;
  Region region;
  region.inputs = {"x"};
  region.outputs = {"groups", "sums"};
  region.body.nodes = {
      node("work", "Map", {{"compute_bw", 8}, {"function", "silu"}}),
      node("sum", "Accum", {{"compute_bw", 8}, {"function", "add"}, {"init", numbers({2, 4})}, {"rank", 1}})};
  region.body.streams = {between("region.x", "work.in"), between("work.out", "region.groups"),
                         between("work.out", "sum.in"), between("sum.out", "region.sums")};
  Node part = node("part", "Region", {});
  part.body = region;
  document.program.nodes = {
      node("load", "LinearOffChipLoad", {{"out_shape", numbers({12, 3})}, {"tile", numbers({2, 4})}}),
      node("x", "Flatten", {{"min", 1}, {"max", 2}}), part,
      node("store_groups", "LinearOffChipStore", {{"tensor", "y"}, {"tile", numbers({2, 4})}}),
      node("store_sums", "LinearOffChipStore", {{"tensor", "z"}, {"tile", numbers({2, 4})}})};
  document.program.streams = {between("load.out", "x.in"), between("x.out", "part.x"),
                              between("part.groups", "store_groups.in"),
                              between("part.sums", "store_sums.in")};
  return document;
}

TEST(MoreWorkloads, ParallelizedRegionsGiveTheirResultsInOrder) {
  const Document document = twoOutputs();
  const TensorSet plain = stored(document);
  const FloatTensor x = filledTensor("load", {24, 12});
  ASSERT_EQ(plain.at("z").data.size(), 24u * 4);
  EXPECT_NEAR(at(plain.at("z"), 3, 1), silu(at(x, 3, 1)) + silu(at(x, 3, 5)) + silu(at(x, 3, 9)), 1e-6);
  for (const char* method : {"coarse", "interleaved", "dynamic"}) {
    for (const int ways : {1, 2, 3, 4}) {
      SCOPED_TRACE(std::string(method) + ", " + std::to_string(ways) + " ways");
      Document parallel = document;
      parallel.schedule = {
          {"parallelize",
           {{"region", "part"}, {"method", method}, {"ways", ways}, {"block", 2}, {"signal", "work.out"}},
           true}};
      const TensorSet tensors = stored(parallel);
      EXPECT_EQ(tensors.at("y"), plain.at("y"));
      EXPECT_EQ(tensors.at("z"), plain.at("z"));
    }
  }
}

/// Behind the region the streams have the shapes that they had without copies.
TEST(MoreWorkloads, ParallelizedRegionsGiveStreamsOfTheSameRank) {
  for (const char* method : {"coarse", "interleaved", "dynamic"}) {
    Document document = twoOutputs();
    document.schedule = {
        {"parallelize",
         {{"region", "part"}, {"method", method}, {"ways", 2}, {"block", 3}, {"signal", "work.out"}},
         true}};
    const auto symbolic = evaluateSymbolic(*testing_support::workloadOf(document), {});
    ASSERT_TRUE(symbolic) << text(symbolic.diagnostics());
    for (const FlatOperator& op : symbolic->graph.operators) {
      if (op.spec->kind != "LinearOffChipStore") continue;
      EXPECT_EQ(symbolic->inference.streams[op.inputs[0]].shape.size(), op.name == "store_groups" ? 2u : 1u)
          << method << ", " << op.name;
    }
  }
}

/// Groups that differ in length come back whole and in order, too: the rows of every node leave the region,
/// and are summed behind it.
TEST(MoreWorkloads, ParallelizedRegionsGiveRaggedGroupsInOrder) {
  Document document = built("gnn", {{"N", 16}, {"E", 40}, {"D", 6}, {"H", 5}, {"block", 2}});
  Graph& program = document.program;
  Graph& inside = program.nodes[2].body->body;
  ASSERT_EQ(program.nodes[2].name, "aggregate");
  const auto sum = std::find_if(inside.nodes.begin(), inside.nodes.end(),
                                [](const Node& node) { return node.name == "sum"; });
  program.nodes.push_back(*sum);
  inside.nodes.erase(sum);
  std::erase_if(inside.streams, [](const Stream& s) { return s.from.node == "sum" || s.to.node == "sum"; });
  inside.streams.push_back(between("rows_load.out", "region.y"));
  std::erase_if(program.streams, [](const Stream& s) { return s.to.node == "update"; });
  program.streams.push_back(between("aggregate.y", "sum.in"));
  program.streams.push_back(between("sum.out", "update.x"));
  expectEverywhere(document, "store", denseGnn(*document.inputs[0].data, *document.inputs[1].data, 6, 5));
}

// --- sizes ------------------------------------------------------------------------------------------------

TEST(MoreWorkloads, SizesThatDoNotFitAreRefused) {
  struct Wrong {
    const char* workload;
    Sizes sizes;
    const char *place, *cause;
  };
  const Wrong wrong[] = {{"gnn", {{"block", 7}}, "size 'block'", "7 does not divide N = 256"},
                         {"gnn", {{"D", 0}}, "size 'D'", "below 1"},
                         {"moe", {{"E", 2}, {"K", 3}}, "size 'K'", "3 is more than E = 2"},
                         {"moe", {{"f", 60}}, "size 'f'", "does not divide F = 14336"},
                         {"attention", {{"kv", 48}}, "size 'kv'", "does not divide N"},
                         {"deepseek_moe", {{"K", 65}}, "size 'K'", "65 is more than E = 64"},
                         {"parallel_moe", {{"f", 0}}, "size 'f'", "below 1"},
                         {"swiglu", {{"B", 96}}, "size 'B'", "96 is no power of two"},
                         {"wavefront", {{"rows", 3}}, "wavefront", "no size 'rows'"}};
  for (const Wrong& each : wrong) {
    const Result<Document> document = buildWorkload(each.workload, "", each.sizes);
    ASSERT_FALSE(document) << each.cause;
    EXPECT_THAT(text(document.diagnostics().front().place), HasSubstr(each.place));
    EXPECT_THAT(document.diagnostics().front().cause, HasSubstr(each.cause));
    EXPECT_FALSE(document.diagnostics().front().fix.empty());
  }
}

/// Every workload, at its own sizes and at those of every published model, is a program without a finding.
TEST(MoreWorkloads, EveryModelIsAProgram) {
  for (const WorkloadBuilder* builder : registeredWorkloads()) {
    std::vector<std::string> models{""};
    for (const auto& [model, sizes] : builder->models) models.push_back(model);
    for (const std::string& model : models) {
      SCOPED_TRACE(builder->name + " " + model);
      const Result<Document> document = buildWorkload(builder->name, model);
      ASSERT_TRUE(document) << text(document.diagnostics());
      const Result<Document> read = parseDocument(writeDocument(*document), "written");
      ASSERT_TRUE(read) << text(read.diagnostics());
      EXPECT_TRUE(*read == *document);
      const auto symbolic =
          evaluateSymbolic(*testing_support::workloadOf(*document), defaultKnobs(*document));
      EXPECT_TRUE(symbolic) << (symbolic ? "" : text(symbolic.diagnostics()));
    }
  }
}

TEST(MoreWorkloads, TheSmallestSizesWork) {
  for (const WorkloadBuilder* builder : registeredWorkloads()) {
    Sizes sizes;
    for (const SizeSpec& spec : builder->sizes) sizes[spec.name] = spec.minimum;
    const Document document = built(builder->name, sizes);
    const auto workload = testing_support::workloadOf(document);
    const Result<PointResult> result = evaluate(*workload, defaultKnobs(document), RecordMode::Count);
    ASSERT_TRUE(result) << builder->name << ": " << text(result.diagnostics());
    EXPECT_EQ(result->point.state, PointState::Done) << builder->name << ": " << result->point.cause;
  }
}

/// The files of sample_workloads/ that `sluice-cli workload` writes.
TEST(MoreWorkloads, SampleFilesAreWhatTheBuildersWrite) {
  struct Sample {
    const char *file, *workload, *model;
    Sizes sizes;
  };
  const Sample samples[] = {{"attention_qwen", "attention", "qwen_b64", {}},
                            {"decoder_layer_mixtral", "decoder_layer", "mixtral_b64", {}},
                            {"deepseek_moe", "deepseek_moe", "v2_lite_b64", {{"B", 32}}},
                            {"gnn", "gnn", "", {}},
                            {"moe_three_ways", "parallel_moe", "phi35_moe_b64", {{"B", 32}}},
                            {"wavefront", "wavefront", "", {}}};
  for (const Sample& sample : samples) {
    SCOPED_TRACE(sample.file);
    const Result<Document> document = buildWorkload(sample.workload, sample.model, sample.sizes);
    ASSERT_TRUE(document) << text(document.diagnostics());
    const Result<std::string> bytes = readFile(std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads" /
                                               (sample.file + std::string(".sluice")));
    ASSERT_TRUE(bytes);
    EXPECT_EQ(*bytes, writeDocument(*document)) << "write it anew with sluice-cli workload";
    const auto result =
        evaluate(*testing_support::workloadOf(*document), defaultKnobs(*document), RecordMode::Count);
    ASSERT_TRUE(result) << text(result.diagnostics());
    EXPECT_EQ(result->point.state, PointState::Done) << result->point.cause;
  }
}

/// No single optimization wins everywhere: the frontier has points that differ in each knob.
TEST(MoreWorkloads, TheFrontierOfThreeOptimizationsNeedsThemAll) {
  const auto workload = testing_support::sampleWorkload(std::filesystem::path(SLUICE_SOURCE_DIR) /
                                                        "sample_workloads" / "moe_three_ways.sluice");
  const Result<Exploration> result = explore(*workload, *makeExecutor(2), {});
  ASSERT_TRUE(result) << text(result.diagnostics());
  std::map<std::string, std::set<std::int64_t>> values;
  for (const std::size_t i : result->frontier)
    for (const auto& [knob, value] : result->points[i].knobs) values[knob].insert(value);
  EXPECT_GE(result->frontier.size(), 4u);
  EXPECT_GE(values["copies"].size(), 2u);
  EXPECT_GE(values["regions"].size(), 3u);
  EXPECT_EQ(values["tiling"], (std::set<std::int64_t>{1})) << "dynamic tiles win";
}

}  // namespace sluice::more_workloads_test
