#pragma once
// What the figures are made of: design points that are run side by side, and the traces that bind them.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/explorer/evaluate.h"
#include "engine/figures/figure.h"
#include "engine/workloads/workload_builder.h"

namespace sluice::figures {

/// One run.
struct Experiment {
  Document document;
  KnobValues knobs;
  FigureInputs inputs = {};
};

struct Outcome {
  FigureInputs inputs;  ///< of its experiment
  Metrics metrics;
  double compute = 0;  ///< allocated FLOPs per cycle
  /// On-chip bytes of the operators that ever got a token: the papers take memory for an expert that nobody
  /// asks for as not allocated.
  double active_on_chip_bytes = 0;
};

/// Runs all of them on the request's executor. A run that does not finish is an error that names it.
Result<std::vector<Outcome>> runAll(std::span<const Experiment> experiments, const FigureRequest& request);

/// The papers' traces where the request has them, else synthetic ones with the same statistics. Binding tells
/// which.
class Traces {
 public:
  explicit Traces(const FigureRequest& request) : folder_(request.traces) {}

  /// Expert routing of set "mixtral_b64", "mixtral_b1024", "qwen_b64" or "qwen_b1024"; written into the
  /// input.
  Result<FigureInputs> bindRouting(Document& document, const std::string& set);
  /// Key-value lengths of `batch` requests, number `start` and after of the Azure conversation trace.
  Result<FigureInputs> bindLengths(Document& document, std::size_t batch, std::size_t start);

 private:
  std::filesystem::path folder_;
};

/// A choice knob's value by its text, a document's knobs by name.
KnobValues knobsOf(const Document& document, const std::map<std::string, std::string>& values);
/// Tokens per expert of the document's routing.
std::vector<std::int64_t> expertCounts(const Document& document);

/// Values at the positions 0, 1, ... of a chart's categories.
FigureChart::Curve barCurve(std::string name, bool published, std::vector<double> values);

/// A point and a curve's entry at once.
class Report {
 public:
  explicit Report(FigureResult& figure) : figure_(figure) {}
  void point(const std::string& series, const std::string& point, const std::string& metric,
             std::optional<double> published, double ours, const FigureInputs& inputs = {});
  void claim(const std::string& text, std::optional<double> published, double ours,
             const FigureInputs& inputs = {});

 private:
  FigureResult& figure_;
};

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

}  // namespace sluice::figures
