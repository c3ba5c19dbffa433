#include "widgets/inspector/stall_bar.h"

#include <QPainter>
#include <algorithm>

#include "widgets/common/quantity.h"
#include "widgets/plots/plot_theme.h"

namespace sluice::ui {
namespace {

constexpr int bar_height = 16;

}  // namespace

StallBar::StallBar(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("stallBar"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void StallBar::setStats(const OperatorStats& stats, Cycles cycles) {
  stats_ = stats;
  cycles_ = cycles;
  QStringList spoken;
  for (const Part& part : parts()) spoken << part.name + QLatin1Char(' ') + text(percentage(part.fraction));
  setAccessibleName(spoken.join(QStringLiteral(", ")));
  setToolTip(tr("busy %1, waiting for input %2, waiting for room %3 of %4 cycles")
                 .arg(exactNumber(stats.busy), exactNumber(stats.blocked_on_input),
                      exactNumber(stats.blocked_on_output), exactNumber(cycles)));
  update();
}

void StallBar::setStale(bool stale) {
  stale_ = stale;
  update();
}

QSize StallBar::sizeHint() const {
  return {220, bar_height + 6 + 4 * (fontMetrics().height() + 2)};
}

std::vector<StallBar::Part> StallBar::parts() const {
  const PlotTheme theme = PlotTheme::screen(palette(), font());
  // A converter fills and drains at one time, a kernel may wait at both its ends: shares are of all they did.
  const Cycles told = stats_.busy + stats_.blocked_on_input + stats_.blocked_on_output;
  const double whole = static_cast<double>(std::max({Cycles{1}, cycles_, told}));
  const double busy = static_cast<double>(stats_.busy) / whole;
  const double input = static_cast<double>(stats_.blocked_on_input) / whole;
  const double output = static_cast<double>(stats_.blocked_on_output) / whole;
  const double idle = std::max(0.0, 1 - busy - input - output);
  return {{tr("busy"), busy, theme.series(2).colour, Qt::SolidPattern},
          {tr("waiting for input"), input, theme.series(0).colour, Qt::BDiagPattern},
          {tr("waiting for room"), output, theme.series(1).colour, Qt::DiagCrossPattern},
          {tr("idle or finished"), idle, theme.tinted(theme.text, 0.2), Qt::Dense6Pattern}};
}

void StallBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (stale_) painter.setOpacity(0.45);
  const QRectF bar(0.5, 0.5, width() - 1.0, bar_height);
  const int line = fontMetrics().height() + 2;
  double x = bar.left();
  int row = 0;
  for (const Part& part : parts()) {
    const double wide = std::clamp(part.fraction, 0.0, 1.0) * bar.width();
    const auto fill = [&](const QRectF& box) {
      QColor light = part.colour;
      light.setAlpha(part.pattern == Qt::SolidPattern ? 255 : 90);
      painter.fillRect(box, light);
      if (part.pattern != Qt::SolidPattern) painter.fillRect(box, QBrush(part.colour, part.pattern));
    };
    fill(QRectF(x, bar.top(), wide, bar.height()));
    x += wide;
    const int top = bar_height + 6 + row++ * line;
    fill(QRectF(0, top + (line - 10) / 2.0, 10, 10));
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(QRect(16, top, width() - 16, line), Qt::AlignLeft | Qt::AlignVCenter, part.name);
    painter.drawText(QRect(16, top, width() - 16, line), Qt::AlignRight | Qt::AlignVCenter,
                     text(percentage(part.fraction)));
  }
  painter.setPen(palette().color(QPalette::Mid));
  painter.drawRect(bar);
}

}  // namespace sluice::ui
