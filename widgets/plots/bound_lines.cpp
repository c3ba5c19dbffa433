#include "widgets/plots/bound_lines.h"

#include <algorithm>
#include <cmath>

namespace sluice::ui {
namespace {

constexpr double least_share = 0.05;  // of an axis that the points keep
constexpr double word_gap = 0.01;     // between a word and the corner, as a share of the axes

}  // namespace

BoundLines::BoundLines(QCustomPlot* plot) : QObject(plot), plot_(plot) {
  for (QCPGraph*& line : lines_) {
    line = plot_->addGraph();
    line->setName(tr("bound"));
    line->setSelectable(QCP::stNone);
    line->removeFromLegend();
  }
  const std::array<Qt::Alignment, 2> corners = {Qt::AlignLeft | Qt::AlignBottom,
                                                Qt::AlignRight | Qt::AlignTop};
  for (std::size_t side = 0; side < 2; ++side) {
    words_[side] = new QCPItemText(plot_);
    words_[side]->setSelectable(false);
    words_[side]->setPositionAlignment(corners[side]);
    words_[side]->setTextAlignment(corners[side] & Qt::AlignHorizontal_Mask);
    words_[side]->position->setType(QCPItemPosition::ptAxisRectRatio);
    words_[side]->position->setCoords(side == 0 ? word_gap : 1 - word_gap,
                                      side == 0 ? 1 - word_gap : word_gap);
  }
  for (const QCPAxis* axis : {plot_->xAxis, plot_->yAxis})
    connect(axis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, &BoundLines::place);
  place();
}

void BoundLines::set(const std::optional<Bound>& x, const std::optional<Bound>& y) {
  bounds_ = {x, y};
  place();
}

void BoundLines::setLook(const QPen& pen, const QFont& font, const QColor& words) {
  for (QCPGraph* line : lines_) line->setPen(pen);
  for (QCPItemText* each : words_) {
    each->setFont(font);
    each->setColor(words);
  }
}

void BoundLines::stretch(int axis, double& low, double& high, bool logarithmic) const {
  const std::optional<Bound>& bound = bounds_[static_cast<std::size_t>(axis)];
  if (!bound || !(low <= high) || (logarithmic && (bound->at <= 0 || low <= 0))) return;
  const auto place = [logarithmic](double value) { return logarithmic ? std::log(value) : value; };
  const double with_low = std::min(low, bound->at), with_high = std::max(high, bound->at);
  // Points that are all at one place need no room.
  if (place(high) - place(low) > 0 &&
      place(high) - place(low) < least_share * (place(with_high) - place(with_low)))
    return;
  low = with_low;
  high = with_high;
}

void BoundLines::mention() {
  for (QCPGraph* line : lines_) line->removeFromLegend();
  if (bounds_[0] || bounds_[1]) lines_[bounds_[0] ? 0 : 1]->addToLegend();
}

QString BoundLines::words() const {
  QStringList all;
  for (const QCPItemText* each : words_)
    if (!each->text().isEmpty()) all << each->text();
  return all.join(QLatin1Char('\n'));
}

/// Lines go from edge to edge, whatever part of the axes shows.
void BoundLines::place() {
  const std::array<const QCPAxis*, 2> axes = {plot_->xAxis, plot_->yAxis};
  std::array<QStringList, 2> outside;
  const QString arrows[2][2] = {{QStringLiteral("\u25C2"), QStringLiteral("\u25B8")},
                                {QStringLiteral("\u25BE"), QStringLiteral("\u25B4")}};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    lines_[axis]->data()->clear();
    const std::optional<Bound>& bound = bounds_[axis];
    if (!bound) continue;
    const QCPRange along = axes[1 - axis]->range();
    if (axes[axis]->range().contains(bound->at)) {
      const bool vertical = axis == 0;
      lines_[axis]->setData(
          vertical ? QVector<double>{bound->at, bound->at} : QVector<double>{along.lower, along.upper},
          vertical ? QVector<double>{along.lower, along.upper} : QVector<double>{bound->at, bound->at}, true);
    } else {
      const std::size_t side = bound->at < axes[axis]->range().lower ? 0 : 1;
      outside[side] << tr("%1 bound %2").arg(arrows[axis][side], bound->text);
    }
  }
  for (std::size_t side = 0; side < 2; ++side) {
    words_[side]->setText(outside[side].join(QLatin1Char('\n')));
    words_[side]->setVisible(!outside[side].isEmpty());
  }
}

}  // namespace sluice::ui
