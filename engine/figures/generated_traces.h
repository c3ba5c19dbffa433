#pragma once
// A figure's designs under generated traces of the same model: how typical the published trace is, and in how
// many of them the published order of the designs holds.

#include "engine/distributions/point_samples.h"
#include "engine/figures/figure.h"

namespace sluice::inline figures {

/// A design of the figure.
struct GeneratedPoint {
  std::string series, point;
  double published_trace = 0;  ///< cycles under the trace of the paper (or one with its statistics)
  Summary cycles;              ///< under the generated ones: p5, median, p95
  double percentile = 0;       ///< of the published trace among them
};

/// Two designs that follow each other in the order of cycles under the published trace.
struct GeneratedOrder {
  std::string series, faster, slower;
  std::size_t flipped = 0, compared = 0;  ///< generated traces under which it is the other way round
  double low = 0, high = 0;               ///< cycles of the slower over those of the faster: p5 and p95
};

struct GeneratedTraces {
  std::string figure;
  std::size_t traces = 0;  ///< of each model
  std::vector<GeneratedPoint> points;
  std::vector<GeneratedOrder> orders;
  std::vector<std::string> sources;  ///< what was generated, by series
};

/// Figures that can be: "fig9", "fig10" and "fig14".
std::vector<std::string> figuresWithTraces();
/// Errors: another figure, a stop request, a run that does not end.
Result<GeneratedTraces> underGeneratedTraces(const std::string& figure, std::size_t traces,
                                             const FigureRequest& request);

/// From 5 to 95 % of the generated traces, at the points of the figure's charts that are ours.
void addBands(FigureResult& figure, const GeneratedTraces& generated);

}  // namespace sluice::inline figures
