#pragma once
// ParetoChart: explored points over any two metrics or knobs. The frontier is a stepped line with filled
// discs and its knee a diamond, dominated points are hollow, infeasible ones hatched boxes; deadlocked and
// failed points have no metrics and stand hatched in a band along the edge of the axis that cannot place
// them. What the filters leave out stays as pale dots; selected points and the baseline are the shared ones.
// Bounds that nothing can be beyond are dotted lines. Before there are points, the designs that the window
// showed before this one stay as discs that fade.

#include <QPoint>
#include <QTimer>
#include <array>
#include <memory>
#include <optional>

#include "widgets/common/qt_text.h"
#include "widgets/plots/plot.h"
#include "widgets/points/point_selection.h"

class QRubberBand;

namespace sluice::ui {

class BoundLines;
class CrowdGraph;
class HatchBand;
class SpreadLines;

/// The figures of merit of the points shown, for the two metrics shown.
struct ParetoFigures {
  std::size_t frontier = 0;
  std::optional<int> knee;            ///< a point
  double hypervolume = 0;             ///< share of the box from the ideal corner to the reference, 0..1
  std::array<double, 2> reference{};  ///< x and y of that corner
  std::optional<double> improvement;  ///< the frontier's best Pareto improvement distance over the baseline
};

class ParetoChart : public Plot {
  Q_OBJECT

 public:
  explicit ParetoChart(PointSelection* selection, QWidget* parent = nullptr);
  /// With a selection of its own.
  explicit ParetoChart(PointsModel* points, QWidget* parent = nullptr);
  ~ParetoChart() override;

  /// Names of metrics or knobs.
  void setMetrics(const QString& x, const QString& y);
  void setLogarithmic(bool x, bool y);
  /// What no point can be beyond, for the two metrics; they go when others are shown.
  void setBounds(std::optional<double> x, std::optional<double> y);
  const BoundLines& bounds() const { return *bounds_; }
  /// From 5 to 95 % of the traces, of points that were evaluated under a set of them.
  const SpreadLines& spreads() const { return *spreads_; }
  /// The point that the window shows now; drawn as a ring. The one before becomes a visited one.
  void setCurrent(std::optional<DesignPoint> current);
  void forgetVisited();
  /// Points that were current, the newest last, each once.
  const std::vector<DesignPoint>& visited() const { return visited_; }

  PointSelection* selection() const { return selection_; }
  /// Indices of the non-dominated points for the two metrics shown, by x; none where an axis is a knob.
  const std::vector<std::size_t>& frontier() const { return frontier_; }
  const ParetoFigures& figures() const { return figures_; }
  /// How far a point is beyond the baseline; nothing without one.
  std::optional<double> improvementOf(std::size_t point) const;
  /// Where a point is drawn, in widget pixels; nothing if it is not.
  std::optional<QPointF> pixelOf(int index) const;
  QString csv() const override;

 signals:
  void pointClicked(int index);    ///< it is selected, too
  void pointActivated(int index);  ///< selected, and then Return
  void figuresChanged();

 protected:
  void restyle() override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  struct Spot {
    double x = 0, y = 0;
    bool drawn = false;
    bool stuck = false;  ///< deadlocked or failed
  };

  void build();
  void createGraphs();
  void showNotice();
  void readAll();
  QStringList namesOf(const QString& column) const;
  void scaleAxes();
  void readNew(int first);
  void refreshLater();
  Spot spotOf(double x, double y, PointState state, std::size_t index) const;
  Spot spotOf(const DesignPoint& point) const;
  void sortSpots();
  void sortByX();
  void updateFrontier();
  void updateFigures();
  void showData();
  void showCurrent();
  void showVisited();
  void showSelected();
  void showBaseline();
  void showSpreads();
  void rescale();
  void hover(int index);
  bool inFrontier(std::size_t index) const;
  std::vector<double> baselinePairs() const;
  std::vector<int> within(const QRect& area) const;
  std::vector<std::uint32_t> near(const QRectF& area) const;
  std::optional<int> nearest(QPointF position, double radius) const;
  QPointF pixel(const Spot& spot) const;
  QString tooltip(std::size_t index) const;
  void styleLegend();
  bool hasDirection() const { return sign_x_ != 0 && sign_y_ != 0; }

  PointSelection* selection_;
  QString x_ = qt(defaultObjectives()[0]), y_ = qt(defaultObjectives()[1]);
  double sign_x_ = 1, sign_y_ = 1;  ///< 1: smaller is better, -1: larger; 0: a knob has no direction
  bool log_x_ = false, log_y_ = false;
  bool wants_log_x_ = false, wants_log_y_ = false;  ///< not had by the names of a knob's values
  bool zoomed_ = false;
  std::vector<Spot> spots_;          ///< parallel to the points
  std::vector<std::uint32_t> by_x_;  ///< spots that are drawn, by x
  std::vector<std::size_t> order_;   ///< spots that can be on a frontier, by x then y, as the signs are
  std::vector<std::size_t> frontier_;
  std::vector<char> on_frontier_;  ///< parallel to the points
  ParetoFigures figures_;
  std::optional<DesignPoint> current_;
  std::vector<DesignPoint> visited_;
  QPoint pressed_;
  QRubberBand* band_ = nullptr;  ///< while points are selected with Shift and the mouse
  int hovered_ = -1;
  QTimer refresh_;  ///< while an exploration streams in, the chart is drawn at most 15 times a second

  QCPAxis *edge_x_ = nullptr, *edge_y_ = nullptr;  ///< hidden, 0..1: the band along the edge
  HatchBand* hatch_ = nullptr;
  BoundLines* bounds_ = nullptr;
  std::unique_ptr<SpreadLines> spreads_;
  QCPGraph *left_out_ = nullptr, *dominated_ = nullptr, *infeasible_ = nullptr, *front_ = nullptr;
  QCPGraph *failed_ = nullptr, *knee_ = nullptr, *baseline_ = nullptr;
  std::array<CrowdGraph*, 4> crowds_{};  ///< of these, the ones that may have very many points
  std::array<QCPGraph*, 5> trail_{};     ///< of the visited points, from the newest to all the old ones
  QCPGraph *ring_ = nullptr, *hover_ring_ = nullptr, *selected_ = nullptr;
};

}  // namespace sluice::ui
