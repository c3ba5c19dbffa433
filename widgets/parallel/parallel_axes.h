#pragma once
// ParallelAxes: which columns of the explored points stand side by side, in which order, and where a value is
// along its axis. A knob of few values has them evenly spaced; a metric is linear or logarithmic.

#include <QString>
#include <map>
#include <vector>

#include "widgets/points/point_columns.h"

namespace sluice::ui {

struct ParallelAxis {
  QString column;
  bool inverted = false;
  bool logarithmic = false;
  double low = 0, high = 1;
  std::vector<double> levels;  ///< a knob's values; empty where they are many, and for metrics
};

class ParallelAxes {
 public:
  /// Takes the columns over: axes that are there stay as they are, knobs that do not vary are left out.
  void follow(const PointColumns& columns);

  const std::vector<ParallelAxis>& axes() const { return axes_; }
  const std::vector<QString>& hidden() const { return hidden_; }
  void move(std::size_t from, std::size_t to);
  void invert(std::size_t axis);
  void hide(std::size_t axis);
  void show(const QString& column, const PointColumns& columns);
  void setLogarithmic(std::size_t axis, bool logarithmic);
  bool canBeLogarithmic(std::size_t axis) const { return axes_[axis].levels.empty() && axes_[axis].low > 0; }

  /// 0 (the foot) .. 1 (the head); NaN for what is no value.
  double place(std::size_t axis, double value) const;
  double valueAt(std::size_t axis, double place) const;
  /// The values that a brush from one place to another takes in.
  std::pair<double, double> range(std::size_t axis, double from, double to) const;

 private:
  void measure(ParallelAxis& axis, const PointColumns& columns) const;

  std::vector<ParallelAxis> axes_;
  std::vector<QString> hidden_;
};

}  // namespace sluice::ui
