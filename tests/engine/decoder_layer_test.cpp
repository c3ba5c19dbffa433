// The decoder layer in one graph computes what plain loops over dense tensors compute, under every schedule,
// and its memory, compute and speed-ups are those of Figure 17 as far as they are known.

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/explorer/explore.h"
#include "engine/figures/figure.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/schedule.h"
#include "engine/workloads/workload_builder.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/functional_graphs.h"

namespace sluice::decoder_layer_test {

using functional_test::at;
using functional_test::product;
using functional_test::routedExperts;
using functional_test::zeros;

constexpr double tolerance = 1e-5;

Document built(const std::string& name, const std::string& model, const Sizes& sizes = {}) {
  Result<Document> document = buildWorkload(name, model, sizes);
  if (!document) throw std::runtime_error(text(document.diagnostics()));
  return *std::move(document);
}

TensorSet stored(const Document& document, const KnobValues& knobs) {
  const auto workload = testing_support::workloadOf(document);
  const Result<ScheduledProgram> scheduled = applySchedule(workload->document, workload->inputs, knobs);
  if (!scheduled) throw std::runtime_error(text(scheduled.diagnostics()));
  const Result<FlatGraph> graph = elaborate(scheduled->document, knobs, builtInCatalog());
  if (!graph) throw std::runtime_error(text(graph.diagnostics()));
  const Result<TensorSet> tensors = compute(*graph, scheduled->inputs);
  if (!tensors) throw std::runtime_error(text(tensors.diagnostics()));
  return *tensors;
}

std::string pointText(const KnobValues& knobs) {
  std::string text;
  for (const auto& [name, value] : knobs) text += name + "=" + std::to_string(value) + " ";
  return text;
}

// --- the dense layer ------------------------------------------------------------------------------------

struct Shape {
  std::size_t batch = 8, heads = 2, queries = 2, width = 4, room = 16, tile = 4, experts = 8, inner = 12;
  std::size_t hidden() const { return heads * queries * width; }
  Sizes sizes() const {
    const auto number = [](std::size_t value) { return static_cast<std::int64_t>(value); };
    return {{"B", number(batch)},
            {"H", number(heads)},
            {"q", number(queries)},
            {"d", number(width)},
            {"N", number(room)},
            {"kv", number(tile)},
            {"E", number(experts)},
            {"F", number(inner)},
            {"f", 4},
            {"K", 2},
            {"q_cols", 4},
            {"kv_cols", 2},
            {"compute", 64},
            {"compute_q", 64},
            {"compute_attention", 64},
            {"compute_kv", 64}};
  }
};

struct Projected {
  FloatTensor q, k, v;
};

Projected project(const FloatTensor& x, const Shape& shape) {
  const std::size_t hidden = shape.hidden(), narrow = shape.heads * shape.width;
  return {product(x, filledTensor("w_q", {hidden, hidden})),
          product(x, filledTensor("w_k", {hidden, narrow})),
          product(x, filledTensor("w_v", {hidden, narrow}))};
}

/// softmax(q k^T) v of every head over the cached rows and the new one.
FloatTensor attend(const Projected& rows, const IntTensor& lengths, const Shape& shape) {
  const std::vector<std::size_t> size{shape.batch * shape.heads * shape.room + shape.tile, shape.width};
  const FloatTensor keys = filledTensor("k_cache", size), values = filledTensor("v_cache", size);
  FloatTensor y = zeros(shape.batch, shape.hidden());
  for (std::size_t b = 0; b < shape.batch; ++b) {
    const auto length = static_cast<std::size_t>(lengths.data[b]);
    for (std::size_t query = 0; query < shape.heads * shape.queries; ++query) {
      const std::size_t head = query / shape.queries, column = query * shape.width;
      const std::size_t first = shape.tile + (b * shape.heads + head) * shape.room;
      std::vector<double> mixed(shape.width, 0);
      double total = 0;
      for (std::size_t row = 0; row <= length; ++row) {
        const auto cell = [&](const FloatTensor& cache, const FloatTensor& fresh, std::size_t j) {
          return double{row < length ? at(cache, first + row, j) : at(fresh, b, head * shape.width + j)};
        };
        double score = 0;
        for (std::size_t j = 0; j < shape.width; ++j)
          score += at(rows.q, b, column + j) * cell(keys, rows.k, j);
        total += std::exp(score);
        for (std::size_t j = 0; j < shape.width; ++j) mixed[j] += std::exp(score) * cell(values, rows.v, j);
      }
      for (std::size_t j = 0; j < shape.width; ++j)
        at(y, b, column + j) = static_cast<float>(mixed[j] / total);
    }
  }
  return y;
}

/// What is stored at every `step`-th point of the design space.
void expectEverywhere(const Document& document, const FloatTensor& expected, std::uint64_t step = 1) {
  const DesignSpace space = designSpace(document);
  EXPECT_GT(space.size() / step, 8u);
  for (std::uint64_t i = 0; i < space.size(); i += step) {
    SCOPED_TRACE(pointText(space.point(i)));
    EXPECT_LT(maxRelativeError(stored(document, space.point(i)).at("store"), expected), tolerance);
  }
}

/// `layer`: what its own tensors' names begin with.
FloatTensor denseLayer(const FloatTensor& x, const Workload& workload, const Shape& shape,
                       const std::string& layer = "") {
  const IntTensor &lengths = workload.inputs.at("lengths").tensor,
                  &routing = workload.inputs.at("routing").tensor;
  const FloatTensor weights = filledTensor(layer + "weight_load", {shape.batch, routing.shape[1]});
  return routedExperts(attend(project(x, shape), lengths, shape), routing, weights, shape.experts,
                       shape.inner);
}

TEST(DecoderLayer, ProjectionsAreThreeProductsUnderEverySchedule) {
  const Shape shape;
  const Document document = built("qkv", "",
                                  {{"B", 8},
                                   {"H", 2},
                                   {"q", 2},
                                   {"d", 4},
                                   {"q_cols", 4},
                                   {"kv_cols", 2},
                                   {"compute_q", 64},
                                   {"compute_kv", 64}});
  const Projected expected = project(filledTensor("x_load", {8, 16}), shape);
  const DesignSpace space = designSpace(document);
  EXPECT_EQ(space.size(), 4u * 4);
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    SCOPED_TRACE(pointText(space.point(i)));
    const TensorSet tensors = stored(document, space.point(i));
    EXPECT_LT(maxRelativeError(tensors.at("q"), expected.q), tolerance);
    EXPECT_LT(maxRelativeError(tensors.at("k"), expected.k), tolerance);
    EXPECT_LT(maxRelativeError(tensors.at("v"), expected.v), tolerance);
  }
}

TEST(DecoderLayer, EqualsTheDenseLayerUnderEverySchedule) {
  const Shape shape;
  const Document document = built("decoder_layer", "", shape.sizes());
  const auto workload = testing_support::workloadOf(document);
  const FloatTensor x = filledTensor("x_load", {shape.batch, shape.hidden()});
  expectEverywhere(document, denseLayer(x, *workload, shape), 3);
}

TEST(DecoderLayer, OneHeadAndManyRequestsCompute) {
  Shape shape;
  shape.batch = 12;
  shape.heads = 1;
  shape.queries = 3;
  const Document document = built("decoder_layer", "", [&] {
    Sizes sizes = shape.sizes();
    sizes["q_cols"] = 6;
    return sizes;
  }());
  const auto workload = testing_support::workloadOf(document);
  const FloatTensor x = filledTensor("x_load", {shape.batch, shape.hidden()});
  expectEverywhere(document, denseLayer(x, *workload, shape), 31);
}

/// In functional mode all layers have the same matrices and caches.
TEST(DecoderLayer, LayersInSequenceEqualTheDenseOnes) {
  const Shape shape;
  Sizes sizes = shape.sizes();
  sizes["L"] = 3;
  const Document document = built("whole_model", "", sizes);
  const auto workload = testing_support::workloadOf(document);
  FloatTensor x = filledTensor("x_load", {shape.batch, shape.hidden()});
  for (int layer = 0; layer < 3; ++layer)
    x = denseLayer(x, *workload, shape, "layer[" + std::to_string(layer) + "].");
  expectEverywhere(document, x, 37);
}

TEST(DecoderLayer, StepsThatCannotBeAreRefused) {
  const auto causeOf = [](const Document& document, const KnobValues& set) {
    KnobValues knobs = defaultKnobs(document);
    for (const auto& [name, value] : set) knobs.at(name) = value;
    const auto workload = testing_support::workloadOf(document);
    const Result<ScheduledProgram> scheduled = applySchedule(workload->document, workload->inputs, knobs);
    return scheduled ? std::string() : text(scheduled.diagnostics());
  };
  Sizes sizes = Shape().sizes();
  sizes["q_cols"] = 5;
  EXPECT_NE(causeOf(built("decoder_layer", "", sizes), {}).find("5 does not divide"), std::string::npos);
  Document document = built("decoder_layer", "", Shape().sizes());
  EXPECT_EQ(causeOf(document, {{"method", 1}}), "");
  for (ScheduleStep& step : document.schedule)
    if (step.arguments.contains("signal")) step.arguments["signal"] = "joined.out";
  EXPECT_EQ(causeOf(document, {{"method", 0}}), "");
  EXPECT_NE(causeOf(document, {{"method", 1}}).find("does not carry one group of tiles"), std::string::npos);
}

// --- Figure 17 ------------------------------------------------------------------------------------------

Metrics metricsOf(const Document& document, const KnobValues& set) {
  KnobValues knobs = defaultKnobs(document);
  for (const auto& [name, value] : set) knobs.at(name) = value;
  const Result<PointResult> result =
      evaluate(*testing_support::workloadOf(document), knobs, RecordMode::Count);
  if (!result) throw std::runtime_error(text(result.diagnostics()));
  EXPECT_EQ(result->point.state, PointState::Done) << result->point.cause;
  return result->point.metrics;
}

/// The experts' part of the memory is the experts' alone; the rest does not depend on their schedule, and
/// dynamic parallelization adds one signal of 8 bytes to each of the four copies.
TEST(DecoderLayer, MemoryIsThatOfItsParts) {
  const Document experts = built("moe", "mixtral_b64"), layer = built("decoder_layer", "mixtral_b64");
  const auto rest = [&](std::int64_t tiling, std::int64_t tile, std::int64_t method) {
    return metricsOf(layer, {{"tiling", tiling}, {"tile", tile}, {"method", method}}).on_chip_bytes -
           metricsOf(experts, {{"tiling", tiling}, {"tile", tile}}).on_chip_bytes;
  };
  EXPECT_EQ(rest(0, 16, 0), 6049792u);  // published: 6 123 826
  EXPECT_EQ(rest(0, 32, 0), 6049792u);
  EXPECT_EQ(rest(1, 16, 0), 6049792u);
  EXPECT_EQ(rest(1, 16, 1), 6049792u + 32u);
}

/// Experts that share dynamic tiles hold what the largest of a region needs: packed tiles of all experts, and
/// in every region a repeated tile, an accumulator and three weight tiles (engine/workloads/README.md 1.4).
TEST(DecoderLayer, SharedDynamicTilesHoldTheLargest) {
  const Document document = built("moe", "qwen_b64", {{"compute", 1024}, {"f", 48}});
  const std::vector<std::int64_t>& counts = document.inputs.front().counts;
  ASSERT_EQ(counts.size(), 128u);
  constexpr std::int64_t row = 2048 * 4, weights = 3 * 2048 * 48 * 2, base = 10 * 2048 + 2;
  for (const std::int64_t regions : {64, 32, 16, 8, 4}) {
    std::int64_t rows = 0;
    for (std::int64_t first = 0, each = 128 / regions; first < 128; first += each)
      rows += 2 * *std::max_element(counts.begin() + first, counts.begin() + first + each);
    for (const std::int64_t count : counts) rows += count;
    EXPECT_EQ(metricsOf(document, {{"tiling", 1}, {"regions", regions}}).on_chip_bytes,
              static_cast<std::uint64_t>(rows * row + regions * weights + base))
        << regions;
  }
}

FigureResult figure17(unsigned threads) {
  const auto executor = makeExecutor(threads);
  FigureRequest request;
  request.executor = executor.get();
  const Result<FigureResult> figure = reproduceFigure("fig17", request);
  if (!figure) throw std::runtime_error(text(figure.diagnostics()));
  return *figure;
}

/// With two threads, run once.
const FigureResult& figure17() {
  static const FigureResult figure = figure17(2);
  return figure;
}

TEST(DecoderLayer, Figure17) {
  const FigureResult& figure = figure17();
  EXPECT_EQ(figure.charts.size(), 3u);
  std::map<std::string, double> ours;
  for (const FigurePoint& point : figure.points) {
    if (point.series != "mixtral" && point.series != "qwen") continue;  // other assumptions
    SCOPED_TRACE(point.series + ", " + point.point + ", " + point.metric);
    ours[point.series + " " + point.point + " " + point.metric] = point.ours;
    ASSERT_TRUE(point.ratio());
    const double allowed = point.metric == "speed_up"            ? 0.08
                           : point.metric == "on_chip_mebibytes" ? 0.004
                                                                 : 1e-9;
    EXPECT_NEAR(*point.ratio(), 1, allowed);
  }
  EXPECT_EQ(ours.size(), 2u * 3 * 3);
  for (const std::string model : {"mixtral ", "qwen "}) {
    EXPECT_GT(ours[model + "performance-matched speed_up"], 1.08);
    EXPECT_GT(ours[model + "dynamic speed_up"], ours[model + "performance-matched speed_up"]);
  }
  EXPECT_DOUBLE_EQ(ours["mixtral performance-matched on_chip_mebibytes"],
                   ours["mixtral memory-matched on_chip_mebibytes"] + 6);
  EXPECT_DOUBLE_EQ(ours["qwen performance-matched on_chip_mebibytes"],
                   ours["qwen memory-matched on_chip_mebibytes"] + 168);
}

/// Every assumption was run for every bar, and the one that a bar is decided by is the nearest of them.
TEST(DecoderLayer, Figure17NamesTheAssumptionThatDecides) {
  const FigureResult& figure = figure17();
  std::map<std::string, std::map<std::string, const FigurePoint*>> bars;  // of each, by series
  for (const FigurePoint& point : figure.points)
    bars[point.series.substr(0, point.series.find(',')) + ", " + point.point + ", " + point.metric]
        [point.series] = &point;
  EXPECT_EQ(bars.size(), 2u * 3 * 3);
  const auto distance = [](double ours, double published) { return std::abs(ours / published - 1); };
  int decided = 0;
  for (const auto& [bar, points] : bars) {
    SCOPED_TRACE(bar);
    EXPECT_GE(points.size(), 10u);
    const std::string model = bar.substr(0, bar.find(','));
    const FigurePoint& own = *points.at(model);
    double least = distance(own.ours, *own.published);
    const FigureClaim* claim = nullptr;
    for (const FigureClaim& each : figure.claims)
      if (each.claim.starts_with(bar + ": decided by ")) claim = &each;
    EXPECT_TRUE(claim == nullptr || least > 0.001) << "a bar that is met needs no assumption";
    for (const auto& [series, point] : points)
      least = std::min(least, distance(point->ours, *point->published));
    if (!claim) {
      EXPECT_TRUE(distance(own.ours, *own.published) <= 0.001 || least == distance(own.ours, *own.published));
      continue;
    }
    ++decided;
    const std::string name = claim->claim.substr(bar.size() + std::string(": decided by ").size());
    ASSERT_TRUE(points.contains(model + ", " + name)) << name;
    EXPECT_EQ(claim->ours, points.at(model + ", " + name)->ours);
    EXPECT_EQ(distance(claim->ours, *claim->published), least);
  }
  EXPECT_GE(decided, 4);
}

/// Where the parts run one after the other, the layer takes as long as the three workloads together.
TEST(DecoderLayer, Figure17AddsTheParts) {
  const FigureResult& figure = figure17();
  const auto speedUp = [&](const std::string& series) {
    for (const FigurePoint& point : figure.points)
      if (point.series == series && point.point == "performance-matched" && point.metric == "speed_up")
        return point.ours;
    return 0.0;
  };
  Document experts = built("moe", "mixtral_b64", {{"compute", 1024}});
  experts.inputs.front().counts = {13, 10, 17, 14, 17, 10, 24, 23};  // of the published routing
  const double slow = static_cast<double>(metricsOf(experts, {{"tiling", 0}, {"tile", 16}}).cycles);
  const double fast = static_cast<double>(metricsOf(experts, {{"tiling", 0}, {"tile", 32}}).cycles);
  const double parts = speedUp("mixtral, projections, attention and experts one after the other");
  // What the tile does not touch dilutes the gain of the experts alone.
  EXPECT_GT(parts, 1);
  EXPECT_LT(parts, slow / fast);
}

TEST(DecoderLayer, Figure17IsTheSameOnEveryNumberOfThreads) {
  EXPECT_EQ(figureCsv(figure17()), figureCsv(figure17(1)));
}

}  // namespace sluice::decoder_layer_test
