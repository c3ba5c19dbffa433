// ParallelView: what it puts on paper. Upright axes where their titles fit beside each other, else lying
// ones: title and range of each stand left of it, so that nothing lies on the lines.

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <map>

#include "widgets/common/quantity.h"
#include "widgets/parallel/parallel_view.h"

namespace sluice::ui {
namespace {

constexpr int print_bins = 48;            // of an axis, where lines are gathered
constexpr std::size_t print_alone = 600;  // as many lines are drawn one by one
constexpr double upright_aspect = 0.55;
constexpr double lying_pitch = 2.5;  // from axis to axis, in lines of text: title, range, and some room
constexpr double most_words = 0.5;   // of the width

}  // namespace

bool ParallelView::fitsUpright(const Layout& layout, const QFontMetricsF& metrics) const {
  if (layout.label_rows > 1 || layout.title_rows > 2 || layout.brief) return false;
  const double half = layout.gap * static_cast<double>(layout.title_rows) * 0.48;
  for (std::size_t axis = 0; axis < layout.frame.x.size(); ++axis) {
    const double edge = std::min(layout.frame.x[axis], layout.width - layout.frame.x[axis]);
    if (metrics.horizontalAdvance(titleOf(axis, false)) > half + std::min(half, edge)) return false;
  }
  return true;
}

ParallelView::Layout ParallelView::paperLayout(QSizeF size, const QFontMetricsF& metrics) const {
  const Layout upright = layoutFor(size, metrics);
  return fitsUpright(upright, metrics) ? upright : turnedLayout(size.width(), metrics);
}

ParallelView::Layout ParallelView::turnedLayout(double width, const QFontMetricsF& metrics) const {
  Layout layout;
  layout.turned = true;
  layout.width = width;
  const double room = width * most_words, line = metrics.height();
  for (std::size_t axis = 0; axis < axes_.axes().size(); ++axis)
    layout.brief = layout.brief || metrics.horizontalAdvance(titleOf(axis, false)) > room;
  double words = 0;
  for (std::size_t axis = 0; axis < axes_.axes().size(); ++axis) {
    layout.frame.x.push_back(line * (0.1 + lying_pitch * static_cast<double>(axis) + 1));
    words = std::max({words, metrics.horizontalAdvance(titleOf(axis, layout.brief)),
                      metrics.horizontalAdvance(rangeText(axis, metrics, room))});
  }
  layout.gap = line * lying_pitch;
  layout.title_height = std::min(words, room);
  layout.frame.missing = layout.title_height + line;
  layout.frame.bottom = layout.frame.missing + (hasMissing() ? 1.6 * line : 0);
  layout.frame.top = width - line * 0.5;
  return layout;
}

double ParallelView::paperHeight(const PrintStyle& style) {
  readPlaces();
  const QFontMetricsF metrics(PlotTheme::print(style).font);
  const double height = std::round(style.width * upright_aspect);
  const Layout layout = paperLayout(QSizeF(style.width, height), metrics);
  if (!layout.turned || layout.frame.x.empty()) return height;
  return std::ceil(layout.frame.x.back() + metrics.height() * (hasMissing() ? 2.4 : 1.3));
}

void ParallelView::paintForPrint(QPainter& painter, QSizeF size, const PrintStyle& style) {
  const PlotTheme theme = PlotTheme::print(style);
  painter.fillRect(QRectF(QPointF(), size), theme.background);
  if (selection_->points().empty() || axes_.axes().empty()) return;
  readPlaces();
  // As its height was chosen: a figure may give it more.
  const QSizeF chosen(size.width(), std::round(size.width() * upright_aspect));
  const QFontMetricsF metrics(theme.font);
  Layout layout = paperLayout(chosen, metrics);
  if (!layout.turned) layout = layoutFor(size, metrics);
  painter.save();
  painter.setFont(theme.font);
  paintSegments(painter, layout, theme);
  for (const int point : selection_->selected())
    paintLine(painter, layout, static_cast<std::size_t>(point), QPen(theme.current, theme.line_width * 1.2));
  if (layout.turned) {
    paintTurnedAxes(painter, layout, theme);
  } else {
    paintAxes(painter, layout, theme);
  }
  painter.restore();
}

void ParallelView::paintSegments(QPainter& painter, const Layout& layout, const PlotTheme& theme) const {
  const double width = std::max(thinnest_stroke, theme.line_width * 0.6);
  for (const LineGroup& group : groups(theme)) {
    QColor colour = group.colour;
    if (group.points.size() <= print_alone) {
      const double lines = std::max<double>(1, static_cast<double>(group.points.size()));
      colour.setAlphaF(static_cast<float>(std::clamp(6 / std::sqrt(lines), 0.35, 0.9)));
      for (const std::uint32_t point : group.points) paintLine(painter, layout, point, QPen(colour, width));
      continue;
    }
    // A few strengths, one path each: the file stays small.
    for (std::size_t axis = 0; axis + 1 < places_.size(); ++axis) {
      std::map<int, QPainterPath> strengths;
      for (const Segment& each : segmentsOf(layout.frame, places_, axis, group, print_bins)) {
        QPainterPath& path = strengths[std::min(4, static_cast<int>(std::log2(each.count)))];
        path.moveTo(layout.at(layout.frame.x[axis], each.from));
        path.lineTo(layout.at(layout.frame.x[axis + 1], each.to));
      }
      for (const auto& [strength, path] : strengths) {
        colour.setAlphaF(static_cast<float>(0.12 + 0.18 * strength));
        painter.setPen(QPen(colour, width));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
      }
    }
  }
}

/// From the left end of a lying axis to the right one.
QString ParallelView::rangeText(std::size_t index, const QFontMetricsF& metrics, double room) const {
  const auto found = selection_->columns()->find(axes_.axes()[index].column);
  if (!found) return {};
  const PointColumn& column = selection_->columns()->columns()[*found];
  QStringList values;
  for (const double level : axes_.axes()[index].levels) values << columnText(column, level);
  if (axes_.axes()[index].inverted) std::reverse(values.begin(), values.end());
  const QString all = values.join(QStringLiteral(", "));
  if (!values.isEmpty() && metrics.horizontalAdvance(all) <= room) return all;
  return columnRangeText(column, axes_.valueAt(index, 0), axes_.valueAt(index, 1));
}

void ParallelView::paintTurnedAxes(QPainter& painter, const Layout& layout, const PlotTheme& theme) const {
  const QFontMetricsF metrics(theme.font);
  if (hasMissing()) {
    const double half = metrics.height() * 0.4;
    const QRectF strip(layout.frame.missing - half, layout.frame.x.front(), 2 * half,
                       layout.frame.x.back() - layout.frame.x.front());
    paintMissing(painter, strip, half, theme);
    painter.drawText(
        QPointF(0, layout.frame.x.back() + metrics.height() * 1.3 + metrics.ascent()),
        metrics.elidedText(tr("hatched: no result, deadlocked or failed"), Qt::ElideRight, layout.width));
  }
  for (std::size_t axis = 0; axis < axes_.axes().size(); ++axis)
    paintTurnedAxis(painter, layout, theme, axis);
}

void ParallelView::paintTurnedAxis(QPainter& painter, const Layout& layout, const PlotTheme& theme,
                                   std::size_t index) const {
  const QFontMetricsF metrics(theme.font);
  const double y = layout.frame.x[index], room = layout.title_height;
  const auto along = [&](double place) {
    return layout.frame.bottom + (layout.frame.top - layout.frame.bottom) * place;
  };
  painter.setPen(QPen(theme.axis, theme.axis_width));
  painter.drawLine(QPointF(along(0), y), QPointF(along(1), y));
  const double tick = theme.marker_size * 0.4;
  for (const double level : axes_.axes()[index].levels) {
    const double x = along(axes_.place(index, level));
    painter.drawLine(QPointF(x, y - tick), QPointF(x, y + tick));
  }
  if (const auto range = brushOf(index)) {
    QColor fill = theme.frontier;
    fill.setAlphaF(0.3F);
    painter.setBrush(fill);
    painter.setPen(QPen(theme.frontier, theme.line_width * 1.4));
    painter.drawRect(QRectF(QPointF(along(range->first) - 1, y - 2 * tick),
                            QPointF(along(range->second) + 1, y + 2 * tick)));
  }
  painter.setPen(theme.text);
  painter.drawText(QPointF(0, y - metrics.descent()),
                   metrics.elidedText(titleOf(index, layout.brief), Qt::ElideRight, room));
  painter.setPen(theme.muted);
  painter.drawText(QPointF(0, y + metrics.ascent()),
                   metrics.elidedText(rangeText(index, metrics, room), Qt::ElideRight, room));
}

}  // namespace sluice::ui
