#pragma once
// What the figures are made of: design points that are built, run side by side, and laid beside the published
// numbers.

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/explorer/evaluate.h"
#include "engine/figures/figure.h"
#include "engine/figures/published.h"
#include "engine/workloads/workload_builder.h"

namespace sluice::inline figures {

/// One run: a program of the workload builder, bound to the papers' traces, with these knobs.
struct Experiment {
  std::string workload, model = {};               ///< model: of the builder, and of the trace set
  Sizes sizes = {};                               ///< beside the model's
  std::map<std::string, std::string> knobs = {};  ///< a choice by its text
  std::size_t batch = 0, start = 0;        ///< key-value lengths: of how many requests, from which number on
  std::vector<std::int64_t> routing = {};  ///< tokens of each expert instead of the trace's
};

struct Outcome {
  FigureInputs inputs;
  Metrics metrics;
  double compute = 0;  ///< allocated FLOPs per cycle
  /// On-chip bytes of the operators that ever got a token: the papers take memory for an expert that nobody
  /// asks for as not allocated.
  double active_on_chip_bytes = 0;
  std::vector<std::int64_t> expert_tokens;  ///< of each expert; empty without routing
};

/// A row of Figures 9, 10, 19 and 20; attention over the lengths of `batch` requests from number `start` on.
Experiment tilingExperiment(const PublishedRow& row);
Experiment attentionExperiment(std::int64_t batch, std::int64_t start, const std::string& method,
                               const Sizes& sizes = {});

/// Builds all of them and runs them on the request's executor. A run that does not finish is an error that
/// names it.
Result<std::vector<Outcome>> runAll(const std::vector<Experiment>& experiments, const FigureRequest& request);

/// Jobs 0 to count - 1 on the request's executor, with its progress. Errors: the first job's that has some, a
/// stop request.
Result<Done> runJobs(std::size_t count, const std::function<Result<Done>(std::size_t)>& job,
                     const FigureRequest& request);

/// The papers' traces where the folder has them, else synthetic ones with the same statistics. Binding tells
/// which.
class Traces {
 public:
  explicit Traces(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Expert routing of set "mixtral_b64", "mixtral_b1024", "qwen_b64" or "qwen_b1024"; written into the
  /// input.
  Result<FigureInputs> bindRouting(Input& input, const std::string& set);
  /// Key-value lengths of `batch` requests, number `start` and after of the Azure conversation trace.
  Result<FigureInputs> bindLengths(Input& input, std::size_t batch, std::size_t start);

 private:
  std::filesystem::path folder_;
};

/// Lays ours beside the published.
class Report {
 public:
  explicit Report(FigureResult& figure) : figure_(figure) {}
  void point(const std::string& series, const std::string& point, const std::string& metric,
             std::optional<double> published, double ours, const FigureInputs& inputs = {});
  /// A point for each metric, which is a column of the published row.
  void points(const std::string& series, const std::string& point, const PublishedRow& published,
              const std::vector<std::pair<std::string, double>>& ours, const FigureInputs& inputs = {});
  void claim(const std::string& text, std::optional<double> published, double ours,
             const FigureInputs& inputs = {});
  /// A claim of this figure in resources/published/claims.csv.
  void publishedClaim(const std::string& figure, const std::string& text, double ours,
                      const FigureInputs& inputs = {});
  /// All claims of this figure there that follow from its points (resources/published/README.md).
  void claimsOfPoints(const std::string& figure);

 private:
  FigureResult& figure_;
};

/// Points as bars: ours, and what was published. Without a series: of all; without a name: "ours" and
/// "published".
struct Bars {
  std::string name, series, metric;
  double scale = 1;  ///< of what is drawn
};
/// Bars of ours, then of what was published, at the categories 0, 1, ... in the points' order.
void addBars(FigureChart& chart, const FigureResult& figure, const std::vector<Bars>& bars);

Result<FigureResult> fig8(const FigureRequest& request);
Result<FigureResult> fig9(const FigureRequest& request);
Result<FigureResult> fig10(const FigureRequest& request);
Result<FigureResult> fig12(const FigureRequest& request);
Result<FigureResult> fig13(const FigureRequest& request);
Result<FigureResult> fig14(const FigureRequest& request);
Result<FigureResult> fig15(const FigureRequest& request);
Result<FigureResult> fig17(const FigureRequest& request);
Result<FigureResult> fig19(const FigureRequest& request);
Result<FigureResult> fig20(const FigureRequest& request);
Result<FigureResult> fig21(const FigureRequest& request);
Result<FigureResult> streamTensor(const FigureRequest& request);
Result<FigureResult> streamTensorEnergy(const FigureRequest& request);

}  // namespace sluice::inline figures
