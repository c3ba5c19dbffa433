#pragma once
// MetricsBar: the figures of the current design point, large, in one line. What is known symbolically is
// shown at once; what only a simulation knows stays greyed until it has answered for the knobs as they are
// now.

#include <QWidget>
#include <map>

#include "engine/explorer/evaluate.h"

class QLabel;

namespace sluice::ui {

class MetricTile : public QWidget {
  Q_OBJECT

 public:
  explicit MetricTile(const MetricSpec& metric, QWidget* parent = nullptr);
  void setValue(double value);
  void setUnknown();
  void setStale(bool stale);
  bool isStale() const { return stale_; }
  /// "18.4 MB", as shown.
  QString shownText() const;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void restyle();

  const MetricSpec& metric_;
  bool stale_ = false, styling_ = false;
  QLabel *title_, *number_, *unit_;
};

class MetricsBar : public QWidget {
  Q_OBJECT

 public:
  explicit MetricsBar(QWidget* parent = nullptr);

  /// What the formulas give; all others become stale.
  void setSymbolic(const CostValues& values);
  void setPoint(const DesignPoint& point);
  /// Nothing is known: no document, or one with errors.
  void clear();
  void setStale();
  MetricTile* tile(const QString& metric_name) const;

 private:
  void setState(const QString& state, const QString& tooltip);

  std::map<const MetricSpec*, MetricTile*> tiles_;
  QLabel* state_;
};

}  // namespace sluice::ui
