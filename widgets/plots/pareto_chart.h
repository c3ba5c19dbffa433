#pragma once
// ParetoChart: explored points over any two metrics. The frontier is a stepped line with filled discs,
// dominated points are hollow, infeasible ones boxed crosses; deadlocked and failed points have no metrics
// and stand as crosses along the top edge.

#include <QPoint>
#include <QTimer>
#include <optional>

#include "widgets/plots/plot.h"
#include "widgets/points/points_model.h"

namespace sluice::ui {

class ParetoChart : public Plot {
  Q_OBJECT

 public:
  explicit ParetoChart(PointsModel* points, QWidget* parent = nullptr);

  void setMetrics(const QString& x, const QString& y);
  void setLogarithmic(bool x, bool y);
  /// The point that the window shows now; drawn as a ring.
  void setCurrent(std::optional<DesignPoint> current);

  /// Indices of the non-dominated points for the two metrics shown, by x.
  const std::vector<std::size_t>& frontier() const { return frontier_; }
  /// Where a point is drawn, in widget pixels; nothing if it is not.
  std::optional<QPointF> pixelOf(int index) const;
  QString csv() const override;

 signals:
  void pointActivated(int index);

 protected:
  void restyle() override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  struct Spot {
    double x = 0, y = 0;
    bool drawn = false;
    bool measured = false;  ///< in the axes; else in the row along the top edge
  };

  void createGraphs();
  void readAll();
  void readNew(int first, int last);
  Spot spotOf(const DesignPoint& point, int index) const;
  void updateFrontier(int first_new);
  void showData();
  void showCurrent();
  void rescale();
  void hover(int index);
  std::optional<int> nearest(QPointF position, double radius) const;
  QPointF pixel(const Spot& spot) const;
  QString tooltip(const DesignPoint& point, bool on_frontier) const;
  void styleLegend();

  PointsModel* model_;
  QString x_ = QStringLiteral("cycles"), y_ = QStringLiteral("on_chip_bytes");
  bool log_x_ = false, log_y_ = false;
  bool zoomed_ = false;
  std::vector<Spot> spots_;  ///< parallel to the model's points
  std::vector<std::size_t> frontier_;
  std::optional<DesignPoint> current_;
  QPoint pressed_;
  int hovered_ = -1;
  QTimer refresh_;  ///< while an exploration streams in, the chart is drawn at most 15 times a second

  QCPAxis *edge_x_ = nullptr, *edge_y_ = nullptr;  ///< hidden, 0..1: the row along the top edge
  QCPGraph *dominated_ = nullptr, *infeasible_ = nullptr, *front_ = nullptr, *failed_ = nullptr;
  QCPGraph *ring_ = nullptr, *hover_ring_ = nullptr;
};

}  // namespace sluice::ui
