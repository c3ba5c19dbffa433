#pragma once
// BoundLines: what no point of a plot can be beyond, as a dotted line across each axis. The axes stretch to
// it, unless that left the points too little room; then a word at the edge says where it is.

#include <array>
#include <optional>

#include "widgets/plots/plot.h"

namespace sluice::ui {

class BoundLines : public QObject {
 public:
  explicit BoundLines(QCustomPlot* plot);

  struct Bound {
    double at = 0;
    QString text;  ///< "12.3 MB"
  };
  void set(const std::optional<Bound>& x, const std::optional<Bound>& y);
  void setLook(const QPen& pen, const QFont& font, const QColor& words);
  /// Takes the bound of the x axis (0) or y axis (1) into the range of the data, if that can be.
  void stretch(int axis, double& low, double& high, bool logarithmic) const;
  /// In the plot's legend, once, where there are bounds.
  void mention();
  /// What is said at the edges; empty: all that there is shows as lines.
  QString words() const;

 private:
  void place();

  QCustomPlot* plot_;
  std::array<std::optional<Bound>, 2> bounds_;
  std::array<QCPGraph*, 2> lines_{};
  std::array<QCPItemText*, 2> words_{};  ///< of what is below the range, and above it
};

}  // namespace sluice::ui
