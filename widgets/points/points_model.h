#pragma once
// PointsModel: the explored design points, once. The Pareto plot and the table are two views of it.

#include <QAbstractTableModel>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "engine/explorer/point.h"
#include "engine/program/trust.h"

namespace sluice::ui {

/// What the values 0, 1, .. of a knob are called; a knob that is not here has numbers.
using KnobNames = std::map<std::string, std::vector<std::string>>;
KnobNames knobNames(const std::vector<Knob>& knobs);

class PointsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  /// Sorting by this role compares numbers, not texts.
  static constexpr int sort_role = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  /// In the order of their columns: those of a technology only where a point has them.
  std::span<const MetricSpec* const> metrics() const { return metricsWith(priced_); }
  void setPoints(std::vector<DesignPoint> points);
  void append(std::span<const DesignPoint> points);
  void clear() { setPoints({}); }
  const std::vector<DesignPoint>& points() const { return points_; }
  /// Those of the program whose points are shown.
  void setKnobNames(KnobNames names);
  const KnobNames& knobNames() const { return names_; }
  /// Why the cycles of a row's point may be believed; else of the model alone.
  void setTrust(std::function<TrustLabel(std::size_t row)> trust) { trust_ = std::move(trust); }
  TrustLabel trust(std::size_t row) const { return trust_ ? trust_(row) : TrustLabel(); }
  /// Bounds are not compared with what was measured, only with each other.
  bool isComparable(const DesignPoint& point) const {
    return !measured_ || point.fidelity != Fidelity::Symbolic;
  }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  /// Knobs, state, level, every metric and whether it is on the `frontier`, one line a point.
  QString csv(std::span<const std::size_t> frontier) const;

 private:
  enum class Kind { Knob, State, Fidelity, Metric, PeakTokens };
  struct Place {
    Kind kind = Kind::Knob;
    std::size_t index = 0;  ///< of the knob or metric
  };
  Place placeOf(int column) const;
  void readColumns();
  QVariant sortValue(const DesignPoint& point, int column) const;
  int alignment(int column) const;
  QString cellText(const DesignPoint& point, int column) const;
  QString tooltip(std::size_t row, int column) const;

  std::vector<DesignPoint> points_;
  std::function<TrustLabel(std::size_t row)> trust_;
  KnobNames names_;
  std::vector<std::string> knobs_;  ///< columns 0 ..; then the state, the level and the metrics
  bool recorded_ = false;           ///< and last the tokens in the FIFOs, where a point has them
  bool measured_ = false;           ///< a point comes from a run
  bool priced_ = false;             ///< the metrics of a technology are among them
};

QString stateText(PointState state);
/// How a point came to be known: "symbolic", "counted", "recorded".
QString fidelityText(Fidelity fidelity);
/// "dynamic", where values have names; "16".
QString knobValueText(const std::string& knob, std::int64_t value, const KnobNames& names);
/// "tile = 16, ways = 4".
QString knobsText(const KnobValues& knobs, const KnobNames& names);
/// A metric with its unit; "\u2265 5 MB" where the point's level gives a bound, a dash where it gives
/// nothing.
QString metricText(const DesignPoint& point, const MetricSpec& metric);
/// Whether the metrics of a point in that state mean anything.
bool isMeasured(PointState state);

}  // namespace sluice::ui
