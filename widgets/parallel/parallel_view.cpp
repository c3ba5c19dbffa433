#include "widgets/parallel/parallel_view.h"

#include <QPainter>
#include <QResizeEvent>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/csv.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/plots/hatching.h"

namespace sluice::ui {
namespace {

constexpr std::size_t most_left_out = 20000;  // points; above it what filters leave out is not drawn
constexpr std::size_t most_selected = 500;    // lines drawn strong

}  // namespace

ParallelView::ParallelView(PointSelection* selection, QWidget* parent)
    : QWidget(parent), selection_(selection), theme_(PlotTheme::screen(palette(), font())) {
  setObjectName(QStringLiteral("parallelView"));
  setAccessibleName(tr("Parallel coordinates of the explored points"));
  setToolTip({});
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  connect(selection_, &PointSelection::reset, this, &ParallelView::readPoints);
  refresh_.setSingleShot(true);
  refresh_.setInterval(150);
  connect(&refresh_, &QTimer::timeout, this, &ParallelView::readPoints);
  connect(selection_, &PointSelection::added, this, [this] {
    if (!refresh_.isActive()) refresh_.start();
  });
  connect(selection_, &PointSelection::filtersChanged, this, &ParallelView::renewLater);
  connect(selection_, &PointSelection::selectionChanged, this, [this] { update(); });
  readPoints();
}

void ParallelView::readPoints() {
  // Many batches of an exploration cost one pass: the points are read when they are painted.
  axes_.follow(*selection_->columns());
  places_.assign(axes_.axes().size(), {});
  current_ = std::min(current_, axes_.axes().empty() ? 0 : axes_.axes().size() - 1);
  hovered_.reset();
  renewLater();
}

void ParallelView::readAxis(std::size_t axis) {
  const PointColumns& columns = *selection_->columns();
  const auto column = columns.find(axes_.axes()[axis].column);
  std::vector<float>& places = places_[axis];
  places.assign(columns.size(), std::numeric_limits<float>::quiet_NaN());
  if (!column) return;
  const std::vector<double>& values = columns.columns()[*column].values;
  for (std::size_t point = 0; point < values.size(); ++point)
    places[point] = static_cast<float>(axes_.place(axis, values[point]));
}

/// What is not painted yet was not read yet.
void ParallelView::readPlaces() {
  for (std::size_t axis = 0; axis < places_.size(); ++axis)
    if (places_[axis].size() != selection_->columns()->size()) readAxis(axis);
}

bool ParallelView::hasMissing() const {
  return std::any_of(places_.begin(), places_.end(), [](const std::vector<float>& places) {
    return std::any_of(places.begin(), places.end(), [](float place) { return std::isnan(place); });
  });
}

void ParallelView::renewLater() {
  stale_ = true;
  update();
}

QString ParallelView::titleOf(std::size_t index, bool brief) const {
  const ParallelAxis& axis = axes_.axes()[index];
  const auto found = selection_->columns()->find(axis.column);
  QString title = axis.column;
  if (found) {
    const PointColumn& column = selection_->columns()->columns()[*found];
    title = brief && !column.is_knob ? metricShortTitle(column.name) : columnTitle(column);
  }
  return (axis.inverted ? QStringLiteral("\u2193 ") : QString()) + title +
         (axis.logarithmic ? tr(" (log)") : QString());
}

ParallelView::Layout ParallelView::layoutFor(QSizeF size, const QFontMetricsF& metrics) const {
  Layout layout;
  const std::size_t count = axes_.axes().size();
  layout.width = size.width();
  const double side = std::min(size.width() * 0.12, metrics.averageCharWidth() * 9);
  layout.gap = count > 1 ? (size.width() - 2 * side) / static_cast<double>(count - 1) : size.width();
  // Neighbours take turns in as many lines as the longest needs.
  const auto lines_for = [&](const QString& text) {
    return static_cast<std::size_t>(
        std::max(1.0, std::ceil(metrics.horizontalAdvance(text) / (layout.gap * 0.96))));
  };
  for (std::size_t axis = 0; axis < count; ++axis) {
    layout.frame.x.push_back(side + layout.gap * static_cast<double>(axis));
    layout.brief = layout.brief || lines_for(titleOf(axis, false)) > 3;
    for (const double place : {0.0, 1.0})
      layout.label_rows = std::min<std::size_t>(
          3, std::max(layout.label_rows, lines_for(endLabel(metrics, axis, place, layout.gap * 0.96))));
  }
  for (std::size_t axis = 0; axis < count; ++axis)
    layout.title_rows =
        std::min<std::size_t>(4, std::max(layout.title_rows, lines_for(titleOf(axis, layout.brief))));
  const double line = metrics.height();
  // The lines themselves need some room, too.
  const auto spent = [&] {
    return line * (4.2 + 1.15 * static_cast<double>(layout.title_rows) +
                   2.1 * static_cast<double>(layout.label_rows - 1));
  };
  while (layout.label_rows > 1 && size.height() - spent() < 3 * line) --layout.label_rows;
  while (layout.title_rows > 1 && size.height() - spent() < 3 * line) --layout.title_rows;
  const double labels = line * 1.05 * static_cast<double>(layout.label_rows - 1);
  layout.title_line = line * 1.15;
  layout.title_height = layout.title_line * static_cast<double>(layout.title_rows) + line * 0.3;
  layout.frame.top = layout.title_height + line * 1.1 + labels;
  layout.frame.bottom = size.height() - line * 2.8 - labels;
  layout.frame.missing = layout.frame.bottom + line * 1.4 + labels;
  return layout;
}

std::vector<LineGroup> ParallelView::groups(const PlotTheme& theme) const {
  const std::size_t count = selection_->columns()->size();
  std::vector<LineGroup> made = {
      {theme.tinted(theme.text, 0.14), {}}, {theme.failed, {}}, {theme.infeasible, {}}, {theme.frontier, {}}};
  for (std::size_t point = 0; point < count; ++point) {
    const PointState state = selection_->points()[point].state;
    if (state == PointState::Cancelled) continue;
    const std::size_t group = !selection_->isShown(point)       ? 0
                              : !isMeasured(state)              ? 1
                              : state == PointState::Infeasible ? 2
                                                                : 3;
    if (group == 0 && count > most_left_out) continue;
    made[group].points.push_back(static_cast<std::uint32_t>(point));
  }
  return made;
}

void ParallelView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme_.background);
  if (selection_->points().empty()) {
    painter.setPen(theme_.muted);
    painter.drawText(rect(), Qt::AlignCenter,
                     tr("No points yet.\nF5 evaluates every\ncombination of the knobs."));
    return;
  }
  const double scale = devicePixelRatioF();
  if (stale_) {
    stale_ = false;
    layout_ = layoutFor(size(), QFontMetricsF(font()));
    readPlaces();
    LineFrame frame = layout_.frame;
    for (double& x : frame.x) x *= scale;
    for (double* y : {&frame.top, &frame.bottom, &frame.missing}) *y *= scale;
    lines_ = lineImage((QSizeF(size()) * scale).toSize(), frame, places_, groups(theme_));
    lines_.setDevicePixelRatio(scale);
  }
  painter.drawImage(0, 0, lines_);
  painter.setRenderHint(QPainter::Antialiasing);
  const std::vector<int>& selected = selection_->selected();
  for (std::size_t i = 0; i < std::min(selected.size(), most_selected); ++i) {
    if (static_cast<std::size_t>(selected[i]) >= selection_->columns()->size()) continue;
    paintLine(painter, layout_, static_cast<std::size_t>(selected[i]), QPen(theme_.background, 4));
    paintLine(painter, layout_, static_cast<std::size_t>(selected[i]), QPen(theme_.current, 2));
  }
  if (hovered_)
    paintLine(painter, layout_, static_cast<std::size_t>(*hovered_), QPen(theme_.current, 1.2, Qt::DashLine));
  paintAxes(painter, layout_, theme_);
}

QPainterPath ParallelView::lineOf(const Layout& layout, std::size_t point) const {
  QPainterPath path;
  for (std::size_t axis = 0; axis < places_.size(); ++axis) {
    const float place = places_[axis][point];
    const double y = std::isnan(place) ? layout.frame.missing
                                       : layout.frame.bottom + (layout.frame.top - layout.frame.bottom) *
                                                                   static_cast<double>(place);
    const QPointF at = layout.at(layout.frame.x[axis], y);
    if (axis == 0) {
      path.moveTo(at);
    } else {
      path.lineTo(at);
    }
  }
  return path;
}

void ParallelView::paintLine(QPainter& painter, const Layout& layout, std::size_t point,
                             const QPen& pen) const {
  if (places_.empty() || places_.front().size() <= point) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(pen);
  painter.drawPath(lineOf(layout, point));
}

/// Deadlocked and failed points have no metrics: their lines end in a hatched strip. Its words follow, in the
/// colour that is set then.
void ParallelView::paintMissing(QPainter& painter, const QRectF& strip, double pitch,
                                const PlotTheme& theme) {
  painter.setPen(QPen(theme.tinted(theme.failed, 0.6), theme.axis_width));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(hatchStrokes(strip, pitch));
  painter.setPen(theme.failed);
}

void ParallelView::paintAxes(QPainter& painter, const Layout& layout, const PlotTheme& theme) const {
  if (hasMissing() && !layout.frame.x.empty()) {
    const double half = QFontMetricsF(theme.font).height() * 0.4;
    const QRectF strip(layout.frame.x.front(), layout.frame.missing - half,
                       layout.frame.x.back() - layout.frame.x.front(), 2 * half);
    paintMissing(painter, strip, half, theme);
    painter.setFont(theme.font);
    painter.drawText(QRectF(strip.left(), layout.frame.missing + half, strip.width(), layout.title_height),
                     Qt::AlignHCenter | Qt::AlignTop, tr("no result: deadlocked or failed"));
  }
  for (std::size_t axis = 0; axis < axes_.axes().size(); ++axis) {
    const double x = layout.frame.x[axis];
    painter.setPen(QPen(theme.axis, theme.axis_width));
    painter.drawLine(QPointF(x, layout.frame.top), QPointF(x, layout.frame.bottom));
    paintBrush(painter, layout, theme, axis);
    paintLabels(painter, layout, theme, axis);
  }
}

/// The value at an end of an axis, its unit left out where there is no `room` for it.
QString ParallelView::endLabel(const QFontMetricsF& metrics, std::size_t index, double place,
                               double room) const {
  const auto found = selection_->columns()->find(axes_.axes()[index].column);
  if (!found) return {};
  const PointColumn& column = selection_->columns()->columns()[*found];
  const double value = axes_.valueAt(index, place);
  const QString whole = columnText(column, value);
  return metrics.horizontalAdvance(whole) <= room || !column.names.isEmpty() ? whole : tickLabel(value);
}

void ParallelView::paintLabels(QPainter& painter, const Layout& layout, const PlotTheme& theme,
                               std::size_t index) const {
  const ParallelAxis& axis = axes_.axes()[index];
  const auto column = selection_->columns()->find(axis.column);
  if (!column) return;
  const PointColumn& shown_column = selection_->columns()->columns()[*column];
  const QFontMetricsF metrics(theme.font);
  painter.setFont(theme.font);
  // Near the edge a text moves inwards, but not into its neighbour's room.
  const auto width_at = [&](double x, double room) {
    const double half = room * 0.48, edge = std::min(x, layout.width - x);
    return std::max(20.0, half + std::min(half, edge));
  };
  const auto write = [&](QPointF at, double room, const QString& text, const QColor& colour) {
    const QString shown = metrics.elidedText(text, Qt::ElideRight, width_at(at.x(), room));
    const double width = metrics.horizontalAdvance(shown);
    const double left = std::clamp(at.x() - width / 2, 0.0, std::max(0.0, layout.width - width));
    // On a ground of its own, numbers stay readable among the lines.
    painter.fillRect(QRectF(left - 2, at.y() - metrics.ascent(), width + 4, metrics.height()),
                     theme.background);
    painter.setPen(colour);
    painter.drawText(QPointF(left, at.y()), shown);
  };
  const double x = layout.frame.x[index];
  const bool dragged = !theme.on_paper && hold_ == Hold::Title && held_ == index;
  const bool focused = !theme.on_paper && hasFocus() && current_ == index;
  const double rows = static_cast<double>(layout.title_rows);
  const double title_y =
      layout.title_line * static_cast<double>(index % layout.title_rows + 1) - metrics.descent();
  const double title_x = dragged ? title_x_ : x, title_room = layout.gap * rows;
  const bool brief =
      layout.brief || metrics.horizontalAdvance(titleOf(index, false)) > width_at(title_x, title_room);
  write({title_x, title_y}, title_room, titleOf(index, brief),
        dragged || focused ? theme.frontier : theme.text);
  const double room = layout.gap * static_cast<double>(layout.label_rows);
  const double down = metrics.height() * 1.05 * static_cast<double>(index % layout.label_rows);
  write({x, layout.frame.top - metrics.descent() - 1 - down}, room, endLabel(metrics, index, 1, room * 0.96),
        theme.muted);
  write({x, layout.frame.bottom + metrics.ascent() + 1 + down}, room,
        endLabel(metrics, index, 0, room * 0.96), theme.muted);
  if (focused) {
    painter.setPen(QPen(theme.frontier, 2));
    painter.drawLine(QPointF(x - 14, layout.title_height + 1), QPointF(x + 14, layout.title_height + 1));
  }
  for (const double level : axis.levels) {
    const double y =
        layout.frame.bottom + (layout.frame.top - layout.frame.bottom) * axes_.place(index, level);
    painter.setPen(QPen(theme.axis, theme.axis_width));
    painter.drawLine(QPointF(x - theme.marker_size * 0.4, y), QPointF(x + theme.marker_size * 0.4, y));
    // Names between the two ends, which have theirs already, cannot be guessed.
    const bool end = y < layout.frame.top + metrics.height() || y > layout.frame.bottom - metrics.height();
    if (!shown_column.names.isEmpty() && !end)
      write({x, y - theme.marker_size * 0.4}, layout.gap, columnText(shown_column, level), theme.muted);
  }
}

std::optional<std::pair<double, double>> ParallelView::brushOf(std::size_t axis) const {
  const PointFilter* filter = selection_->rangeOf(axes_.axes()[axis].column);
  if (!filter) return std::nullopt;
  const auto placed = [&](double value) {
    const ParallelAxis& each = axes_.axes()[axis];
    return axes_.place(axis, std::clamp(value, each.low, each.high));
  };
  const double a = placed(filter->low), b = placed(filter->high);
  return std::pair(std::min(a, b), std::max(a, b));
}

void ParallelView::paintBrush(QPainter& painter, const Layout& layout, const PlotTheme& theme,
                              std::size_t axis) const {
  const auto range = brushOf(axis);
  if (!range) return;
  const auto y = [&](double place) {
    return layout.frame.bottom + (layout.frame.top - layout.frame.bottom) * place;
  };
  const double half = theme.marker_size * 0.8;
  QRectF box(QPointF(layout.frame.x[axis] - half, y(range->second)),
             QPointF(layout.frame.x[axis] + half, y(range->first)));
  if (box.height() < 4) box.adjust(0, -2, 0, 2);
  QColor fill = theme.frontier;
  fill.setAlphaF(0.3F);
  painter.setBrush(fill);
  painter.setPen(QPen(theme.frontier, theme.line_width * 1.4));
  painter.drawRect(box);
}

QString ParallelView::csv() const {
  std::vector<std::string> header;
  std::vector<const PointColumn*> columns;
  for (const ParallelAxis& axis : axes_.axes()) {
    const auto column = selection_->columns()->find(axis.column);
    if (!column) continue;
    header.push_back(axis.column.toStdString());
    columns.push_back(&selection_->columns()->columns()[*column]);
  }
  header.insert(header.end(), {"state", "shown", "selected"});
  CsvTable table(header);
  for (std::size_t point = 0; point < selection_->points().size(); ++point) {
    std::vector<std::string> row;
    for (const PointColumn* column : columns)
      row.push_back(column->names.isEmpty() ? csvNumber(column->values[point])
                                            : columnText(*column, column->values[point]).toStdString());
    row.push_back(stateText(selection_->points()[point].state).toStdString());
    row.emplace_back(selection_->isShown(point) ? "1" : "0");
    row.emplace_back(selection_->isSelected(static_cast<int>(point)) ? "1" : "0");
    table.row(row);
  }
  return QString::fromStdString(table.text());
}

void ParallelView::moveAxis(std::size_t from, std::size_t to) {
  axes_.move(from, to);
  places_.assign(axes_.axes().size(), {});
  renewLater();
}

void ParallelView::invertAxis(std::size_t axis) {
  axes_.invert(axis);
  places_[axis].clear();
  renewLater();
}

void ParallelView::hideAxis(std::size_t axis) {
  axes_.hide(axis);
  places_.assign(axes_.axes().size(), {});
  current_ = std::min(current_, axes_.axes().size() - 1);
  renewLater();
}

void ParallelView::showAxis(const QString& column) {
  axes_.show(column, *selection_->columns());
  places_.assign(axes_.axes().size(), {});
  renewLater();
}

void ParallelView::setLogarithmic(std::size_t axis, bool logarithmic) {
  axes_.setLogarithmic(axis, logarithmic);
  places_[axis].clear();
  renewLater();
}

QPointF ParallelView::axisPoint(std::size_t axis, double place) const {
  const Layout layout = layoutFor(size(), QFontMetricsF(font()));
  return {layout.frame.x[axis], layout.frame.bottom + (layout.frame.top - layout.frame.bottom) * place};
}

QRectF ParallelView::titleRect(std::size_t axis) const {
  const Layout layout = layoutFor(size(), QFontMetricsF(font()));
  const double half = std::min(layout.gap * static_cast<double>(layout.title_rows) / 2, 70.0);
  return {layout.frame.x[axis] - half, layout.title_line * static_cast<double>(axis % layout.title_rows),
          2 * half, layout.title_line};
}

void ParallelView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  renewLater();
}

void ParallelView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  theme_ = PlotTheme::screen(palette(), font());
  renewLater();
}

}  // namespace sluice::ui
