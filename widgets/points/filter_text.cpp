// Filters as people write them, both ways.

#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/quantity_text.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/points/point_selection.h"

namespace sluice::ui {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

QString simple(QString name) {
  static const QRegularExpression separators(QStringLiteral("[\\s_-]+"));
  return name.toLower().remove(separators);
}

std::optional<double> numberOf(const QString& text) {
  const std::optional<TypedQuantity> typed = parseQuantity(text.toStdString());
  return typed ? std::optional(typed->value) : std::nullopt;
}

/// A value's name, where the knob's values have names, or a number.
std::optional<double> valueOf(const QString& text, const PointColumn& column) {
  for (qsizetype i = 0; i < column.names.size(); ++i)
    if (simple(column.names[i]) == simple(text.trimmed())) return static_cast<double>(i);
  const MetricSpec* metric = column.is_knob ? nullptr : findMetric(column.name.toStdString());
  if (metric) return parseQuantity(text.toStdString(), metric->unit);
  return numberOf(text);  // what a knob counts is not known
}

std::optional<std::size_t> columnOfName(const QString& name, const PointColumns& columns) {
  for (std::size_t c = 0; c < columns.columns().size(); ++c) {
    const PointColumn& column = columns.columns()[c];
    if (simple(name) == simple(column.name) || simple(name) == simple(columnTitle(column))) return c;
  }
  if (const MetricSpec* metric = findMetricTyped(name.toStdString())) return columns.find(qt(metric->name));
  return std::nullopt;
}

Diagnostic refused(Code code, const QString& text, const QString& cause, const QString& fix) {
  return error(code, "filter '" + text.toStdString() + "'", cause.toStdString(), fix.toStdString());
}

Diagnostic refusedValue(const QString& text, const QString& value, const PointColumn& column,
                        const QString& example) {
  if (column.names.isEmpty())
    return refused("not-a-number", text,
                   QObject::tr("'%1' is no number to compare %2 with").arg(value, column.name), example);
  return refused("unknown-choice", text, QObject::tr("'%1' is no value of %2").arg(value, column.name),
                 QObject::tr("its values are %1").arg(column.names.join(QStringLiteral(", "))));
}

/// "a op b" as a bound on the column.
void bound(PointFilter& filter, const QString& sign, double value) {
  if (sign.startsWith(QLatin1Char('<'))) {
    filter.high = sign == QLatin1String("<") ? std::nextafter(value, -infinity) : value;
  } else if (sign.startsWith(QLatin1Char('>'))) {
    filter.low = sign == QLatin1String(">") ? std::nextafter(value, infinity) : value;
  } else {
    filter.low = filter.high = value;
  }
}

QString turned(const QString& sign) {
  QString other = sign;
  if (sign.startsWith(QLatin1Char('<'))) return other.replace(QLatin1Char('<'), QLatin1Char('>'));
  return other.replace(QLatin1Char('>'), QLatin1Char('<'));
}

}  // namespace

QString filterText(const PointFilter& filter, const PointColumns& columns) {
  switch (filter.kind) {
    case PointFilter::Kind::State:
      return QObject::tr("only %1").arg(stateText(filter.state));
    case PointFilter::Kind::Keep:
      return QObject::tr("%n point(s) kept", nullptr, static_cast<int>(filter.points.size()));
    case PointFilter::Kind::Hide:
      return QObject::tr("%n point(s) hidden", nullptr, static_cast<int>(filter.points.size()));
    case PointFilter::Kind::Range:
      break;
  }
  const auto found = columns.find(filter.column);
  if (!found) return QObject::tr("%1 (not here)").arg(filter.column);
  const PointColumn& column = columns.columns()[*found];
  const QString low = columnText(column, filter.low), high = columnText(column, filter.high);
  const QString title = columnTitle(column);
  if (!column.names.isEmpty()) {  // they have an order, but it is unknown: all are listed
    QStringList kept;
    for (qsizetype i = 0; i < column.names.size(); ++i)
      if (static_cast<double>(i) >= filter.low && static_cast<double>(i) <= filter.high)
        kept << column.names[i];
    if (!kept.isEmpty()) return QStringLiteral("%1 = %2").arg(title, kept.join(QObject::tr(" or ")));
  }
  if (!std::isfinite(filter.low)) return QStringLiteral("%1 \u2264 %2").arg(title, high);
  if (!std::isfinite(filter.high)) return QStringLiteral("%1 \u2265 %2").arg(title, low);
  if (filter.low == filter.high) return QStringLiteral("%1 = %2").arg(title, low);
  return QStringLiteral("%1: %2 \u2013 %3").arg(title, low, high);
}

Result<PointFilter> parseFilter(const QString& text, const PointColumns& columns) {
  QString plain = text.trimmed();
  plain.replace(QChar(u'\u2264'), QStringLiteral("<=")).replace(QChar(u'\u2265'), QStringLiteral(">="));
  static const QRegularExpression sign(QStringLiteral("(<=|>=|==|=|<|>)"));
  QStringList operands = plain.split(sign), signs;
  for (auto match = sign.globalMatch(plain); match.hasNext();) signs << match.next().captured(1);
  const QString example = QObject::tr("write it as in 'on-chip memory < 8 MB' or '2k <= cycles <= 5k'");
  if (operands.size() < 2 || operands.size() > 3)
    return refused("constraint-syntax", text, QObject::tr("it is no comparison"), example);
  PointFilter filter;
  filter.low = -infinity;
  filter.high = infinity;
  qsizetype named = 0;
  while (named < operands.size() && !columnOfName(operands[named], columns)) ++named;
  if (named == operands.size()) {
    const auto unknown = std::find_if(operands.begin(), operands.end(),
                                      [](const QString& operand) { return !numberOf(operand); });
    if (unknown == operands.end())
      return refused("constraint-syntax", text, QObject::tr("it names no knob or metric"), example);
    QStringList names;
    for (const PointColumn& each : columns.columns()) names << each.name;
    return refused("unknown-name", text,
                   QObject::tr("there is no knob or metric '%1'").arg(unknown->trimmed()),
                   QObject::tr("there are %1").arg(names.join(QStringLiteral(", "))));
  }
  const PointColumn& column = columns.columns()[*columnOfName(operands[named], columns)];
  filter.column = column.name;
  if (operands.size() == 3 && named != 1)
    return refused("constraint-syntax", text, QObject::tr("the name has to stand between the two limits"),
                   example);
  for (qsizetype i = 0; i < operands.size(); ++i) {
    if (i == named) continue;
    const std::optional<double> value = valueOf(operands[i], column);
    if (!value) return refusedValue(text, operands[i].trimmed(), column, example);
    bound(filter, i > named ? signs[i - 1] : turned(signs[i]), *value);
  }
  if (filter.low > filter.high)
    return refused("out-of-range", text, QObject::tr("nothing can be within it"),
                   QObject::tr("exchange the two limits"));
  return filter;
}

}  // namespace sluice::ui
