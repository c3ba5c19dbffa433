#pragma once
// FigurePlot: the chart of a published figure. A series has one hue: what was published is hollow or dashed,
// what we measured filled and solid. Where both are there, ours over published stands below.

#include <memory>
#include <vector>

#include "engine/figures/figure.h"
#include "widgets/plots/plot.h"

namespace sluice::ui {

class PointLabels;
class SpreadLines;

class FigurePlot : public Plot {
  Q_OBJECT

 public:
  explicit FigurePlot(QWidget* parent = nullptr);
  ~FigurePlot() override;

  void setChart(FigureChart chart);
  const FigureChart& chart() const { return chart_; }
  /// The axes of ours over published; null where the chart has no such points.
  QCPAxisRect* ratioAxes() const { return ratio_; }
  /// In points: one column of a paper, two if the categories need it.
  QSize paperSize();
  /// The labels of points as drawn last, in pixels.
  const std::vector<QRectF>& drawnLabels() const;
  QString csv() const override;

 protected:
  void restyle() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// A curve and what draws it.
  struct Drawn {
    const FigureChart::Curve* curve;
    std::size_t series;
    QCPAbstractPlottable* plottable = nullptr;
    QCPCurve* ratio = nullptr;  ///< ours over published; null: nothing to compare with
  };

  void createPlottables();
  void createSpreads();
  void createRatios();
  /// Horizontally: where a point stands beside those of other series.
  double placeOf(const Drawn& drawn, double x) const;
  void rescaleRatios();
  /// The axis that the numbers or the names below the chart belong to.
  QCPAxis* lowestAxis() const { return ratio_ ? ratio_->axis(QCPAxis::atBottom) : xAxis; }
  QCPCurve* pointsOf(const FigureChart::Curve& curve);
  QCPBars* barsOf(const FigureChart::Curve& curve);
  bool usable(double x, double y) const;
  void rescale();
  void setTickers();
  void styleRatios();
  void nameCategories();
  void style(QCPAbstractPlottable& plottable, const QColor& colour, std::size_t series, bool hollow);
  /// What the legend explains: every series, and once what hollow means.
  std::vector<QCPAbstractPlottable*> legendEntries() const;
  void fillLegend();
  void labelPoints();

  FigureChart chart_;
  std::vector<Drawn> drawn_;
  std::unique_ptr<QCPBarsGroup> group_;
  std::unique_ptr<SpreadLines> spreads_;       ///< null: no curve has any
  QCPAbstractPlottable* published_ = nullptr;  ///< without data, for the legend
  QCPCurve* identity_ = nullptr;               ///< y = x
  QCPAxisRect* ratio_ = nullptr;
  QCPCurve* as_published_ = nullptr;  ///< ratio 1
  QCPMarginGroup* sides_;             ///< of both axes: what belongs together stands above each other
  QCPTextElement* heading_;
  PointLabels* labels_;
};

}  // namespace sluice::ui
