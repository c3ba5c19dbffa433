#include "widgets/plots/spread_lines.h"

#include <limits>

namespace sluice::ui {

SpreadLines::SpreadLines(Plot* plot, const QString& name) : lines_(new QCPCurve(plot->xAxis, plot->yAxis)) {
  lines_->setName(name);
  lines_->setScatterStyle(QCPScatterStyle::ssNone);
  lines_->setSelectable(QCP::stNone);
  lines_->removeFromLegend();
}

void SpreadLines::set(const std::vector<Spread>& spreads) {
  constexpr double gap = std::numeric_limits<double>::quiet_NaN();
  spreads_ = spreads;
  QVector<double> x, y;
  for (const Spread& each : spreads) {
    if (each.x_low < each.x_high) {
      x << each.x_low << each.x_high << gap;
      y << each.y << each.y << gap;
    }
    if (each.y_low < each.y_high) {
      x << each.x << each.x << gap;
      y << each.y_low << each.y_high << gap;
    }
  }
  lines_->setData(x, y);
}

void SpreadLines::mention() {
  QCPLegend* legend = lines_->parentPlot()->legend;
  if (empty())
    lines_->removeFromLegend();
  else if (!legend->hasItemWithPlottable(lines_))
    lines_->addToLegend();
}

}  // namespace sluice::ui
