#pragma once
// StallBar: how an operator spent its cycles, as one bar with a legend below: busy, waiting for input,
// waiting for room, idle.

#include <QWidget>

#include "engine/simulator/result.h"

namespace sluice::ui {

class StallBar : public QWidget {
  Q_OBJECT

 public:
  explicit StallBar(QWidget* parent = nullptr);

  /// Summed over instances; `cycles` is what all instances together had.
  void setStats(const OperatorStats& stats, Cycles cycles);
  void setStale(bool stale);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Part {
    QString name;
    double fraction = 0;
    QColor colour;
    Qt::BrushStyle pattern = Qt::SolidPattern;  ///< besides the colour, for those who cannot tell them apart
  };
  std::vector<Part> parts() const;

  OperatorStats stats_;
  Cycles cycles_ = 0;
  bool stale_ = false;
};

}  // namespace sluice::ui
