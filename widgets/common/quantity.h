#pragma once
// Numbers as people read them: three or four digits, an SI prefix, a unit. Every widget formats through here,
// so the same figure looks the same everywhere.

#include <QString>
#include <concepts>
#include <cstdint>

namespace sluice::ui {

struct Quantity {
  QString number;  ///< "1.234"
  QString unit;    ///< "M cycles", "MB", "%"; may be empty
};

/// `unit` as in MetricSpec: "cycles", "bytes", "FLOPs" or "". NaN and infinities give a dash.
Quantity quantity(double value, const QString& unit);
QString text(const Quantity& quantity);
/// "18.4 MB".
QString bytesText(double bytes);
template <std::integral Number>
QString bytesText(Number bytes) {
  return bytesText(static_cast<double>(bytes));
}
/// A fraction in 0..1 as a percentage.
Quantity percentage(double fraction);
/// A change by a share of what was before: "+12.5 %", "\u22128.0 %".
QString percentChange(double share, int decimals = 1);
/// All digits, in groups of three: "12 345 678".
QString exactNumber(std::uint64_t value);
/// The same of a count, which is never less than 0.
QString exactCount(qint64 value);
/// A short label for an axis tick: "250k", "1.5M".
QString tickLabel(double value);
/// The unit that all ticks of an axis are in: they are plain numbers, the axis's title says of what.
struct AxisUnit {
  double divisor = 1;  ///< of a value, to get its label
  QString name;        ///< "MB", "million cycles", "%"; may be empty
};
/// For an axis that reaches to `most`; `unit` as for quantity(), or "%" for fractions.
AxisUnit axisUnit(double most, const QString& unit);
/// "On-chip memory (MB)", "Cycles (millions)".
QString axisTitle(const QString& title, const QString& unit, double most);
/// A time to wait for: "3 s", "2 min 10 s".
QString durationText(double seconds);
/// A time that was measured: "73.1 ms", "2.45 s".
QString measuredTime(double seconds);

/// How a metric of the explorer is called on screen; `name` as in metricNames().
QString metricTitle(const QString& name);
/// The same for narrow places.
QString metricShortTitle(const QString& name);
/// The value of a metric with its unit, fractions as percentages.
Quantity metricQuantity(const QString& name, double value);
/// "On-chip memory (bytes)".
QString metricAxisLabel(const QString& name);
/// As in MetricSpec; "%" of a fraction. Null if there is no such metric.
QString metricUnit(const QString& name);
bool isFraction(const QString& metric_name);

}  // namespace sluice::ui
