#include "widgets/plots/pareto_chart.h"

#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "engine/explorer/pareto.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr double hoverRadius = 14;  // pixels
constexpr int crowd = 5000;         // points; above it glyphs are drawn small and without smoothing

QSharedPointer<QCPAxisTicker> ticker(const QString& metric_name, bool logarithmic) {
  if (logarithmic) return QSharedPointer<QCPAxisTicker>(new LogQuantityTicker);
  return QSharedPointer<QCPAxisTicker>(new QuantityTicker(isFraction(metric_name)));
}

QString axisLabel(const QString& metric_name) {
  return isFraction(metric_name) ? metricTitle(metric_name) : metricAxisLabel(metric_name);
}

}  // namespace

ParetoChart::ParetoChart(PointsModel* points, QWidget* parent) : Plot(parent), model_(points) {
  setObjectName(QStringLiteral("paretoChart"));
  setAccessibleName(tr("Pareto plot of the explored points"));
  setMouseTracking(true);
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  createGraphs();
  setTheme(theme());
  connect(model_, &QAbstractItemModel::modelReset, this, &ParetoChart::readAll);
  connect(model_, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex&, int first, int last) {
    readNew(first, last);
    if (!refresh_.isActive()) refresh_.start();
  });
  refresh_.setSingleShot(true);
  refresh_.setInterval(66);
  connect(&refresh_, &QTimer::timeout, this, &ParetoChart::showData);
  setMetrics(x_, y_);
}

void ParetoChart::createGraphs() {
  edge_x_ = axisRect()->addAxis(QCPAxis::atBottom);
  edge_y_ = axisRect()->addAxis(QCPAxis::atLeft);
  for (QCPAxis* axis : {edge_x_, edge_y_}) {
    axis->setVisible(false);
    axis->setRange(0, 1);
  }
  const auto scatter = [this](const QString& name, QCPAxis* x, QCPAxis* y) {
    QCPGraph* graph = addGraph(x, y);
    graph->setName(name);
    graph->setLineStyle(QCPGraph::lsNone);
    return graph;
  };
  dominated_ = scatter(tr("dominated"), xAxis, yAxis);
  infeasible_ = scatter(tr("infeasible"), xAxis, yAxis);
  failed_ = scatter(tr("deadlocked or failed"), edge_x_, edge_y_);
  front_ = scatter(tr("frontier"), xAxis, yAxis);
  ring_ = scatter(tr("current point"), xAxis, yAxis);
  hover_ring_ = scatter({}, xAxis, yAxis);
  for (QCPGraph* graph : {ring_, hover_ring_}) graph->setLayer(QStringLiteral("overlay"));
  hover_ring_->removeFromLegend();
  legend->setVisible(true);
  legend->setFillOrder(QCPLegend::foColumnsFirst);
  legend->setMargins(QMargins(0, 4, 0, 0));
  plotLayout()->insertRow(0);
  plotLayout()->addElement(0, 0, legend);  // above the plot: never over a point
  plotLayout()->setRowStretchFactor(0, 0.001);
}

void ParetoChart::restyle() {
  const PlotTheme& look = theme();
  const auto mark = [&look](QCPScatterStyle::ScatterShape shape, const QColor& pen, const QBrush& fill,
                            double size) {
    return QCPScatterStyle(shape, QPen(pen, look.line_width), fill, size);
  };
  const double size = look.marker_size;
  const bool crowded = dominated_->dataCount() > crowd;
  dominated_->setScatterStyle(
      crowded ? mark(QCPScatterStyle::ssSquare, look.dominated, Qt::NoBrush, 2)
              : mark(QCPScatterStyle::ssCircle, look.dominated, Qt::NoBrush, size * 0.85));
  for (QCPGraph* graph : {dominated_, infeasible_, failed_}) graph->setAntialiasedScatters(!crowded);
  infeasible_->setScatterStyle(mark(QCPScatterStyle::ssCrossSquare, look.infeasible, Qt::NoBrush, size));
  failed_->setScatterStyle(mark(QCPScatterStyle::ssCross, look.failed, Qt::NoBrush, size));
  front_->setScatterStyle(mark(QCPScatterStyle::ssDisc, look.frontier, look.frontier, size));
  front_->setPen(QPen(look.frontier, look.line_width));
  ring_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(look.current, look.line_width * 1.6),
                                         Qt::NoBrush, size * 1.9));
  hover_ring_->setScatterStyle(mark(QCPScatterStyle::ssCircle, look.muted, Qt::NoBrush, size * 1.9));
  hover_ring_->setVisible(!look.on_paper);
  legend->setIconSize(static_cast<int>(size * 2.4), static_cast<int>(size * 2.4));
  legend->setIconTextPadding(3);
  styleLegend();
}

void ParetoChart::styleLegend() {
  // Only what is there is explained.
  const auto mention = [this](QCPGraph* graph) {
    const bool wanted = !graph->data()->isEmpty();
    if (wanted && !legend->hasItemWithPlottable(graph)) graph->addToLegend();
    if (!wanted) graph->removeFromLegend();
  };
  for (QCPGraph* graph : {front_, dominated_, infeasible_, failed_, ring_}) mention(graph);
  legend->setWrap(theme().on_paper ? 3 : 5);
  padLegend();
}

void ParetoChart::setMetrics(const QString& x, const QString& y) {
  x_ = x;
  y_ = y;
  zoomed_ = false;
  xAxis->setLabel(axisLabel(x));
  yAxis->setLabel(axisLabel(y));
  setLogarithmic(log_x_, log_y_);
}

void ParetoChart::setLogarithmic(bool x, bool y) {
  log_x_ = x;
  log_y_ = y;
  zoomed_ = false;
  xAxis->setScaleType(x ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  yAxis->setScaleType(y ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  xAxis->setTicker(ticker(x_, x));
  yAxis->setTicker(ticker(y_, y));
  readAll();
}

void ParetoChart::setCurrent(std::optional<DesignPoint> current) {
  current_ = std::move(current);
  showCurrent();
  styleLegend();
  if (!zoomed_) rescale();
  replotLater();
}

void ParetoChart::readAll() {
  spots_.clear();
  frontier_.clear();
  hover(-1);
  const int count = model_->rowCount();
  if (count > 0) readNew(0, count - 1);
  showData();
}

ParetoChart::Spot ParetoChart::spotOf(const DesignPoint& point, int index) const {
  if (point.state == PointState::Cancelled) return {};
  if (!isMeasured(point.state)) {
    const double count = std::max(1, model_->rowCount());
    return {(index + 0.5) / count, 0.975, true, false};
  }
  const Spot spot{sluice::metric(point.metrics, x_.toStdString()),
                  sluice::metric(point.metrics, y_.toStdString()), true, true};
  const bool fits =
      std::isfinite(spot.x) && std::isfinite(spot.y) && (!log_x_ || spot.x > 0) && (!log_y_ || spot.y > 0);
  return fits ? spot : Spot{};
}

void ParetoChart::readNew(int first, int last) {
  const std::vector<DesignPoint>& points = model_->points();
  spots_.resize(static_cast<std::size_t>(first));
  for (int index = first; index <= last; ++index) {
    spots_.push_back(spotOf(points[static_cast<std::size_t>(index)], index));
  }
  updateFrontier(first);
}

void ParetoChart::updateFrontier(int first_new) {
  // The old frontier dominates everything it dominated before: only it and the new points can be on the new
  // one.
  std::vector<std::size_t> candidates = frontier_;
  std::sort(candidates.begin(), candidates.end());
  for (std::size_t index = static_cast<std::size_t>(first_new); index < spots_.size(); ++index) {
    if (spots_[index].drawn && model_->points()[index].state == PointState::Done) candidates.push_back(index);
  }
  const double sign_x = smallerIsBetter(x_.toStdString()) ? 1 : -1;
  const double sign_y = smallerIsBetter(y_.toStdString()) ? 1 : -1;
  std::vector<double> values;
  values.reserve(candidates.size() * 2);
  for (const std::size_t index : candidates) {
    values.push_back(sign_x * spots_[index].x);
    values.push_back(sign_y * spots_[index].y);
  }
  frontier_.clear();
  for (const std::size_t row : paretoFrontier(values, 2)) frontier_.push_back(candidates[row]);
  front_->setLineStyle(sign_x > 0 ? QCPGraph::lsStepLeft : QCPGraph::lsStepRight);
}

void ParetoChart::showData() {
  QVector<QCPGraphData> dominated, infeasible, failed, front;
  std::vector<char> on_front(spots_.size(), 0);
  for (const std::size_t index : frontier_) {
    on_front[index] = 1;
    front.append(QCPGraphData(spots_[index].x, spots_[index].y));
  }
  for (std::size_t index = 0; index < spots_.size(); ++index) {
    const Spot& spot = spots_[index];
    if (!spot.drawn || on_front[index]) continue;
    const PointState state = model_->points()[index].state;
    auto& group = !spot.measured ? failed : state == PointState::Done ? dominated : infeasible;
    group.append(QCPGraphData(spot.x, spot.y));
  }
  dominated_->data()->set(dominated);
  infeasible_->data()->set(infeasible);
  failed_->data()->set(failed);
  front_->data()->set(front);
  setNotice(spots_.empty() && !current_ ? tr("No points yet.\nF5 evaluates every\ncombination of the knobs.")
                                        : QString());
  showCurrent();
  restyle();
  if (!zoomed_) rescale();
  replotLater();
}

void ParetoChart::showCurrent() {
  ring_->data()->clear();
  if (!current_) return;
  const Spot spot = spotOf(*current_, 0);
  if (spot.drawn && spot.measured) ring_->addData(spot.x, spot.y);
}

void ParetoChart::rescale() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double x_low = infinity, x_high = -infinity, y_low = infinity, y_high = -infinity;
  const auto include = [&](double x, double y) {
    x_low = std::min(x_low, x);
    x_high = std::max(x_high, x);
    y_low = std::min(y_low, y);
    y_high = std::max(y_high, y);
  };
  for (const Spot& spot : spots_) {
    if (spot.drawn && spot.measured) include(spot.x, spot.y);
  }
  for (const QCPGraphData& at : *ring_->data()) include(at.key, at.value);
  xAxis->setRange(padded(x_low, x_high, log_x_));
  yAxis->setRange(padded(y_low, y_high, log_y_));
}

QPointF ParetoChart::pixel(const Spot& spot) const {
  const QCPAxis* x = spot.measured ? xAxis : edge_x_;
  const QCPAxis* y = spot.measured ? yAxis : edge_y_;
  return {x->coordToPixel(spot.x), y->coordToPixel(spot.y)};
}

std::optional<QPointF> ParetoChart::pixelOf(int index) const {
  if (index < 0 || static_cast<std::size_t>(index) >= spots_.size()) return std::nullopt;
  const Spot& spot = spots_[static_cast<std::size_t>(index)];
  if (!spot.drawn) return std::nullopt;
  return pixel(spot);
}

std::optional<int> ParetoChart::nearest(QPointF position, double radius) const {
  if (!axisRect()->rect().contains(position.toPoint())) return std::nullopt;
  std::optional<int> best;
  double best_distance = radius * radius;
  const auto consider = [&](std::size_t index) {
    if (!spots_[index].drawn) return;
    const QPointF apart = pixel(spots_[index]) - position;
    const double distance = QPointF::dotProduct(apart, apart);
    if (distance >= best_distance) return;
    best_distance = distance;
    best = static_cast<int>(index);
  };
  // Frontier points first: where glyphs overlap, the one drawn on top is meant.
  for (const std::size_t index : frontier_) consider(index);
  if (best) return best;
  for (std::size_t index = 0; index < spots_.size(); ++index) consider(index);
  return best;
}

QString ParetoChart::tooltip(const DesignPoint& point, bool on_frontier) const {
  QString rows;
  const auto row = [&rows](const QString& left, const QString& right) {
    rows += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align='right'><b>%2</b></td></tr>")
                .arg(left.toHtmlEscaped(), right.toHtmlEscaped());
  };
  for (const auto& [knob, value] : point.knobs) row(QString::fromStdString(knob), QString::number(value));
  if (isMeasured(point.state)) {
    for (const std::string& name : metricNames()) {
      const QString metric_name = QString::fromStdString(name);
      row(metricTitle(metric_name), text(metricQuantity(metric_name, sluice::metric(point.metrics, name))));
    }
  }
  QString head = on_frontier ? tr("On the frontier") : stateText(point.state);
  if (!point.cause.empty()) head += QStringLiteral(": ") + QString::fromStdString(point.cause);
  return QStringLiteral("<p>%1</p><table cellspacing='1'>%2</table>").arg(head.toHtmlEscaped(), rows);
}

void ParetoChart::hover(int index) {
  if (index == hovered_) return;
  hovered_ = index;
  hover_ring_->data()->clear();
  if (index >= 0 && spots_[static_cast<std::size_t>(index)].measured) {
    const Spot& spot = spots_[static_cast<std::size_t>(index)];
    hover_ring_->addData(spot.x, spot.y);
  }
  setCursor(index >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  layer(QStringLiteral("overlay"))->replot();
}

void ParetoChart::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->position().toPoint();
  Plot::mousePressEvent(event);
}

void ParetoChart::mouseReleaseEvent(QMouseEvent* event) {
  Plot::mouseReleaseEvent(event);
  const bool click = (event->position().toPoint() - pressed_).manhattanLength() < 4;
  if (event->button() != Qt::LeftButton || !click) return;
  if (const auto index = nearest(event->position(), hoverRadius)) emit pointActivated(*index);
}

void ParetoChart::mouseMoveEvent(QMouseEvent* event) {
  Plot::mouseMoveEvent(event);
  if (event->buttons() != Qt::NoButton) {
    zoomed_ = true;
    return;
  }
  const auto index = nearest(event->position(), hoverRadius);
  hover(index.value_or(-1));
  if (!index) {
    QToolTip::hideText();
    return;
  }
  const bool on_frontier =
      std::find(frontier_.begin(), frontier_.end(), static_cast<std::size_t>(*index)) != frontier_.end();
  QToolTip::showText(event->globalPosition().toPoint() + QPoint(12, 12),
                     tooltip(model_->points()[static_cast<std::size_t>(*index)], on_frontier), this);
}

void ParetoChart::mouseDoubleClickEvent(QMouseEvent* event) {
  Plot::mouseDoubleClickEvent(event);
  if (nearest(event->position(), hoverRadius)) return;
  zoomed_ = false;
  rescale();
  replotLater();
}

void ParetoChart::wheelEvent(QWheelEvent* event) {
  zoomed_ = true;
  Plot::wheelEvent(event);
}

void ParetoChart::leaveEvent(QEvent* event) {
  hover(-1);
  Plot::leaveEvent(event);
}

QString ParetoChart::csv() const {
  return model_->csv(frontier_);
}

}  // namespace sluice::ui
