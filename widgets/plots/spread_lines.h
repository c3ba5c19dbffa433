#pragma once
// SpreadLines: thin lines through points of a plot, from the lowest to the highest that each may be.

#include <vector>

#include "widgets/plots/plot.h"

namespace sluice::ui {

/// Along either axis; low and high alike: no line there.
struct Spread {
  double x = 0, y = 0;
  double x_low = 0, x_high = 0, y_low = 0, y_high = 0;
};

class SpreadLines {
 public:
  SpreadLines(Plot* plot, const QString& name);

  void set(const std::vector<Spread>& spreads);
  bool empty() const { return spreads_.empty(); }
  QString name() const { return lines_->name(); }
  const std::vector<Spread>& spreads() const { return spreads_; }
  void setLook(const QPen& pen) { lines_->setPen(pen); }
  /// In the legend, where there are some.
  void mention();

 private:
  std::vector<Spread> spreads_;
  QCPCurve* lines_;
};

}  // namespace sluice::ui
