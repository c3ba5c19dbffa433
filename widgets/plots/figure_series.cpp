#include "widgets/plots/figure_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice::ui {

std::string seriesOf(const FigureChart::Curve& curve) {
  std::string name = curve.name;
  for (const char* suffix : {", published", " (published)", " published"}) {
    if (curve.published && name.ends_with(suffix)) name.resize(name.size() - std::string(suffix).size());
  }
  return name == "ours" || name == "published" ? "" : name;
}

std::vector<double> ratiosOf(const FigureChart& chart, const FigureChart::Curve& curve) {
  if (curve.published) return {};
  const auto twin = std::ranges::find_if(chart.curves, [&](const FigureChart::Curve& other) {
    return other.published && other.y.size() == curve.y.size() && seriesOf(other) == seriesOf(curve);
  });
  if (twin == chart.curves.end()) return {};
  std::vector<double> ratios;
  for (std::size_t i = 0; i < curve.y.size(); ++i) {
    const double ratio = curve.y[i] / twin->y[i];
    ratios.push_back(std::isfinite(ratio) ? ratio : std::numeric_limits<double>::quiet_NaN());
  }
  const bool any = std::ranges::any_of(ratios, [](double ratio) { return std::isfinite(ratio); });
  return any ? ratios : std::vector<double>();
}

}  // namespace sluice::ui
