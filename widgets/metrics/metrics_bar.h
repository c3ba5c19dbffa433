#pragma once
// MetricsBar: the figures of the current design point, large, in one line, each with its change against the
// design before. What is known symbolically is shown at once, and called so; what only a simulation knows
// stays greyed until it has answered for the knobs as they are now.

#include <QWidget>
#include <map>
#include <optional>
#include <vector>

#include "engine/explorer/evaluate.h"
#include "engine/program/trust.h"
#include "widgets/common/quantity.h"

class QLabel;

namespace sluice::ui {

class MetricTile : public QWidget {
  Q_OBJECT

 public:
  explicit MetricTile(const MetricSpec& metric, QWidget* parent = nullptr);
  /// Where a value comes from: a formula alone, or a run.
  enum class Origin { Symbolic, Measured };

  void setValue(double value, Origin origin);
  void setUnknown();
  /// The value of the design before; what is shown tells how much it differs. None: nothing is reported.
  void setBefore(std::optional<double> before);
  void setStale(bool stale);
  /// Why a value of a run may be believed, for the tooltip.
  void setTrust(const QString& trust);
  bool isStale() const { return stale_; }
  /// Where there is no room beside the figure, only the tooltip tells the change.
  void setChangeShown(bool shown);
  /// In pixels, as wide as any value gets: nothing jumps while a knob moves.
  int widthFor(bool with_change) const { return with_change ? width_with_change_ : width_; }
  /// "18.4 MB", as shown.
  QString shownText() const;
  /// "\u22128.0 %", as shown; empty where nothing changed or nothing was before.
  QString changeText() const;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void restyle();
  void measure();
  Quantity shown(double value) const;
  QString exactText(double value) const;
  void tell();

  const MetricSpec& metric_;
  std::optional<double> value_, before_;
  Origin origin_ = Origin::Measured;
  bool stale_ = false, styling_ = false;
  int width_ = 0, width_with_change_ = 0;
  QString trust_;
  QLabel *title_, *number_, *unit_, *change_;
};

class MetricsBar : public QWidget {
  Q_OBJECT

 public:
  explicit MetricsBar(QWidget* parent = nullptr);
  /// Narrow: the bar never forces the window to grow. It then stands closer, leaves out the changes, and at
  /// last figures, the last ones first.
  QSize minimumSizeHint() const override;
  QSize sizeHint() const override;

  /// What the formulas give; all others become stale.
  void setSymbolic(const CostValues& values);
  void setPoint(const DesignPoint& point);
  /// The design whose figures those that come are compared with; none: with nothing.
  void setBefore(const std::optional<DesignPoint>& before);
  /// What the figures belong to, where that is not the design as it is: "from before the last edit".
  void setAge(const QString& age);
  /// Why the cycles may be believed. The note has it, and the tooltip of each figure its own.
  void setTrust(const TrustLabel& trust);
  /// Nothing is known: no document, or one with errors.
  void clear();
  void setStale();
  MetricTile* tile(const QString& metric_name) const;

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
  void showPriced(bool priced);
  int widthFor(std::size_t tiles, int spacing, bool with_changes) const;
  void setState(const QString& state, const QString& tooltip);
  void setOrigin(const QString& origin, const QString& tooltip);
  void showNote();

  std::map<const MetricSpec*, MetricTile*> tiles_;
  std::vector<MetricTile*> in_order_;  ///< what is shown where there is room
  std::vector<MetricTile*> priced_;    ///< those of a technology, among them where the point has one
  QWidget* strip_;                     ///< all of it
  QLabel *note_, *state_;
  QString origin_, origin_tip_, age_, trust_word_, trust_;
};

}  // namespace sluice::ui
