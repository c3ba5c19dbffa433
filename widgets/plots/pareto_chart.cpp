#include "widgets/plots/pareto_chart.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/explorer/decision.h"
#include "engine/explorer/pareto.h"
#include "engine/explorer/statistics.h"
#include "widgets/common/quantity.h"
#include "widgets/plots/bound_lines.h"
#include "widgets/plots/crowd_graph.h"
#include "widgets/plots/hatching.h"
#include "widgets/plots/spread_lines.h"

namespace sluice::ui {
namespace {

constexpr int crowd = 5000;              // points; above it glyphs are drawn small and without smoothing
constexpr double band_thickness = 0.05;  // of the plot's height or width
constexpr double frontier_weight = 2;    // of a usual line: what the chart is about
constexpr std::size_t most_visited = 200;
constexpr double infinity = std::numeric_limits<double>::infinity();

QSharedPointer<QCPAxisTicker> ticker(const QString& column, bool logarithmic, const QStringList& names) {
  if (!names.isEmpty()) {
    QSharedPointer<QCPAxisTickerText> words(new QCPAxisTickerText);
    for (qsizetype i = 0; i < names.size(); ++i) words->addTick(static_cast<double>(i), names[i]);
    return words;
  }
  if (logarithmic) return QSharedPointer<QCPAxisTicker>(new LogQuantityTicker);
  return QSharedPointer<QCPAxisTicker>(new QuantityTicker(isFraction(column)));
}

/// 1: smaller is better, -1: larger; 0: a knob.
double directionOf(const QString& column) {
  const MetricSpec* metric = findMetric(column.toStdString());
  return metric ? metric->minimised(1) : 0;
}

/// The same design with the same outcome.
bool isSame(const DesignPoint& a, const DesignPoint& b) {
  return a.knobs == b.knobs && a.state == b.state &&
         std::ranges::all_of(registeredMetrics(), [&](const MetricSpec* metric) {
           const double one = sluice::metric(a, *metric), other = sluice::metric(b, *metric);
           return one == other || (std::isnan(one) && std::isnan(other));
         });
}

}  // namespace

ParetoChart::ParetoChart(PointSelection* selection, QWidget* parent) : Plot(parent), selection_(selection) {
  build();
}

ParetoChart::ParetoChart(PointsModel* points, QWidget* parent) : Plot(parent) {
  auto* columns = new PointColumns(points, this);
  selection_ = new PointSelection(columns, this);
  build();
}

void ParetoChart::build() {
  setObjectName(QStringLiteral("paretoChart"));
  setAccessibleName(tr("Pareto plot of the explored points"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  createGraphs();
  setTheme(theme());
  connect(selection_, &PointSelection::reset, this, &ParetoChart::readAll);
  connect(selection_, &PointSelection::added, this, [this](int first) {
    readNew(first);
    refreshLater();
  });
  connect(selection_, &PointSelection::filtersChanged, this, [this] {
    updateFrontier();
    refreshLater();
  });
  connect(selection_, &PointSelection::selectionChanged, this, [this] {
    showSelected();
    layer(QStringLiteral("overlay"))->replot();
  });
  connect(selection_, &PointSelection::baselineChanged, this, &ParetoChart::refreshLater);
  refresh_.setSingleShot(true);
  refresh_.setInterval(66);
  connect(&refresh_, &QTimer::timeout, this, &ParetoChart::showData);
  setMetrics(x_, y_);
}

ParetoChart::~ParetoChart() = default;

void ParetoChart::refreshLater() {
  if (!refresh_.isActive()) refresh_.start();
}

void ParetoChart::createGraphs() {
  edge_x_ = axisRect()->addAxis(QCPAxis::atBottom);
  edge_y_ = axisRect()->addAxis(QCPAxis::atLeft);
  for (QCPAxis* axis : {edge_x_, edge_y_}) {
    axis->setVisible(false);
    axis->setRange(0, 1);
  }
  hatch_ = new HatchBand(this, band_thickness);
  const auto scatter = [](const QString& name, QCPAxis* x, QCPAxis* y) {
    auto* graph = new CrowdGraph(x, y);
    graph->setName(name);
    graph->setLineStyle(QCPGraph::lsNone);
    return graph;
  };
  dominated_ = crowds_[0] = scatter(tr("dominated"), xAxis, yAxis);
  infeasible_ = crowds_[1] = scatter(tr("infeasible"), xAxis, yAxis);
  failed_ = crowds_[2] = scatter(tr("deadlocked or failed"), edge_x_, edge_y_);
  left_out_ = crowds_[3] = scatter(tr("left out by filters"), xAxis, yAxis);
  left_out_->setLayer(QStringLiteral("grid"));
  bounds_ = new BoundLines(this);
  spreads_ = std::make_unique<SpreadLines>(this, tr("5 to 95 % of the traces"));
  baseline_ = scatter(tr("baseline"), xAxis, yAxis);
  front_ = scatter(tr("frontier"), xAxis, yAxis);
  knee_ = scatter(tr("knee"), xAxis, yAxis);
  for (QCPGraph*& graph : trail_) {
    graph = scatter(tr("shown before"), xAxis, yAxis);
    graph->removeFromLegend();
  }
  CrowdGraph* ring = scatter(tr("current point"), xAxis, yAxis);
  ring->setWholeAtEdges(true);
  ring_ = ring;
  selected_ = scatter(tr("selected"), xAxis, yAxis);
  hover_ring_ = scatter({}, xAxis, yAxis);
  for (QCPGraph* graph : {ring_, selected_, hover_ring_}) graph->setLayer(QStringLiteral("overlay"));
  hover_ring_->removeFromLegend();
  addLegendAbove({0, 4, 0, 0});
}

void ParetoChart::restyle() {
  const PlotTheme& look = theme();
  const auto mark = [&look](QCPScatterStyle::ScatterShape shape, const QColor& pen, const QBrush& fill,
                            double size, double width = 1) {
    return QCPScatterStyle(shape, QPen(pen, look.line_width * width), fill, size);
  };
  const auto hatched = [&look](const QPainterPath& path, const QColor& pen, double size) {
    // Such a path is drawn for a size of 6, and its pen with it.
    const double width = std::max(look.line_width * 0.8, thinnest_stroke * 6 / size);
    return QCPScatterStyle(path, QPen(pen, width), Qt::NoBrush, size);
  };
  const double size = look.marker_size;
  const bool crowded = static_cast<int>(spots_.size()) > crowd;
  dominated_->setScatterStyle(
      crowded ? mark(QCPScatterStyle::ssSquare, look.dominated, Qt::NoBrush, 2)
              : mark(QCPScatterStyle::ssCircle, look.dominated, Qt::NoBrush, size * 0.85));
  infeasible_->setScatterStyle(crowded ? mark(QCPScatterStyle::ssCross, look.infeasible, Qt::NoBrush, 3)
                                       : hatched(hatchedSquare(), look.infeasible, size));
  failed_->setScatterStyle(crowded ? mark(QCPScatterStyle::ssPlus, look.failed, Qt::NoBrush, 3)
                                   : hatched(hatchedDiamond(), look.failed, size));
  left_out_->setScatterStyle(mark(QCPScatterStyle::ssDot, look.tinted(look.text, 0.25), Qt::NoBrush, 1));
  for (CrowdGraph* graph : crowds_) {
    graph->setAntialiasedScatters(!crowded);
    graph->setCrowded(crowded);
  }
  front_->setScatterStyle(mark(QCPScatterStyle::ssDisc, look.frontier, look.frontier, size));
  front_->setPen(QPen(look.frontier, look.line_width * frontier_weight));
  knee_->setScatterStyle(mark(QCPScatterStyle::ssDiamond, look.frontier, look.background, size * 1.6, 1.6));
  spreads_->setLook(QPen(look.tinted(look.frontier, 0.6), look.line_width));
  bounds_->setLook(QPen(look.muted, look.line_width, Qt::DotLine), look.font, look.muted);
  baseline_->setScatterStyle(mark(QCPScatterStyle::ssSquare, look.muted, look.background, size * 0.8));
  baseline_->setPen(QPen(look.muted, look.line_width, Qt::DashLine));
  for (std::size_t age = 0; age < trail_.size(); ++age) {
    const QColor faded = look.tinted(look.current, 0.8 - 0.15 * static_cast<double>(age));
    trail_[age]->setScatterStyle(mark(QCPScatterStyle::ssDisc, faded, faded, size * 0.85));
  }
  ring_->setScatterStyle(mark(QCPScatterStyle::ssCircle, look.current, Qt::NoBrush, size * 1.9, 1.6));
  selected_->setScatterStyle(mark(QCPScatterStyle::ssSquare, look.current, Qt::NoBrush, size * 1.5, 1.2));
  hover_ring_->setScatterStyle(mark(QCPScatterStyle::ssCircle, look.muted, Qt::NoBrush, size * 1.9));
  hover_ring_->setVisible(!look.on_paper);
  hatch_->setLook(QPen(look.tinted(look.failed, 0.45), look.axis_width), size * 1.1);
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
  for (QCPGraph* graph : {front_, knee_, dominated_, infeasible_, failed_, baseline_, ring_, trail_.front()})
    mention(graph);
  for (QCPGraph* graph : {left_out_, selected_}) graph->removeFromLegend();
  bounds_->mention();
  spreads_->mention();
  fitLegend(theme().on_paper ? 3 : 7);
}

void ParetoChart::setMetrics(const QString& x, const QString& y) {
  x_ = x;
  y_ = y;
  sign_x_ = directionOf(x);
  sign_y_ = directionOf(y);
  zoomed_ = false;
  bounds_->set({}, {});
  // What has no metric stands along the edge, but keeps its place on the axis of a knob.
  failed_->setKeyAxis(sign_x_ == 0 ? xAxis : edge_x_);
  failed_->setValueAxis(sign_y_ == 0 ? yAxis : edge_y_);
  setLogarithmic(wants_log_x_, wants_log_y_);
}

void ParetoChart::setLogarithmic(bool x, bool y) {
  wants_log_x_ = x;
  wants_log_y_ = y;
  zoomed_ = false;
  readAll();
}

void ParetoChart::setBounds(std::optional<double> x, std::optional<double> y) {
  const auto told = [](const std::optional<double>& at, const QString& metric) {
    return at ? std::optional(BoundLines::Bound{*at, text(metricQuantity(metric, *at))}) : std::nullopt;
  };
  bounds_->set(told(x, x_), told(y, y_));
  styleLegend();
  if (!zoomed_) rescale();
  replotLater();
}

QStringList ParetoChart::namesOf(const QString& column) const {
  const auto found = selection_->columns()->find(column);
  return found ? selection_->columns()->columns()[*found].names : QStringList();
}

void ParetoChart::scaleAxes() {
  const QStringList names_x = namesOf(x_), names_y = namesOf(y_);
  log_x_ = wants_log_x_ && names_x.isEmpty();
  log_y_ = wants_log_y_ && names_y.isEmpty();
  xAxis->setScaleType(log_x_ ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  yAxis->setScaleType(log_y_ ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  xAxis->setTicker(ticker(x_, log_x_, names_x));
  yAxis->setTicker(ticker(y_, log_y_, names_y));
  for (const auto& [axis, column, sign] : {std::tuple(xAxis, x_, sign_x_), std::tuple(yAxis, y_, sign_y_)}) {
    const PointColumn named{column, sign == 0, {}};
    nameAxis(axis, columnTitle(named), columnUnit(named));
  }
}

void ParetoChart::setCurrent(std::optional<DesignPoint> current) {
  if (current && current_ && !isSame(*current, *current_)) visited_.push_back(*current_);
  if (current) std::erase_if(visited_, [&](const DesignPoint& each) { return isSame(each, *current); });
  if (visited_.size() > most_visited) visited_.erase(visited_.begin());
  current_ = std::move(current);
  showCurrent();
  showVisited();
  showNotice();
  styleLegend();
  if (!zoomed_) rescale();
  replotLater();
}

void ParetoChart::forgetVisited() {
  visited_.clear();
  showVisited();
  showNotice();
  styleLegend();
  replotLater();
}

void ParetoChart::showNotice() {
  setNotice(spots_.empty() && ring_->data()->isEmpty() && trail_.front()->data()->isEmpty()
                ? tr("No points yet.\nF5 evaluates every\ncombination of the knobs.")
                : QString());
}

void ParetoChart::readAll() {
  spots_.clear();
  by_x_.clear();
  order_.clear();
  hover(-1);
  scaleAxes();
  readNew(0);
  showData();
}

ParetoChart::Spot ParetoChart::spotOf(double x, double y, PointState state, std::size_t index) const {
  if (state == PointState::Cancelled) return {};
  Spot spot{x, y, true, !isMeasured(state)};
  if (spot.stuck) {
    const double along =
        (static_cast<double>(index) + 0.5) / std::max(1.0, static_cast<double>(selection_->points().size()));
    if (sign_x_ != 0) spot.x = sign_y_ == 0 ? 1 - band_thickness / 2 : along;
    if (sign_y_ != 0) spot.y = 1 - band_thickness / 2;
  }
  const bool on_x = !spot.stuck || sign_x_ == 0, on_y = !spot.stuck || sign_y_ == 0;
  const bool fits = std::isfinite(spot.x) && std::isfinite(spot.y) && (!on_x || !log_x_ || spot.x > 0) &&
                    (!on_y || !log_y_ || spot.y > 0);
  return fits ? spot : Spot{};
}

ParetoChart::Spot ParetoChart::spotOf(const DesignPoint& point) const {
  const auto value = [&point](const QString& column) {
    const auto knob = point.knobs.find(column.toStdString());
    if (knob != point.knobs.end()) return static_cast<double>(knob->second);
    return sluice::metric(point, column.toStdString());
  };
  return spotOf(value(x_), value(y_), point.state, 0);
}

void ParetoChart::readNew(int first) {
  const PointColumns& columns = *selection_->columns();
  const std::vector<DesignPoint>& points = selection_->points();
  const auto x = columns.find(x_), y = columns.find(y_);
  spots_.resize(std::min(spots_.size(), static_cast<std::size_t>(first)));
  const double nowhere = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = spots_.size(); i < points.size(); ++i) {
    spots_.push_back(spotOf(x ? columns.columns()[*x].values[i] : nowhere,
                            y ? columns.columns()[*y].values[i] : nowhere, points[i].state, i));
  }
  sortSpots();
  updateFrontier();
}

/// The plot wants its data by x: sorted here once, not for every filter.
void ParetoChart::sortByX() {
  const auto before = [this](std::uint32_t a, std::uint32_t b) {
    return spots_[a].x != spots_[b].x ? spots_[a].x < spots_[b].x : a < b;
  };
  std::uint32_t next = 0;
  for (const std::uint32_t i : by_x_) next = std::max(next, i + 1);
  const auto middle = static_cast<std::ptrdiff_t>(by_x_.size());
  for (std::uint32_t i = next; i < spots_.size(); ++i)
    if (spots_[i].drawn) by_x_.push_back(i);
  std::sort(by_x_.begin() + middle, by_x_.end(), before);
  std::inplace_merge(by_x_.begin(), by_x_.begin() + middle, by_x_.end(), before);
}

/// Sorted once, the frontier under any filter is one walk. New points are few: they are sorted and merged in.
void ParetoChart::sortSpots() {
  sortByX();
  if (!hasDirection()) return order_.clear();
  const std::vector<DesignPoint>& points = selection_->points();
  const auto before = [this](std::size_t a, std::size_t b) {
    const double ax = sign_x_ * spots_[a].x, bx = sign_x_ * spots_[b].x;
    if (ax != bx) return ax < bx;
    const double ay = sign_y_ * spots_[a].y, by = sign_y_ * spots_[b].y;
    return ay != by ? ay < by : a < b;
  };
  std::size_t next = 0;
  for (const std::size_t i : order_) next = std::max(next, i + 1);
  const auto middle = static_cast<std::ptrdiff_t>(order_.size());
  for (std::size_t i = next; i < spots_.size(); ++i)
    if (spots_[i].drawn && points[i].state == PointState::Done &&
        selection_->columns()->model()->isComparable(points[i]))
      order_.push_back(i);
  std::sort(order_.begin() + middle, order_.end(), before);
  std::inplace_merge(order_.begin(), order_.begin() + middle, order_.end(), before);
}

void ParetoChart::updateFrontier() {
  frontier_.clear();
  on_frontier_.assign(spots_.size(), 0);
  double lowest = infinity;
  for (const std::size_t i : order_) {
    const double y = sign_y_ * spots_[i].y;
    if (y >= lowest || !selection_->isShown(i)) continue;
    lowest = y;
    frontier_.push_back(i);
    on_frontier_[i] = 1;
  }
  front_->setLineStyle(sign_x_ > 0 ? QCPGraph::lsStepLeft : QCPGraph::lsStepRight);
  baseline_->setLineStyle(front_->lineStyle());
}

bool ParetoChart::inFrontier(std::size_t index) const {
  return index < on_frontier_.size() && on_frontier_[index] != 0;
}

void ParetoChart::updateFigures() {
  figures_ = {};
  figures_.frontier = frontier_.size();
  std::vector<double> pairs;
  for (const std::size_t i : frontier_) {
    pairs.push_back(sign_x_ * spots_[i].x);
    pairs.push_back(sign_y_ * spots_[i].y);
  }
  if (const auto knee = kneePoint(pairs)) figures_.knee = static_cast<int>(frontier_[*knee]);
  if (!frontier_.empty()) {
    std::vector<double> shown;
    for (const std::size_t i : order_)
      if (selection_->isShown(i)) shown.insert(shown.end(), {sign_x_ * spots_[i].x, sign_y_ * spots_[i].y});
    const RelativeHypervolume relative = relativeHypervolume(shown, 2);
    figures_.hypervolume = relative.share;
    figures_.reference = {sign_x_ * relative.reference[0], sign_y_ * relative.reference[1]};
  }
  for (const std::size_t i : frontier_) {
    const auto distance = improvementOf(i);
    if (distance && *distance > figures_.improvement.value_or(0)) figures_.improvement = distance;
  }
  emit figuresChanged();
}

/// As paretoImprovementDistance() wants them: positive, smaller is better.
std::vector<double> ParetoChart::baselinePairs() const {
  std::vector<double> pairs;
  for (const int index : selection_->baseline()) {
    const auto i = static_cast<std::size_t>(index);
    if (i >= spots_.size() || !spots_[i].drawn || selection_->points()[i].state != PointState::Done) continue;
    pairs.push_back(sign_x_ > 0 ? spots_[i].x : 1 / spots_[i].x);
    pairs.push_back(sign_y_ > 0 ? spots_[i].y : 1 / spots_[i].y);
  }
  return pairs;
}

std::optional<double> ParetoChart::improvementOf(std::size_t point) const {
  if (!hasDirection() || point >= spots_.size() || !spots_[point].drawn || spots_[point].stuck)
    return std::nullopt;
  const std::vector<double> baseline = baselinePairs();
  const double x = spots_[point].x, y = spots_[point].y;
  const double distance =
      paretoImprovementDistance(sign_x_ > 0 ? x : 1 / x, sign_y_ > 0 ? y : 1 / y, baseline);
  return std::isfinite(distance) ? std::optional(distance) : std::nullopt;
}

void ParetoChart::showData() {
  QVector<QCPGraphData> dominated, infeasible, failed, front, left_out;
  for (const std::size_t index : frontier_) front.append(QCPGraphData(spots_[index].x, spots_[index].y));
  const std::vector<DesignPoint>& points = selection_->points();
  for (const std::uint32_t index : by_x_) {
    const Spot& spot = spots_[index];
    if (on_frontier_[index]) continue;
    const bool shown = selection_->isShown(index);
    if (!shown && spot.stuck) continue;
    auto& group = !shown                                    ? left_out
                  : spot.stuck                              ? failed
                  : points[index].state == PointState::Done ? dominated
                                                            : infeasible;
    group.append(QCPGraphData(spot.x, spot.y));
  }
  hatch_->setEdges(!failed.empty() && sign_y_ != 0, !failed.empty() && sign_x_ != 0 && sign_y_ == 0);
  dominated_->data()->set(dominated, true);
  infeasible_->data()->set(infeasible, true);
  failed_->data()->set(failed, true);
  left_out_->data()->set(left_out, true);
  front_->data()->set(front);
  updateFigures();
  knee_->data()->clear();
  if (figures_.knee) {
    const Spot& at = spots_[static_cast<std::size_t>(*figures_.knee)];
    knee_->addData(at.x, at.y);
  }
  showBaseline();
  showSpreads();
  showCurrent();
  showVisited();
  showNotice();
  showSelected();
  restyle();
  if (!zoomed_) rescale();
  replotLater();
}

void ParetoChart::showBaseline() {
  QVector<QCPGraphData> shown;
  const std::vector<double> pairs = baselinePairs();
  if (hasDirection()) {
    std::vector<std::size_t> stairs = paretoFrontier(pairs, 2);
    for (const std::size_t i : stairs)
      shown.append(QCPGraphData(sign_x_ > 0 ? pairs[2 * i] : 1 / pairs[2 * i],
                                sign_y_ > 0 ? pairs[2 * i + 1] : 1 / pairs[2 * i + 1]));
  }
  baseline_->data()->set(shown);
}

/// Points have quantiles where they were evaluated under a set of traces.
void ParetoChart::showSpreads() {
  std::vector<Spread> shown;
  const auto quantile = [](const char* which, const QString& metric) {
    return findMetric(which + ("(" + metric.toStdString() + ")"));
  };
  const MetricSpec* const ends[] = {quantile("p5", x_), quantile("p95", x_), quantile("p5", y_),
                                    quantile("p95", y_)};
  const std::vector<DesignPoint>& points = selection_->points();
  for (std::size_t i = 0; i < spots_.size() && spots_.size() <= crowd; ++i) {
    const Spot& spot = spots_[i];
    if (!spot.drawn || spot.stuck || !selection_->isShown(i)) continue;
    Spread spread{spot.x, spot.y, spot.x, spot.x, spot.y, spot.y};
    double* const into[] = {&spread.x_low, &spread.x_high, &spread.y_low, &spread.y_high};
    for (std::size_t end = 0; end < std::size(ends); ++end)
      if (const double value = ends[end] ? sluice::metric(points[i], *ends[end]) : std::nan("");
          std::isfinite(value))
        *into[end] = value;
    if (spread.x_low < spread.x_high || spread.y_low < spread.y_high) shown.push_back(spread);
  }
  spreads_->set(shown);
}

void ParetoChart::showCurrent() {
  ring_->data()->clear();
  if (!current_) return;
  const Spot spot = spotOf(*current_);
  if (spot.drawn && !spot.stuck) ring_->addData(spot.x, spot.y);
}

/// Explored points show more than these.
void ParetoChart::showVisited() {
  for (QCPGraph* graph : trail_) graph->data()->clear();
  if (!spots_.empty()) return;
  std::size_t age = 0;  // the older, the more of them look alike
  for (auto point = visited_.rbegin(); point != visited_.rend(); ++point) {
    const Spot spot = spotOf(*point);
    if (!spot.drawn || spot.stuck) continue;
    const auto shade = static_cast<std::size_t>(std::bit_width(age++));
    trail_[std::min(shade, trail_.size() - 1)]->addData(spot.x, spot.y);
  }
}

void ParetoChart::showSelected() {
  QVector<QCPGraphData> shown;
  for (const int index : selection_->selected()) {
    if (static_cast<std::size_t>(index) >= spots_.size()) continue;
    const Spot& spot = spots_[static_cast<std::size_t>(index)];
    if (!spot.drawn) continue;
    const QPointF at = pixel(spot);  // a stuck one is on other axes
    shown.append(spot.stuck ? QCPGraphData(xAxis->pixelToCoord(at.x()), yAxis->pixelToCoord(at.y()))
                            : QCPGraphData(spot.x, spot.y));
  }
  selected_->data()->set(shown);
}

void ParetoChart::rescale() {
  double x_low = infinity, x_high = -infinity, y_low = infinity, y_high = -infinity;
  const auto include = [](double value, double& low, double& high) {
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const Spot& spot : spots_) {
    if (!spot.drawn) continue;
    if (!spot.stuck || sign_x_ == 0) include(spot.x, x_low, x_high);
    if (!spot.stuck || sign_y_ == 0) include(spot.y, y_low, y_high);
  }
  for (const Spread& spread : spreads_->spreads()) {
    for (const double end : {spread.x_low, spread.x_high}) include(end, x_low, x_high);
    for (const double end : {spread.y_low, spread.y_high}) include(end, y_low, y_high);
  }
  std::vector<QCPGraph*> of_window(trail_.begin(), trail_.end());
  of_window.push_back(ring_);
  for (const QCPGraph* graph : of_window) {
    for (const QCPGraphData& at : *graph->data()) {
      include(at.key, x_low, x_high);
      include(at.value, y_low, y_high);
    }
  }
  bounds_->stretch(0, x_low, x_high, log_x_);
  bounds_->stretch(1, y_low, y_high, log_y_);
  xAxis->setRange(padded(x_low, x_high, log_x_));
  yAxis->setRange(padded(y_low, y_high, log_y_));
}

QPointF ParetoChart::pixel(const Spot& spot) const {
  const QCPAxis* x = spot.stuck ? failed_->keyAxis() : xAxis;
  const QCPAxis* y = spot.stuck ? failed_->valueAxis() : yAxis;
  return {x->coordToPixel(spot.x), y->coordToPixel(spot.y)};
}

std::optional<QPointF> ParetoChart::pixelOf(int index) const {
  if (index < 0 || static_cast<std::size_t>(index) >= spots_.size()) return std::nullopt;
  const Spot& spot = spots_[static_cast<std::size_t>(index)];
  if (!spot.drawn) return std::nullopt;
  return pixel(spot);
}

QString ParetoChart::csv() const {
  return selection_->columns()->model()->csv(frontier_);
}

}  // namespace sluice::ui
