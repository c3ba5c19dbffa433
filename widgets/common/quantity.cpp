#include "widgets/common/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "engine/core/quantity_text.h"
#include "engine/core/units.h"
#include "engine/explorer/metrics/registry.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

/// Four significant digits at most, no trailing zeros.
QString digits(double value) {
  return qt(significantDigits(value, 4));
}

const MetricSpec* metricOf(const QString& name) {
  return findMetric(name.toStdString());
}

struct PowerOfTen {
  std::string_view prefix;
  double divisor;
  const char* word;
};

constexpr std::array<PowerOfTen, 6> powers = {{{"", 1, ""},
                                               {"k", 1e3, "thousand"},
                                               {"M", 1e6, "million"},
                                               {"G", 1e9, "billion"},
                                               {"T", 1e12, "trillion"},
                                               {"P", 1e15, "quadrillion"}}};

const PowerOfTen& powerOf(double value) {
  const std::string_view prefix = withPrefix(value).prefix;
  return *std::find_if(powers.begin(), powers.end(),
                       [prefix](const PowerOfTen& each) { return each.prefix == prefix; });
}

QString dash() {
  return QStringLiteral("\u2013");
}

}  // namespace

Quantity quantity(double value, const QString& unit) {
  if (!std::isfinite(value)) return {dash(), unit == QLatin1String("bytes") ? QStringLiteral("B") : unit};
  if (isDivided(unit.toStdString())) {
    const Prefixed part = withSmallPrefix(value);
    return {digits(part.value), qt(part.prefix) + unit};
  }
  if (value != 0 && std::abs(value) < 0.001) return {qt(significantDigits(value, 3)), unit};
  const Prefixed part = withPrefix(value);
  const QString prefix = QString::fromLatin1(part.prefix);
  if (unit == QLatin1String("bytes")) return {digits(part.value), prefix + QLatin1Char('B')};
  if (unit.startsWith(QLatin1String("FLOPs"))) {
    return {digits(part.value), prefix + QLatin1String("FLOP") + unit.mid(5)};
  }
  const QString gap = prefix.isEmpty() || unit.isEmpty() ? QString() : QStringLiteral("\u00a0");
  return {digits(part.value), prefix + gap + unit};
}

QString text(const Quantity& quantity) {
  if (quantity.unit.isEmpty()) return quantity.number;
  return quantity.number + QChar(0x00a0) + quantity.unit;
}

QString bytesText(double bytes) {
  return text(quantity(bytes, QStringLiteral("bytes")));
}

Quantity percentage(double fraction) {
  if (!std::isfinite(fraction)) return {dash(), QStringLiteral("%")};
  return {qt(fixedDigits(fraction * 100, fraction < 0.1 ? 2 : 1)), QStringLiteral("%")};
}

QString percentChange(double share, int decimals) {
  const QString sign = share < 0 ? QStringLiteral("\u2212") : QStringLiteral("+");
  return sign + qt(fixedDigits(std::abs(share) * 100, decimals)) + QStringLiteral("\u00a0%");
}

QString exactNumber(std::uint64_t value) {
  QString plain = QString::number(value);
  for (qsizetype at = plain.size() - 3; at > 0; at -= 3) plain.insert(at, QChar(0x202f));
  return plain;
}

QString exactCount(qint64 value) {
  return exactNumber(static_cast<std::uint64_t>(std::max<qint64>(0, value)));
}

QString tickLabel(double value) {
  const Prefixed part = withPrefix(value);
  return digits(part.value) + QString::fromLatin1(part.prefix);
}

AxisUnit axisUnit(double most, const QString& unit) {
  if (unit == QLatin1String("%")) return {0.01, unit};
  if (isDivided(unit.toStdString()) && std::isfinite(most) && most > 0) {
    const Prefixed part = withSmallPrefix(most);
    return {std::pow(1000.0, std::round(std::log10(most / part.value) / 3)), qt(part.prefix) + unit};
  }
  const PowerOfTen& power = powerOf(std::isfinite(most) ? most : 1);
  const QString prefix = QString::fromLatin1(power.prefix.data());
  if (unit == QLatin1String("bytes"))
    return {power.divisor, prefix.isEmpty() ? unit : prefix + QLatin1Char('B')};
  if (unit.startsWith(QLatin1String("FLOPs")))
    return {power.divisor, prefix.isEmpty() ? unit : prefix + QLatin1String("FLOP") + unit.mid(5)};
  const QString word = QString::fromLatin1(power.word);
  return {power.divisor, word.isEmpty() || unit.isEmpty() ? word + unit : word + QLatin1Char(' ') + unit};
}

QString axisTitle(const QString& title, const QString& unit, double most) {
  const bool counts_itself = title.compare(unit, Qt::CaseInsensitive) == 0;
  QString name = axisUnit(most, counts_itself ? QString() : unit).name;
  if (name.isEmpty()) return title;
  if (counts_itself || unit.isEmpty()) name += QLatin1Char('s');  // "Cycles (millions)"
  return QStringLiteral("%1 (%2)").arg(title, name);
}

QString durationText(double seconds) {
  if (seconds < 0) return {};
  if (seconds < 1) return QStringLiteral("under 1 s");
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole < 60) return QStringLiteral("%1 s").arg(whole);
  if (whole < 3600) return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(whole % 60);
  return QStringLiteral("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
}

QString measuredTime(double seconds) {
  if (seconds < 1) return QString::number(seconds * 1000, 'g', 3) + QStringLiteral("\u00a0ms");
  if (seconds < 100) return QString::number(seconds, 'g', 3) + QStringLiteral("\u00a0s");
  return durationText(seconds);
}

QString metricTitle(const QString& name) {
  if (const MetricSpec* metric = metricOf(name)) return qt(metric->title);
  QString readable = name;
  readable.replace(QLatin1Char('_'), QLatin1Char(' '));
  if (!readable.isEmpty()) readable[0] = readable[0].toUpper();
  return readable;
}

QString metricShortTitle(const QString& name) {
  const MetricSpec* metric = metricOf(name);
  return metric ? qt(metric->short_title) : metricTitle(name);
}

bool isFraction(const QString& metric_name) {
  const MetricSpec* metric = metricOf(metric_name);
  return metric && metric->kind == MetricKind::Fraction;
}

Quantity metricQuantity(const QString& name, double value) {
  const MetricSpec* metric = metricOf(name);
  if (!metric) return quantity(value, {});
  return metric->kind == MetricKind::Fraction ? percentage(value) : quantity(value, qt(metric->unit));
}

QString metricUnit(const QString& name) {
  const MetricSpec* metric = metricOf(name);
  if (!metric) return {};
  return metric->kind == MetricKind::Fraction ? QStringLiteral("%") : qt(metric->unit);
}

QString metricAxisLabel(const QString& name) {
  const MetricSpec* metric = metricOf(name);
  const QString title = metricTitle(name), unit = metric ? qt(metric->unit) : QString();
  if (unit.isEmpty() || title.compare(unit, Qt::CaseInsensitive) == 0) return title;
  return QStringLiteral("%1 (%2)").arg(title, unit);
}

}  // namespace sluice::ui
