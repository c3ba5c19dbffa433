// The parallel coordinates under mouse and keys.

#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/common/trust_line.h"
#include "widgets/parallel/parallel_view.h"

namespace sluice::ui {
namespace {

constexpr double axis_reach = 12, end_reach = 5, line_reach = 6;  // pixels

}  // namespace

double ParallelView::placeAt(double y) const {
  return std::clamp((y - layout_.frame.bottom) / (layout_.frame.top - layout_.frame.bottom), 0.0, 1.0);
}

std::optional<std::size_t> ParallelView::axisAt(QPointF position, double reach) const {
  for (std::size_t axis = 0; axis < layout_.frame.x.size(); ++axis)
    if (std::abs(layout_.frame.x[axis] - position.x()) <= reach) return axis;
  return std::nullopt;
}

std::optional<int> ParallelView::lineAt(QPointF position) const {
  if (layout_.frame.x.size() < 2 || position.y() < layout_.frame.top - line_reach) return std::nullopt;
  const auto after = std::upper_bound(layout_.frame.x.begin(), layout_.frame.x.end(), position.x());
  if (after == layout_.frame.x.begin() || after == layout_.frame.x.end()) return std::nullopt;
  const auto left = static_cast<std::size_t>(after - layout_.frame.x.begin()) - 1;
  const double share = (position.x() - layout_.frame.x[left]) / layout_.gap;
  const auto height = [&](std::size_t axis, std::size_t point) {
    const float place = places_[axis][point];
    return std::isnan(place) ? layout_.frame.missing
                             : layout_.frame.bottom +
                                   (layout_.frame.top - layout_.frame.bottom) * static_cast<double>(place);
  };
  std::optional<int> best;
  double nearest = line_reach;
  for (std::size_t point = 0; point < places_[left].size(); ++point) {
    if (!selection_->isShown(point)) continue;
    const double from = height(left, point), to = height(left + 1, point);
    // Across the line, not straight down: a steep one is as easy to hit.
    const double apart =
        std::abs(from + (to - from) * share - position.y()) / std::hypot(1, (to - from) / layout_.gap);
    if (apart >= nearest) continue;
    nearest = apart;
    best = static_cast<int>(point);
  }
  return best;
}

void ParallelView::brush(std::size_t axis, double from, double to) {
  const auto [low, high] = axes_.range(axis, from, to);
  selection_->setRange(axes_.axes()[axis].column, low, high, drag_);
}

void ParallelView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || selection_->points().empty()) return;
  pressed_ = event->position();
  hold_ = Hold::Nothing;
  hover(std::nullopt, {});
  for (std::size_t axis = 0; axis < axes_.axes().size(); ++axis) {
    if (!titleRect(axis).contains(pressed_)) continue;
    hold_ = Hold::Title;
    held_ = current_ = axis;
    title_x_ = layout_.frame.x[axis];
    return update();
  }
  const auto axis = axisAt(pressed_, axis_reach);
  if (!axis) return;
  held_ = current_ = *axis;
  ++drag_;
  grip_ = placeAt(pressed_.y());
  hold_ = Hold::Brush;
  if (const auto range = brushOf(*axis)) {
    std::tie(brush_low_, brush_high_) = *range;
    const double height = layout_.frame.bottom - layout_.frame.top;
    if (std::abs(grip_ - brush_low_) * height <= end_reach) {
      hold_ = Hold::LowEnd;
    } else if (std::abs(grip_ - brush_high_) * height <= end_reach) {
      hold_ = Hold::HighEnd;
    } else if (grip_ > brush_low_ && grip_ < brush_high_) {
      hold_ = Hold::MoveBrush;
    }
  }
  update();
}

void ParallelView::dragBrush(double place) {
  if (hold_ == Hold::Brush) brush(held_, grip_, place);
  if (hold_ == Hold::LowEnd) brush(held_, place, brush_high_);
  if (hold_ == Hold::HighEnd) brush(held_, brush_low_, place);
  if (hold_ != Hold::MoveBrush) return;
  const double by = std::clamp(place - grip_, -brush_low_, 1 - brush_high_);
  brush(held_, brush_low_ + by, brush_high_ + by);
}

void ParallelView::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) {
    const bool far = (event->position() - pressed_).manhattanLength() >= 4;
    if (hold_ == Hold::Title) {
      title_x_ = event->position().x();
      const double slot = std::round((title_x_ - layout_.frame.x.front()) / std::max(1.0, layout_.gap));
      const auto to =
          static_cast<std::size_t>(std::clamp(slot, 0.0, static_cast<double>(axes_.axes().size() - 1)));
      if (to != held_) {
        moveAxis(held_, to);
        held_ = current_ = to;
      }
      update();
    } else if (hold_ != Hold::Nothing && far) {
      dragBrush(placeAt(event->position().y()));
    }
    return;
  }
  const bool title = event->position().y() < layout_.title_height;
  setCursor(title                                   ? Qt::OpenHandCursor
            : axisAt(event->position(), axis_reach) ? Qt::SplitVCursor
                                                    : Qt::ArrowCursor);
  hover(title || places_.empty() || places_.front().empty() ? std::nullopt : lineAt(event->position()),
        event->globalPosition().toPoint());
}

void ParallelView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const bool click = (event->position() - pressed_).manhattanLength() < 4;
  const Hold held = std::exchange(hold_, Hold::Nothing);
  update();
  if (!click || selection_->points().empty() || held == Hold::Title) return;
  if (held != Hold::Nothing) return selection_->clearRange(axes_.axes()[held_].column);
  const auto line = lineAt(event->position());
  if (line && event->modifiers() & Qt::ControlModifier) return selection_->toggle(*line);
  selection_->select(line ? std::vector<int>{*line} : std::vector<int>{});
}

void ParallelView::mouseDoubleClickEvent(QMouseEvent* event) {
  for (std::size_t axis = 0; axis < axes_.axes().size(); ++axis)
    if (titleRect(axis).contains(event->position())) return invertAxis(axis);
  if (axisAt(event->position(), axis_reach)) return;
  if (const auto line = lineAt(event->position())) emit pointActivated(*line);
}

void ParallelView::contextMenuEvent(QContextMenuEvent* event) {
  if (axes_.axes().empty()) return;
  const double x = event->reason() == QContextMenuEvent::Mouse ? event->pos().x() : layout_.frame.x[current_];
  const double slot = std::round((x - layout_.frame.x.front()) / std::max(1.0, layout_.gap));
  const auto axis =
      static_cast<std::size_t>(std::clamp(slot, 0.0, static_cast<double>(axes_.axes().size() - 1)));
  const QString column = axes_.axes()[axis].column;
  QMenu menu(this);
  menu.addAction(tr("Invert"), this, [this, axis] { invertAxis(axis); });
  QAction* log = menu.addAction(tr("Logarithmic"));
  log->setCheckable(true);
  log->setChecked(axes_.axes()[axis].logarithmic);
  log->setEnabled(axes_.canBeLogarithmic(axis));
  connect(log, &QAction::toggled, this, [this, axis](bool on) { setLogarithmic(axis, on); });
  QAction* clear =
      menu.addAction(tr("Remove Its Filter"), this, [this, column] { selection_->clearRange(column); });
  clear->setEnabled(selection_->rangeOf(column) != nullptr);
  menu.addAction(tr("Hide"), this, [this, axis] { hideAxis(axis); });
  QMenu* more = menu.addMenu(tr("Show"));
  more->setEnabled(!axes_.hidden().empty());
  for (const QString& hidden : axes_.hidden()) {
    const auto at = selection_->columns()->find(hidden);
    if (at)
      more->addAction(columnTitle(selection_->columns()->columns()[*at]), this,
                      [this, hidden] { showAxis(hidden); });
  }
  menu.exec(event->globalPos());
}

/// From a level to the next, or a tenth of the axis further.
void ParallelView::stepBrush(int step) {
  const ParallelAxis& axis = axes_.axes()[current_];
  const double parts = axis.levels.size() > 1 ? static_cast<double>(axis.levels.size() - 1) : 10;
  const auto range = brushOf(current_);
  const double half = axis.levels.empty() ? 0.5 / parts : 0;
  const double middle = range      ? (range->first + range->second) / 2 + step / parts
                        : step > 0 ? half
                                   : 1 - half;
  ++drag_;
  const double at = std::clamp(middle, half, 1 - half);
  brush(current_, at - half, at + half);
}

void ParallelView::keyPressEvent(QKeyEvent* event) {
  const std::size_t count = axes_.axes().size();
  if (count == 0) return QWidget::keyPressEvent(event);
  const int key = event->key();
  if (key == Qt::Key_Left || key == Qt::Key_Right) {
    const std::size_t to =
        key == Qt::Key_Left ? (current_ > 0 ? current_ - 1 : 0) : std::min(current_ + 1, count - 1);
    if (event->modifiers() & Qt::ControlModifier) moveAxis(current_, to);
    current_ = to;
    update();
  } else if (key == Qt::Key_Up || key == Qt::Key_Down) {
    stepBrush(key == Qt::Key_Up ? 1 : -1);
  } else if (key == Qt::Key_I) {
    invertAxis(current_);
  } else if (key == Qt::Key_L) {
    setLogarithmic(current_, !axes_.axes()[current_].logarithmic);
  } else if (key == Qt::Key_Delete || key == Qt::Key_Backspace) {
    selection_->clearRange(axes_.axes()[current_].column);
  } else {
    QWidget::keyPressEvent(event);
  }
}

QString ParallelView::tooltip(int point) const {
  const DesignPoint& shown = selection_->points()[static_cast<std::size_t>(point)];
  QString text = stateText(shown.state);
  if (!shown.cause.empty()) text += QStringLiteral(": ") + QString::fromStdString(shown.cause);
  text = QStringLiteral("<p>%1</p>").arg(text.toHtmlEscaped());
  for (const PointColumn& column : selection_->columns()->columns()) {
    const double value = column.values[static_cast<std::size_t>(point)];
    if (std::isfinite(value))
      text += QStringLiteral("%1: <b>%2</b><br>")
                  .arg(columnTitle(column).toHtmlEscaped(), columnText(column, value).toHtmlEscaped());
  }
  if (shown.fidelity == Fidelity::Symbolic) return text;
  return text +
         trustLine(qt(sluice::text(selection_->columns()->model()->trust(static_cast<std::size_t>(point)))))
             .toHtmlEscaped();
}

void ParallelView::hover(std::optional<int> point, const QPoint& global) {
  if (point == hovered_) return;
  hovered_ = point;
  update();
  if (point) {
    QToolTip::showText(global + QPoint(12, 12), tooltip(*point), this);
  } else {
    QToolTip::hideText();
  }
}

void ParallelView::leaveEvent(QEvent* event) {
  hover(std::nullopt, {});
  QWidget::leaveEvent(event);
}

}  // namespace sluice::ui
