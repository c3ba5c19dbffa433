#include "app/window/export/figure_preview.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScreen>
#include <QStyleHints>
#include <algorithm>
#include <cmath>

namespace sluice::ui {
namespace {

constexpr int page_margin = 12;     // pixels around the page
constexpr double edge_reach = 6;    // pixels from an edge that the mouse takes hold of
constexpr int height_step = 6;      // points
constexpr double empty_page = 0.4;  // height over width of a figure without panels

}  // namespace

FigurePreview::FigurePreview(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("figurePreview"));
  setAccessibleName(tr("The figure at its true size"));
  setToolTip(
      tr("Drag a panel to move it, its right or lower edge to resize it.\n"
         "Arrows choose a panel; Ctrl+arrows move it, Shift+arrows resize it, Delete removes it."));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

double FigurePreview::pixelsPerPoint() const {
  // Some screens do not know their size, or lie about it.
  const double physical = screen() ? screen()->physicalDotsPerInch() : 0;
  return (physical >= 60 && physical <= 300 ? physical : logicalDpiX()) / 72.0;
}

void FigurePreview::setPicture(const QImage& picture, QSizeF size, std::vector<QRectF> places) {
  picture_ = picture;
  size_ = places.empty() ? QSizeF(size.width(), empty_page * size.width()) : size;
  places_ = std::move(places);
  selected_ = std::min(selected_, count() - 1);
  hold_ = Hold::Nothing;
  resize(sizeHint());
  updateGeometry();
  update();
}

QSize FigurePreview::sizeHint() const {
  return (size_ * pixelsPerPoint()).toSize() + QSize(2 * page_margin, 2 * page_margin);
}

void FigurePreview::select(int panel) {
  selected_ = panel < count() ? panel : -1;
  update();
}

void FigurePreview::choose(int panel) {
  if (panel == selected_) return;
  select(panel);
  emit panelSelected(selected_);
}

QRectF FigurePreview::panelRect(int panel) const {
  const QRectF place = places_.at(static_cast<std::size_t>(panel));
  const double scale = pixelsPerPoint();
  return {page_margin + place.x() * scale, page_margin + place.y() * scale, place.width() * scale,
          place.height() * scale};
}

int FigurePreview::panelAt(QPointF position) const {
  for (int panel = 0; panel < count(); ++panel)
    if (panelRect(panel).adjusted(-2, -2, edge_reach, edge_reach).contains(position)) return panel;
  return -1;
}

FigurePreview::Hold FigurePreview::holdAt(QPointF position) const {
  const int panel = panelAt(position);
  if (panel < 0) return Hold::Nothing;
  if (panel != selected_) return Hold::Panel;
  const QRectF rect = panelRect(panel);
  if (std::abs(position.x() - rect.right()) <= edge_reach) return Hold::Right;
  return std::abs(position.y() - rect.bottom()) <= edge_reach ? Hold::Bottom : Hold::Panel;
}

void FigurePreview::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QRectF page(QPointF(page_margin, page_margin), size_ * pixelsPerPoint());
  painter.fillRect(page, Qt::white);
  if (!picture_.isNull()) painter.drawImage(page, picture_);
  painter.setPen(palette().color(QPalette::Mid));
  painter.drawRect(page);
  if (places_.empty() && !size_.isEmpty()) {
    painter.setPen(Qt::darkGray);  // on paper, in any theme
    painter.drawText(page, Qt::AlignCenter | Qt::TextWordWrap, tr("Add Panel puts a view on this page."));
  }
  if (selected_ < 0) return;
  QRectF frame = panelRect(selected_);
  if (hold_ == Hold::Right) frame.setRight(std::max(frame.left() + edge_reach, at_.x()));
  if (hold_ == Hold::Bottom) frame.setBottom(std::max(frame.top() + edge_reach, at_.y()));
  if (hold_ == Hold::Panel) frame.translate(at_ - pressed_);
  painter.setPen(QPen(palette().color(QPalette::Highlight), hasFocus() ? 2 : 1,
                      hold_ == Hold::Nothing ? Qt::SolidLine : Qt::DashLine));
  painter.drawRect(frame.adjusted(-2, -2, 2, 2));
  const int target = hold_ == Hold::Panel ? panelAt(at_) : -1;
  if (target >= 0 && target != selected_) {
    QColor tint = palette().color(QPalette::Highlight);
    tint.setAlpha(50);
    painter.fillRect(panelRect(target), tint);
  }
}

void FigurePreview::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  hold_ = holdAt(event->position());
  pressed_ = at_ = event->position();
  if (hold_ != Hold::Right && hold_ != Hold::Bottom) choose(panelAt(pressed_));
  update();
}

void FigurePreview::mouseMoveEvent(QMouseEvent* event) {
  if (hold_ != Hold::Nothing && event->buttons().testFlag(Qt::LeftButton)) {
    at_ = event->position();
    update();
    return;
  }
  const Hold over = holdAt(event->position());
  setCursor(over == Hold::Right    ? Qt::SizeHorCursor
            : over == Hold::Bottom ? Qt::SizeVerCursor
                                   : Qt::ArrowCursor);
}

void FigurePreview::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const Hold held = std::exchange(hold_, Hold::Nothing);
  const QPointF by = event->position() - pressed_;
  update();
  if (selected_ < 0 || by.manhattanLength() < QGuiApplication::styleHints()->startDragDistance()) return;
  const double scale = pixelsPerPoint();
  if (held == Hold::Right) emit panelStretched(selected_, QSizeF(by.x() / scale, 0));
  if (held == Hold::Bottom) emit panelStretched(selected_, QSizeF(0, by.y() / scale));
  const int target = panelAt(event->position());
  if (held == Hold::Panel && target >= 0 && target != selected_) emit panelMoved(selected_, target);
}

void FigurePreview::keyPressEvent(QKeyEvent* event) {
  const bool control = event->modifiers().testFlag(Qt::ControlModifier),
             shift = event->modifiers().testFlag(Qt::ShiftModifier);
  const int key = event->key();
  const int step = key == Qt::Key_Left || key == Qt::Key_Up ? -1 : 1;
  const bool across = key == Qt::Key_Left || key == Qt::Key_Right,
             along = key == Qt::Key_Up || key == Qt::Key_Down;
  if (key == Qt::Key_Escape && hold_ != Hold::Nothing) {
    hold_ = Hold::Nothing;
    return update();
  }
  if (key == Qt::Key_Delete && selected_ >= 0) return emit panelRemoved(selected_);
  if ((!across && !along) || count() == 0) return QWidget::keyPressEvent(event);
  const int next = selected_ + step;
  if (shift && selected_ >= 0) {
    across ? emit panelSpanned(selected_, step)
           : emit panelStretched(selected_, QSizeF(0, step * height_step));
  } else if (control && selected_ >= 0) {
    if (next >= 0 && next < count()) emit panelMoved(selected_, next);
  } else if (!shift && !control) {
    choose(std::clamp(next, 0, count() - 1));
  }
}

}  // namespace sluice::ui
