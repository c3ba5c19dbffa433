// Points, claims and bars of a figure beside the published numbers.

#include <algorithm>
#include <stdexcept>

#include "engine/explorer/statistics.h"
#include "engine/figures/experiment.h"

namespace sluice::inline figures {
namespace {

/// A claim from the points that it is about.
double claimed(const std::string& how, const std::vector<double>& of, const std::vector<double>& over) {
  if (how == "least") return std::ranges::min(of);
  if (how == "greatest") return std::ranges::max(of);
  if (how == "geometric mean") return geometricMean(of);
  const double ratio = of.at(0) / over.at(0);
  if (how == "ratio") return ratio;
  if (how == "saving") return 1 - ratio;
  if (how == "percent more") return 100 * (ratio - 1);
  throw std::logic_error("a published claim is of an unknown kind: " + how);
}

}  // namespace

void Report::point(const std::string& series, const std::string& point, const std::string& metric,
                   std::optional<double> published, double ours, const FigureInputs& inputs) {
  figure_.points.push_back({series, point, metric, published, ours, inputs});
}

void Report::points(const std::string& series, const std::string& point, const PublishedRow& published,
                    const std::vector<std::pair<std::string, double>>& ours, const FigureInputs& inputs) {
  for (const auto& [metric, value] : ours)
    this->point(series, point, metric, published.value(metric), value, inputs);
}

void Report::claim(const std::string& text, std::optional<double> published, double ours,
                   const FigureInputs& inputs) {
  figure_.claims.push_back({text, published, ours, inputs});
}

void Report::publishedClaim(const std::string& figure, const std::string& text, double ours,
                            const FigureInputs& inputs) {
  const PublishedTable claims = publishedTable("claims");
  claim(text, rowWith(claims, {{"figure", figure}, {"claim", text}}).number("published"), ours, inputs);
}

void Report::claimsOfPoints(const std::string& figure) {
  for (const PublishedRow& row : publishedTable("claims")) {
    if (row.text("figure") != figure || row.text("how").empty()) continue;
    FigureInputs inputs;
    const auto ours = [&](const std::string& place) {  // SERIES/POINT, SERIES, or all
      std::vector<double> values;
      for (const FigurePoint& point : figure_.points) {
        const bool there =
            place.empty() || place == point.series || place == point.series + "/" + point.point;
        if (!there || point.metric != row.text("metric")) continue;
        values.push_back(point.ours);
        inputs.add(point.inputs);
      }
      return values;
    };
    const std::vector<double> of = ours(row.text("of"));
    const std::vector<double> over = row.text("over").empty() ? of : ours(row.text("over"));
    claim(row.text("claim"), row.number("published"), claimed(row.text("how"), of, over), inputs);
  }
}

void addBars(FigureChart& chart, const FigureResult& figure, const std::vector<Bars>& bars) {
  for (const bool published : {false, true}) {
    for (const Bars& each : bars) {
      const std::string side = published ? "published" : "ours";
      FigureChart::Curve& curve = chart.curves.emplace_back();
      curve.published = published;
      curve.name = each.name.empty() ? side : each.name + (published ? ", published" : "");
      for (const FigurePoint& point : figure.points) {
        if (point.metric != each.metric || (!each.series.empty() && point.series != each.series)) continue;
        curve.x.push_back(static_cast<double>(curve.x.size()));
        curve.y.push_back(each.scale * (published ? point.published.value() : point.ours));
      }
    }
  }
}

}  // namespace sluice::inline figures
