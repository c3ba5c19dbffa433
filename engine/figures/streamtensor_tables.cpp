// Memory of one block's intermediates (StreamTensor, figure 10a) and HIDA's table of unroll factors and
// partitions.

#include <algorithm>
#include <array>

#include "engine/figures/streamtensor.h"
#include "engine/tensor/fusion/program_fusion.h"
#include "engine/tensor/loop_nests/array_partition.h"
#include "engine/tensor/loop_nests/loop_nest_file.h"
#include "engine/tensor/loop_nests/parallelization.h"
#include "engine/tensor/programs/llm_blocks.h"

namespace sluice::inline figures {
namespace {

constexpr std::int64_t tile = 16;
constexpr std::array<std::int64_t, 3> prompts{64, 128, 256};

/// The part of a block's intermediates that stays on chip as converters.
Result<double> keptShare(const TransformerModel& model, std::int64_t tokens) {
  SLUICE_TRY(const Quantisation widths, quantisationNamed("W4A8"));
  SLUICE_TRY(const TensorProgram block, transformerBlock(model, promptPhase(tokens), widths));
  SLUICE_TRY(const IntermediateMemory memory, intermediateMemory(block, tile));
  return static_cast<double>(memory.converter_bytes) / static_cast<double>(memory.unfused_bytes);
}

/// HIDA's listing: A is written by Node0, B by Node1, Node2 multiplies every second row of A by B.
constexpr const char* hida_listing = R"({
  "arrays": [{"name": "A", "shape": [32, 16]}, {"name": "B", "shape": [16, 16]},
             {"name": "C", "shape": [16, 16]}],
  "nests": [
    {"name": "Node0", "loops": [{"name": "i", "extent": 32}, {"name": "k", "extent": 16}],
     "accesses": [{"array": "A", "index": ["i", "k"], "write": true}]},
    {"name": "Node1", "loops": [{"name": "k", "extent": 16}, {"name": "j", "extent": 16}],
     "accesses": [{"array": "B", "index": ["k", "j"], "write": true}]},
    {"name": "Node2",
     "loops": [{"name": "i", "extent": 16}, {"name": "j", "extent": 16},
               {"name": "k", "extent": 16, "kind": "reduction"}],
     "accesses": [{"array": "A", "index": ["2*i", "k"]}, {"array": "B", "index": ["k", "j"]},
                  {"array": "C", "index": ["i", "j"]}, {"array": "C", "index": ["i", "j"], "write": true}]}]})";

using Factors = std::vector<std::int64_t>;

/// One point a factor; true if all agree.
bool addFactors(Report& report, const std::string& series, const std::string& point,
                const std::string& metric, const Factors& published, const Factors& ours) {
  for (std::size_t at = 0; at < published.size(); ++at)
    report.point(series, point, metric + " " + std::to_string(at), static_cast<double>(published[at]),
                 static_cast<double>(ours[at]));
  return published == ours;
}

std::int64_t product(const Factors& factors) {
  std::int64_t all = 1;
  for (const std::int64_t factor : factors) all *= factor;
  return all;
}

/// What HIDA's table looks like with ours beside it.
struct HidaMatch {
  int unroll = 0, partitions = 0;
  std::string differing;
};

Result<Done> addHidaMode(Report& report, const LoopProgram& program, ParallelizationMode mode,
                         HidaMatch& match) {
  SLUICE_TRY(const Parallelization decided, parallelize(program, {mode, 32, UnrollFactors::PowersOfTwo}));
  const PublishedTable unrolled = publishedTable("hida_unroll");
  const PublishedTable partitioned = publishedTable("hida_partition");
  const std::string series = "HIDA " + text(mode);
  std::vector<Factors> unroll;
  for (std::size_t nest = 0; nest < program.nests.size(); ++nest) {
    const std::string& name = program.nests[nest].name;
    unroll.push_back(decided.nests[nest].unroll);
    const PublishedRow& row = rowWith(unrolled, {{"mode", text(mode)}, {"node", name}});
    match.unroll += addFactors(report, series, name, "unroll of loop", row.integers("factors"), unroll[nest]);
  }
  const std::vector<ArrayPartition> partitions = partitionArrays(program, unroll);
  for (std::size_t array = 0; array < program.arrays.size(); ++array) {
    Factors factors;
    for (const DimensionPartition& dimension : partitions[array].dimensions)
      factors.push_back(dimension.factor);
    const std::string& name = program.arrays[array].name;
    const Factors published =
        rowWith(partitioned, {{"mode", text(mode)}, {"array", name}}).integers("factors");
    const bool same = addFactors(report, series, name, "banks along", published, factors);
    report.point(series, name, "banks", static_cast<double>(product(published)),
                 static_cast<double>(partitions[array].banks()));
    match.partitions += same;
    if (!same) match.differing += (match.differing.empty() ? "" : " and ") + name + " in " + text(mode);
  }
  return Done{};
}

}  // namespace

Result<Done> addMemoryReduction(FigureResult& figure) {
  Report report(figure);
  FigureChart chart{.name = "streamtensor_memory",
                    .title = "Intermediates of one fused block",
                    .x_label = "Tokens of the prompt",
                    .y_label = "Part that stays on chip",
                    .log_x = true};
  double least = 1, most = 0;
  for (const TransformerModel& model : publishedModels()) {
    FigureChart::Curve& curve = chart.curves.emplace_back();
    curve.name = model.name;
    for (const std::int64_t tokens : prompts) {
      SLUICE_TRY(const double kept, keptShare(model, tokens));
      report.point("memory, " + model.name, std::to_string(tokens) + " tokens", "part_on_chip", {}, kept);
      curve.x.push_back(static_cast<double>(tokens));
      curve.y.push_back(kept);
      if (tokens != 128) continue;
      least = std::min(least, kept);
      most = std::max(most, kept);
    }
  }
  for (const auto& [which, ours] : {std::pair<std::string, double>{"least", least}, {"most", most}}) {
    report.publishedClaim("streamtensor",
                          "intermediates that stay on chip, " + which + " of four models (128 tokens)", ours);
    const double kept = *figure.claims.back().published;
    chart.curves.push_back({which + ", published", {64, 128, 256}, {kept, kept, kept}, {}, true});
  }
  figure.charts.push_back(std::move(chart));
  figure.notes.push_back(
      "memory: computed, W4A8, tiles of 16, converters with both halves. Published is only the range "
      "over the models; the number of tokens and the tiles are not, and neither are the bars. Converters "
      "are panels of 16 rows, which do not grow with the prompt, and keys and values of all tokens; "
      "unfused scores grow with its square: so the part falls as the prompt grows, and is in the range "
      "around 128 tokens. GPT-2 stays above it, because each of its 16 heads has keys and values of its "
      "own");
  return Done{};
}

Result<Done> addHidaTables(FigureResult& figure) {
  SLUICE_TRY(const LoopProgram program, parseLoopProgram(hida_listing, "HIDA's listing"));
  Report report(figure);
  HidaMatch match;
  using enum ParallelizationMode;
  for (const ParallelizationMode mode : {IntensityAndConnection, Intensity, Connection, Naive})
    SLUICE_CHECK(addHidaMode(report, program, mode, match));
  report.claim("HIDA: nodes with the published unroll factors, of 12", 12, match.unroll);
  report.claim("HIDA: arrays with the published partition, of 12", 12, match.partitions);
  figure.notes.push_back(
      "HIDA: computed, maximum parallel factor 32. " + match.differing +
      " differ: these published partitions do not follow from the published unroll factors of Node1, [1, "
      "2] and [4, 8]; they would from [2, 1] and [8, 4]. They are not matched");
  return Done{};
}

}  // namespace sluice::inline figures
