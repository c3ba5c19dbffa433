// TimelineView: mouse and keys.

#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/common/quantity.h"
#include "widgets/common/trust_line.h"
#include "widgets/timeline/state_look.h"
#include "widgets/timeline/time_cursor.h"
#include "widgets/timeline/timeline_view.h"

namespace sluice::ui {

void TimelineView::resizeEvent(QResizeEvent*) {
  strips_.clear();
  updateScrollBars();
}

void TimelineView::scrollContentsBy(int, int) {
  viewport()->update();
}

void TimelineView::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
    strips_.clear();
    viewport()->update();
  }
}

void TimelineView::moveCursorTo(double pixel) {
  cursor_->setCycle(static_cast<qint64>(std::max(0.0, cycleAt(pixel))));
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
  if (!run_) return;
  const QPoint at = event->position().toPoint();
  dragged_from_ = event->position();
  range_before_ = range_;
  if (std::abs(at.x() - name_width_) < 4) {
    drag_ = Drag::Names;
  } else if (at.x() < name_width_) {
    const int row = rowAt(at.y());
    if (row < 0) return;
    const TimelineRow of = rows_.shown()[static_cast<std::size_t>(row)];
    if (of.kind == TimelineRow::Kind::Region && at.x() < 6 + 12 * of.depth + 14) {
      fold(of.path, !of.collapsed);
    } else {
      selectRow(row);
    }
  } else if (event->button() == Qt::MiddleButton || event->modifiers() & Qt::ShiftModifier) {
    drag_ = Drag::Pan;
  } else if (event->button() == Qt::LeftButton) {
    drag_ = Drag::Cursor;
    moveCursorTo(event->position().x());
  }
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
  const double x = event->position().x();
  switch (drag_) {
    case Drag::Cursor:
      moveCursorTo(std::clamp<double>(x, name_width_, viewport()->width() - 1));
      break;
    case Drag::Pan: {
      const double moved = (x - dragged_from_.x()) / tracksWidth() * range_before_.length();
      setRange({range_before_.from - moved, range_before_.to - moved});
      break;
    }
    case Drag::Names:
      name_width_ = std::clamp(static_cast<int>(x), 80, std::max(80, viewport()->width() - 100));
      strips_.clear();
      viewport()->update();
      break;
    case Drag::None:
      viewport()->setCursor(std::abs(x - name_width_) < 4 ? Qt::SplitHCursor
                            : x > name_width_             ? Qt::CrossCursor
                                                          : Qt::ArrowCursor);
  }
}

void TimelineView::mouseReleaseEvent(QMouseEvent*) {
  drag_ = Drag::None;
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->position().x() > name_width_) fit();
}

void TimelineView::wheelEvent(QWheelEvent* event) {
  const QPoint delta = event->angleDelta();
  if (event->modifiers() & Qt::ControlModifier) {
    zoomAbout(std::pow(2.0, delta.y() / 240.0), std::max<double>(event->position().x(), name_width_));
  } else if (event->modifiers() & Qt::ShiftModifier || delta.x() != 0) {
    const double moved = (delta.x() != 0 ? delta.x() : delta.y()) / 1200.0 * range_.length();
    setRange({range_.from - moved, range_.to - moved});
  } else {
    QAbstractScrollArea::wheelEvent(event);
    return;
  }
  event->accept();
}

void TimelineView::selectRow(int row) {
  const TimelineRow of = rows_.shown()[static_cast<std::size_t>(row)];
  const bool stream = of.kind == TimelineRow::Kind::Stream;
  select(stream ? QString() : of.origin, stream ? of.origin : QString());
  current_row_ = row;
  viewport()->update();
  if (of.origin.isEmpty()) return;  // those that are hardly busy
  if (stream) {
    emit streamSelected(of.origin);
  } else {
    emit nodeSelected(of.origin);
  }
}

/// Rows and single cycles; everything else is a command.
void TimelineView::keyPressEvent(QKeyEvent* event) {
  if (!run_ || rows_.shown().empty()) return QAbstractScrollArea::keyPressEvent(event);
  const int last = static_cast<int>(rows_.shown().size()) - 1;
  const bool folds = current_row_ >= 0 && current_row_ <= last &&
                     rows_.shown()[static_cast<std::size_t>(current_row_)].kind == TimelineRow::Kind::Region;
  switch (event->key()) {
    case Qt::Key_Up:
      return selectRow(std::clamp(current_row_ - 1, 0, last));
    case Qt::Key_Down:
      return selectRow(std::clamp(current_row_ + 1, 0, last));
    case Qt::Key_Return:
    case Qt::Key_Enter: {
      if (!folds) break;
      const TimelineRow of = rows_.shown()[static_cast<std::size_t>(current_row_)];
      return fold(of.path, !of.collapsed);
    }
    default:
      break;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

bool TimelineView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip && run_) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), withTrust(tipAt(help->pos()), trustLine(*this)), viewport());
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

QString TimelineView::tipAt(const QPoint& position) const {
  const int row = rowAt(position.y());
  if (row < 0) return {};
  const TimelineRow& of = rows_.shown()[static_cast<std::size_t>(row)];
  const QString name = QStringLiteral("<b>%1</b><br>").arg(of.path.toHtmlEscaped());
  if (position.x() < name_width_) return name;
  const auto cycle = static_cast<Cycles>(std::max(0.0, cycleAt(position.x())));
  const QString when = tr("cycle %1").arg(exactNumber(cycle));
  if (of.kind == TimelineRow::Kind::Stream) {
    return name + when +
           tr(": %1 of %2 tokens")
               .arg(run_.timeline->occupancyAt(of.streams.front(), cycle))
               .arg(of.capacity);
  }
  if (of.kind == TimelineRow::Kind::Region) return name + tr("%1 operators").arg(of.processes.size());
  const StateAt state = run_.timeline->stateAt(of.processes.front(), cycle);
  QString text = name + when + QStringLiteral(": ") + stateName(state.state) +
                 tr("<br>from %1 to %2").arg(exactNumber(state.since), exactNumber(state.until));
  if (state.stream) {
    const QString stream = QString::fromStdString(run_.graph->streams[*state.stream].name).toHtmlEscaped();
    text += tr("<br>on %1").arg(stream);
  }
  if (static_cast<std::size_t>(state.state) < wait_kinds) {
    const StallAt stall = stallAt(*run_.graph, *run_.timeline, of.processes.front(), cycle);
    text += tr("<br>due to %1")
                .arg(QString::fromStdString(sluice::text(*run_.graph, stall.cause)).toHtmlEscaped());
  }
  return text;
}

}  // namespace sluice::ui
