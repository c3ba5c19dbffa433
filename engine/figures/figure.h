#pragma once
// Figures: the experiments of the published papers, run again and laid beside what was published. One file a
// figure; figures.cpp lists them.

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/executor.h"
#include "engine/core/result.h"
#include "engine/program/trust.h"

namespace sluice::inline figures {

/// What a number was measured on: patterns of the traces' file names, "conv_stdev*_0271_0334.npy".
struct FigureInputs {
  std::set<std::string> traces;     ///< read from the papers' files
  std::set<std::string> synthetic;  ///< not found: synthetic input with the same statistics ran instead

  void add(const FigureInputs& more);
};
/// "traces", "synthetic", "partly synthetic", or "" where no trace is needed.
std::string text(const FigureInputs& inputs);

/// How exactly a printed number could be read, relative to it.
constexpr double published_tolerance = 1e-4;
/// Papers have a number where ours, on their inputs, is what they print, as exactly as it could be read. All
/// others are of the model alone.
TrustLabel trustOf(const std::optional<double>& published, double ours, const FigureInputs& inputs);

struct FigurePoint {
  std::string series, point, metric;  ///< "mixtral", "tile 16", "cycles"
  std::optional<double> published;
  double ours = 0;
  FigureInputs inputs = {};
  /// With the other hbm_controller_wait, if that gives another number; `ours` is the one nearer to what was
  /// published (engine/simulator/exact_timing.md).
  std::optional<double> other = {};
  std::optional<double> ratio() const;  ///< ours / published
  TrustLabel trust() const;
};

struct FigureClaim {
  std::string claim;
  std::optional<double> published;
  double ours = 0;
  FigureInputs inputs = {};
  TrustLabel trust() const;
};

/// What is drawn.
struct FigureChart {
  struct Curve {
    std::string name;  ///< "static" and "static, published" are one series; so are "ours" and "published"
    std::vector<double> x, y;  ///< bars: x are positions of categories
    std::vector<std::string> labels;
    bool published = false;                   ///< drawn hollow, ours filled
    std::vector<double> low = {}, high = {};  ///< parallel to y: what a line goes from and to; empty: none
  };
  std::string name;  ///< of its files: "fig9_mixtral"
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false, bars = false;
  std::vector<std::string> categories = {};  ///< bars
  std::vector<Curve> curves = {};
  bool identity_line = false;  ///< y = x is drawn, points are not joined: a comparison of like with like
};

struct FigureResult {
  std::string figure, title;
  std::vector<FigurePoint> points;
  std::vector<FigureClaim> claims;
  std::vector<FigureChart> charts;
  std::vector<std::string> notes;  ///< which traces were synthetic, and what differs from the paper
  double wall_seconds = 0;

  /// Points that ran on synthetic input, at least in part.
  std::size_t syntheticPoints() const;
};

struct FigureRequest {
  std::filesystem::path
      traces;  ///< folder with the papers' traces, searched with its subfolders; empty: none
  Executor* executor = nullptr;  ///< must be set
  int controller_wait = 1;       ///< Machine::hbm_controller_wait of the runs that come first
  std::stop_token stop;
  std::function<void(std::size_t done, std::size_t total)> progress;  ///< from any thread, one call at a time
};

/// "fig8", "fig9" ... in the order of the paper, then those of StreamTensor.
std::vector<std::string> figureNames();
/// What it shows; "" for an unknown one.
std::string figureTitle(const std::string& name);
/// Errors: an unknown figure, a folder of traces that is not there, a trace that cannot be read, a stop
/// request.
Result<FigureResult> reproduceFigure(const std::string& name, const FigureRequest& request);

/// series,point,metric,published,ours,ratio,input and claim rows, as CSV.
std::string figureCsv(const FigureResult& figure);

}  // namespace sluice::inline figures
