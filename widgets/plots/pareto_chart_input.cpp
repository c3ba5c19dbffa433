// The Pareto chart under mouse and keys: hovering tells, a click chooses, Shift and the mouse select an area,
// Ctrl and a click one more point; the arrow keys walk along the frontier.

#include <QRubberBand>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/common/quantity.h"
#include "widgets/plots/pareto_chart.h"

namespace sluice::ui {
namespace {

constexpr double hover_radius = 14;  // pixels

}  // namespace

/// Drawn spots that may lie in an area: those that do, and all that stand along an edge, as these are few.
std::vector<std::uint32_t> ParetoChart::near(const QRectF& area) const {
  const double left = xAxis->pixelToCoord(area.left()), right = xAxis->pixelToCoord(area.right());
  const double top = yAxis->pixelToCoord(area.top()), bottom = yAxis->pixelToCoord(area.bottom());
  const auto [low_x, high_x] = std::minmax(left, right);
  const auto [low_y, high_y] = std::minmax(top, bottom);
  std::vector<std::uint32_t> found;
  for (std::uint32_t index = 0; index < spots_.size(); ++index) {
    const Spot& spot = spots_[index];
    const bool inside = spot.x >= low_x && spot.x <= high_x && spot.y >= low_y && spot.y <= high_y;
    if (spot.drawn && (inside || spot.stuck)) found.push_back(index);
  }
  return found;
}

std::optional<int> ParetoChart::nearest(QPointF position, double radius) const {
  if (!axisRect()->rect().contains(position.toPoint())) return std::nullopt;
  std::optional<int> best;
  double best_distance = radius * radius;
  const auto consider = [&](std::size_t index) {
    if (!spots_[index].drawn || !selection_->isShown(index)) return;
    const QPointF apart = pixel(spots_[index]) - position;
    const double distance = QPointF::dotProduct(apart, apart);
    if (distance >= best_distance) return;
    best_distance = distance;
    best = static_cast<int>(index);
  };
  // Frontier points first: where glyphs overlap, the one drawn on top is meant.
  for (const std::size_t index : frontier_) consider(index);
  if (best) return best;
  // Of the others only those within reach are looked at closely.
  const QRectF around(position - QPointF(radius, radius), position + QPointF(radius, radius));
  for (const std::uint32_t index : near(around)) consider(index);
  return best;
}

std::vector<int> ParetoChart::within(const QRect& area) const {
  std::vector<int> found;
  for (const std::uint32_t index : near(QRectF(area).adjusted(-1, -1, 1, 1))) {
    if (!selection_->isShown(index)) continue;
    if (area.contains(pixel(spots_[index]).toPoint())) found.push_back(static_cast<int>(index));
  }
  std::sort(found.begin(), found.end());
  return found;
}

QString ParetoChart::tooltip(std::size_t index) const {
  const DesignPoint& point = selection_->points()[index];
  QString rows;
  const auto row = [&rows](const QString& left, const QString& right) {
    rows += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align='right'><b>%2</b></td></tr>")
                .arg(left.toHtmlEscaped(), right.toHtmlEscaped());
  };
  const KnobNames& names = selection_->columns()->model()->knobNames();
  for (const auto& [knob, value] : point.knobs)
    row(QString::fromStdString(knob), knobValueText(knob, value, names));
  if (isMeasured(point.state)) {
    row(tr("Fidelity"), fidelityText(point.fidelity));
    for (const MetricSpec* metric : selection_->columns()->model()->metrics())
      row(QString::fromStdString(metric->title), metricText(point, *metric));
    if (point.fidelity != Fidelity::Symbolic)
      row(tr("Trust in cycles"), QString::fromStdString(text(selection_->columns()->model()->trust(index))));
  }
  if (const auto distance = improvementOf(index))
    row(tr("Pareto improvement distance"), QString::number(*distance, 'f', 3));
  QString head = inFrontier(index) ? tr("On the frontier") : stateText(point.state);
  if (figures_.knee && static_cast<std::size_t>(*figures_.knee) == index) head = tr("The frontier's knee");
  if (!point.cause.empty()) head += QStringLiteral(": ") + QString::fromStdString(point.cause);
  return QStringLiteral("<p>%1</p><table cellspacing='1'>%2</table>").arg(head.toHtmlEscaped(), rows);
}

void ParetoChart::hover(int index) {
  if (index == hovered_) return;
  hovered_ = index;
  hover_ring_->data()->clear();
  if (index >= 0 && !spots_[static_cast<std::size_t>(index)].stuck) {
    const Spot& spot = spots_[static_cast<std::size_t>(index)];
    hover_ring_->addData(spot.x, spot.y);
  }
  setCursor(index >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  layer(QStringLiteral("overlay"))->replot();
}

void ParetoChart::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->position().toPoint();
  setFocus(Qt::MouseFocusReason);
  if (event->button() == Qt::LeftButton && event->modifiers() & Qt::ShiftModifier) {
    if (!band_) band_ = new QRubberBand(QRubberBand::Rectangle, this);
    band_->setGeometry(QRect(pressed_, QSize()));
    band_->show();
    return;
  }
  Plot::mousePressEvent(event);
}

void ParetoChart::mouseReleaseEvent(QMouseEvent* event) {
  if (band_ && band_->isVisible()) {
    band_->hide();
    selection_->select(within(band_->geometry()));
    return;
  }
  Plot::mouseReleaseEvent(event);
  const bool click = (event->position().toPoint() - pressed_).manhattanLength() < 4;
  if (event->button() != Qt::LeftButton || !click) return;
  const auto index = nearest(event->position(), hover_radius);
  if (!index) return selection_->select({});
  if (event->modifiers() & Qt::ControlModifier) return selection_->toggle(*index);
  selection_->select({*index});
  emit pointClicked(*index);
}

void ParetoChart::mouseMoveEvent(QMouseEvent* event) {
  if (band_ && band_->isVisible()) {
    band_->setGeometry(QRect(pressed_, event->position().toPoint()).normalized());
    return;
  }
  Plot::mouseMoveEvent(event);
  if (event->buttons() != Qt::NoButton) {
    zoomed_ = true;
    return;
  }
  const auto index = nearest(event->position(), hover_radius);
  hover(index.value_or(-1));
  if (!index) {
    QToolTip::hideText();
    return;
  }
  QToolTip::showText(event->globalPosition().toPoint() + QPoint(12, 12),
                     tooltip(static_cast<std::size_t>(*index)), this);
}

void ParetoChart::mouseDoubleClickEvent(QMouseEvent* event) {
  Plot::mouseDoubleClickEvent(event);
  if (nearest(event->position(), hover_radius)) return;
  zoomed_ = false;
  rescale();
  replotLater();
}

void ParetoChart::wheelEvent(QWheelEvent* event) {
  zoomed_ = true;
  Plot::wheelEvent(event);
}

void ParetoChart::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  const std::vector<int>& selected = selection_->selected();
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && selected.size() == 1) {
    emit pointActivated(selected.front());
  } else if (step != 0 && !frontier_.empty()) {
    // From the selected point of the frontier to its neighbour; from nowhere to an end.
    const auto count = static_cast<int>(frontier_.size());
    int at = step > 0 ? -1 : count;
    for (int i = 0; i < count; ++i)
      if (selected.size() == 1 &&
          frontier_[static_cast<std::size_t>(i)] == static_cast<std::size_t>(selected.front()))
        at = i;
    at = std::clamp(at + step, 0, count - 1);
    selection_->select({static_cast<int>(frontier_[static_cast<std::size_t>(at)])});
  } else {
    Plot::keyPressEvent(event);
  }
}

void ParetoChart::leaveEvent(QEvent* event) {
  hover(-1);
  Plot::leaveEvent(event);
}

}  // namespace sluice::ui
