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
/// All digits, in groups of three: "12 345 678".
QString exactNumber(std::uint64_t value);
/// The same of a count, which is never less than 0.
QString exactCount(qint64 value);
/// A short label for an axis tick: "250k", "1.5M".
QString tickLabel(double value);
/// A time to wait for: "3 s", "2 min 10 s".
QString durationText(double seconds);
/// A time that was measured: "73.1 ms", "2.45 s".
QString measuredTime(double seconds);

/// How a metric of the explorer is called on screen; `name` as in metricNames().
QString metricTitle(const QString& name);
/// The value of a metric with its unit, fractions as percentages.
Quantity metricQuantity(const QString& name, double value);
/// "On-chip memory (bytes)".
QString metricAxisLabel(const QString& name);
bool isFraction(const QString& metric_name);

}  // namespace sluice::ui
