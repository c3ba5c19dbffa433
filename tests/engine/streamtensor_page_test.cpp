// The page "streamtensor": every published number is there, ours is what the notes say, and the prediction
// behaves as a prediction must.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/figures/figure.h"
#include "engine/figures/published.h"
#include "engine/figures/streamtensor_prediction.h"
#include "tests/engine/support/command_line.h"

namespace sluice::streamtensor_page_test {

using namespace figures;
using testing::HasSubstr;

const FigureResult& page() {
  static const FigureResult result = [] {
    const std::unique_ptr<Executor> executor = makeExecutor(2);
    FigureRequest request;
    request.executor = executor.get();
    Result<FigureResult> figure = reproduceFigure("streamtensor", request);
    if (!figure) throw std::runtime_error(text(figure.diagnostics()));
    return *std::move(figure);
  }();
  return result;
}

std::vector<FigurePoint> pointsOf(const std::string& series, const std::string& metric) {
  std::vector<FigurePoint> found;
  for (const FigurePoint& point : page().points)
    if (point.series == series && point.metric == metric) found.push_back(point);
  return found;
}

double claim(const std::string& part) {
  for (const FigureClaim& each : page().claims)
    if (each.claim.find(part) != std::string::npos) return each.ours;
  ADD_FAILURE() << "no claim has '" << part << "'";
  return 0;
}

void expectRatios(const std::string& series, const std::string& metric, double least, double most) {
  const std::vector<FigurePoint> points = pointsOf(series, metric);
  ASSERT_EQ(points.size(), 4u) << series;
  for (const FigurePoint& point : points) {
    EXPECT_GE(*point.ratio(), least) << series << ", " << point.point << ", " << metric;
    EXPECT_LE(*point.ratio(), most) << series << ", " << point.point << ", " << metric;
  }
}

TEST(StreamTensorPage, HasTheWholeTable) {
  double sum = 0;
  for (const char* system : {"StreamTensor", "Allo (U280)", "DFX (U280)", "A100", "2080Ti"}) {
    for (const char* metric : {"latency_ms", "ttft_ms", "tokens_per_second"}) {
      const std::vector<FigurePoint> points = pointsOf(system, metric);
      ASSERT_EQ(points.size(), 4u);
      for (const FigurePoint& point : points) {
        ASSERT_TRUE(point.published);
        sum += *point.published;
        // Ours is one prediction, beside every system.
        EXPECT_EQ(point.ours,
                  pointsOf("StreamTensor", metric)[static_cast<std::size_t>(&point - points.data())].ours);
      }
    }
  }
  EXPECT_NEAR(sum, 29059.04 + 4488.55 + 3078.89, 0.001);  // of latencies, first tokens and speeds
  EXPECT_EQ(claim("of 20"), 20);
}

/// Every published number is beside ours once.
TEST(StreamTensorPage, PublishedNumbersAreTheTables) {
  for (const PublishedRow& row : publishedTable("gpt2_latency")) {
    const std::string point = row.text("tokens") + ":" + row.text("tokens");
    for (const char* metric : {"latency_ms", "ttft_ms", "tokens_per_second"}) {
      std::vector<double> found;
      for (const FigurePoint& each : pointsOf(row.text("system"), metric))
        if (each.point == point) found.push_back(each.published.value());
      EXPECT_THAT(found, testing::ElementsAre(row.number(metric))) << row.text("system") << " " << point;
    }
  }
}

/// The command line writes the page: table, CSV, and with --json one object that says the same.
TEST(StreamTensorPage, FromTheCommandLine) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "streamtensor_page";
  std::filesystem::remove_all(folder);
  const testing_support::Outcome outcome =
      testing_support::runCommandLine("reproduce streamtensor --json --out '" + folder.string() + "'");
  EXPECT_EQ(outcome.status, 0);
  const nlohmann::json object = outcome.object();
  ASSERT_TRUE(object.is_object());
  EXPECT_EQ(object["points"].size(), page().points.size());
  EXPECT_EQ(object["notes"].size(), page().notes.size());
  EXPECT_EQ(object["points"][0]["ours"], page().points[0].ours);
  std::ifstream csv(folder / "streamtensor.csv", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(csv), {}), figureCsv(page()));
  EXPECT_TRUE(std::filesystem::exists(folder / "streamtensor.txt"));
  std::filesystem::remove_all(folder);
}

/// The differences that the notes state.
TEST(StreamTensorPage, DiffersAsItSays) {
  expectRatios("StreamTensor", "ttft_ms", 0.27, 0.38);
  expectRatios("StreamTensor", "tokens_per_second", 1.0, 1.25);
  expectRatios("unroll size 4096", "ttft_ms", 0.63, 1.08);
  expectRatios("unroll size 2048", "ttft_ms", 1.25, 2.1);
  expectRatios("1 requests a cycle and transfer", "tokens_per_second", 0.46, 0.64);
  expectRatios("bound of the U55C", "tokens_per_second", 11.5, 15.5);
  for (const FigurePoint& point : pointsOf("products per cycle", "prompt")) {
    EXPECT_GE(*point.published, 1100);
    EXPECT_LE(*point.published, 1300);
    EXPECT_GE(*point.ratio(), 9);
  }
}

/// More products at once are faster; what the card holds, on its dies and with its banks, is the fastest.
TEST(StreamTensorPage, MoreProductsAreFaster) {
  for (std::size_t at = 0; at < 4; ++at) {
    double slower = std::numeric_limits<double>::infinity();
    for (const char* size : {"1024", "2048", "4096", "8192"}) {
      const double own = pointsOf(std::string("unroll size ") + size, "ttft_ms")[at].ours;
      EXPECT_LT(own, slower) << size;
      slower = own;
    }
    EXPECT_LT(pointsOf("StreamTensor", "ttft_ms")[at].ours, slower);
  }
}

/// Nothing that is predicted beats the bound, and the chip is never fuller than it may be.
TEST(StreamTensorPage, StaysWithinTheCard) {
  for (const char* metric : {"latency_ms", "ttft_ms"})
    for (std::size_t at = 0; at < 4; ++at)
      EXPECT_GT(pointsOf("StreamTensor", metric)[at].ours, pointsOf("bound of the U55C", metric)[at].ours);
  std::size_t parts = 0;
  for (const FigurePoint& point : page().points) {
    if (!point.series.starts_with("part of the U55C")) continue;
    ++parts;
    EXPECT_LE(point.ours, 0.8);
    EXPECT_GE(point.ours, 0);
  }
  EXPECT_EQ(parts, 2u * 4 * 4);
}

TEST(StreamTensorPage, HidaAndMemory) {
  EXPECT_EQ(claim("unroll factors, of 12"), 12);
  EXPECT_EQ(claim("partition, of 12"), 10);
  std::set<std::string> differing;
  for (const FigurePoint& point : page().points)
    if (point.series.starts_with("HIDA") && point.ours != *point.published)
      differing.insert(point.series + " " + point.point);
  EXPECT_THAT(differing, testing::ElementsAre("HIDA ia B", "HIDA naive B"));
  EXPECT_NEAR(claim("least of four"), 0.136, 0.001);
  EXPECT_NEAR(claim("most of four"), 0.33, 0.001);
}

/// A slot of the direct FIFO is taken for eight cycles, and that is the depth that sizing gives.
TEST(StreamTensorPage, DepthSweep) {
  const std::vector<FigurePoint> rates = pointsOf("depth sweep, pipelines drain", "cycles_per_token");
  ASSERT_EQ(rates.size(), 10u);
  for (std::size_t at = 0; at < rates.size(); ++at) {
    const double depth = static_cast<double>(at + 1);
    EXPECT_NEAR(rates[at].ours, std::max(1.0, 8 / depth), 0.01) << rates[at].point;
    EXPECT_TRUE(!rates[at].published || *rates[at].published <= rates[at].ours);
  }
  EXPECT_EQ(pointsOf("depth sweep, the second stands still without input", "cycles_per_token").size(), 5u);
  EXPECT_EQ(claim("pipelines drain: least depth at full rate"), 8);
  EXPECT_EQ(claim("still without input: least depth that does not deadlock"), 6);
  EXPECT_EQ(claim("depth by the linear program"), 8);
}

TEST(StreamTensorPage, SaysWhatIsMeasuredAndWhatIsPredicted) {
  std::string notes;
  for (const std::string& note : page().notes) notes += note + "\n";
  EXPECT_THAT(notes, HasSubstr("'published' is measured"));
  EXPECT_THAT(notes, HasSubstr("predicted, never measured"));
  EXPECT_THAT(notes, HasSubstr("B in ia and B in naive differ"));
  EXPECT_THAT(notes, testing::Not(HasSubstr("hbm_controller_wait")));
  EXPECT_EQ(page().charts.size(), 6u);
  EXPECT_THAT(figureCsv(page()), HasSubstr("point,StreamTensor,32:32,ttft_ms,34.59,"));
}

TEST(StreamTensorPage, CanBeCancelled) {
  const std::unique_ptr<Executor> executor = makeExecutor(1);
  std::stop_source source;
  source.request_stop();
  FigureRequest request;
  request.executor = executor.get();
  request.stop = source.get_token();
  const Result<FigureResult> figure = reproduceFigure("streamtensor", request);
  ASSERT_FALSE(figure);
  EXPECT_THAT(text(figure.diagnostics()), HasSubstr("cancelled"));
}

/// More multipliers never make a block slower, nor does a faster memory; longer prompts do.
TEST(BlockPrediction, IsMonotone) {
  const Platform u55c = *platformNamed("u55c");
  Platform wide = u55c;
  wide.memory.channels *= 2;
  wide.memory.gigabytes_per_second *= 2;
  double shorter_prompt = 0;
  for (const std::int64_t tokens : {16, 64}) {
    double before = 1e18;
    for (const std::int64_t unroll : {256, 1024, 8192}) {
      const BlockChoices choices{unroll, 1, Equalisation::Conservative};
      const auto cycles = [&](const Platform& platform) {
        const Result<CompiledDesign> block =
            compiledBlock(gpt2Medium(), promptPhase(tokens), platform, choices);
        EXPECT_TRUE(block) << text(block.diagnostics());
        return *simulatedCycles(*block, platform, 1, {});
      };
      const double own = cycles(u55c);
      EXPECT_LE(own, before);
      EXPECT_LE(cycles(wide), own * 1.001);
      before = own;
    }
    EXPECT_GT(before, shorter_prompt) << tokens << " tokens";
    shorter_prompt = before;
  }
}

/// What the dies hold is used: an eighth more than the placed block's unroll size is refused, or is more than
/// the DSPs give.
TEST(BlockPrediction, UnrollsAsFarAsTheDiesHold) {
  const Platform u55c = *platformNamed("u55c");
  const Result<PlacedBlock> placed = placedBlock(gpt2Medium(), promptPhase(64), u55c, 4);
  ASSERT_TRUE(placed) << text(placed.diagnostics());
  const std::int64_t all = 9024 * 2 * 8 / 10;
  EXPECT_EQ(placed->choices.unroll, all * 7 / 8);
  EXPECT_EQ(placed->choices.equalisation, Equalisation::Conservative);
  std::int64_t dsps = 0;
  for (const Resources& die : placed->placed.groups.front().dies.used) {
    EXPECT_LE(die[Resource::Dsp], 3008 * 8 / 10);
    dsps += die[Resource::Dsp];
  }
  EXPECT_GT(dsps, all / 2 * 7 / 8 - 200);
}

/// The bound counts the block's products and bytes: 12 d^2 products a token in the matrices, and attention.
TEST(BlockBound, OfGpt2) {
  const TransformerModel model = gpt2Medium();
  const TensorProgram block = *transformerBlock(model, promptPhase(64), *quantisationNamed("W4A8"));
  const Platform u55c = *platformNamed("u55c");
  const ProgramBound bound = boundOf(block, u55c);
  EXPECT_EQ(bound.products, 64 * 12 * 1024 * 1024 + 2 * 64 * 64 * 1024);
  EXPECT_NEAR(bound.compute_cycles, static_cast<double>(bound.products) / (9024 * .8 * 2), 1);
  const double weights = 12 * 1024 * 1024 / 2.0;
  EXPECT_GT(static_cast<double>(bound.external_bytes), weights);
  EXPECT_LT(static_cast<double>(bound.external_bytes), 1.1 * weights);
  EXPECT_DOUBLE_EQ(bound.cycles(), std::max(bound.compute_cycles, bound.memory_cycles));
}

}  // namespace sluice::streamtensor_page_test
