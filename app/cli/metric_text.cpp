#include "app/cli/metric_text.h"

#include <cctype>
#include <cmath>

#include "app/cli/table.h"
#include "engine/core/quantity_text.h"

namespace sluice::cli {

std::string siText(double number, const std::string& unit) {
  if (!isDivided(unit) || !std::isfinite(number)) return decimal(number, 3) + " " + unit;
  const Prefixed part = withSmallPrefix(number);
  return decimal(part.value, 3) + " " + part.prefix + unit;
}

std::string metricText(const MetricSpec& metric, MetricValue value) {
  if (const std::uint64_t* count = std::get_if<std::uint64_t>(&value)) return grouped(*count);
  const double number = std::get<double>(value);
  if (!std::isfinite(number)) return "-";
  if (metric.isWhole() && number >= 0 && number < 1e15)
    return grouped(static_cast<std::uint64_t>(std::llround(number)));
  if (metric.priced) return siText(number, metric.unit);
  return metric.kind == MetricKind::Fraction ? percent(number) : decimal(number, 3);
}

std::string metricLabel(const MetricSpec& metric) {
  const auto upper = [&](std::size_t at) {
    return std::isupper(static_cast<unsigned char>(metric.title.at(at))) != 0;
  };
  std::string label = metric.title;
  if (!upper(1))
    label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));  // not FLOPs
  const bool named = metric.kind == MetricKind::Count || metric.unit.empty() || metric.priced;
  return named ? label : label + ", " + metric.unit;
}

}  // namespace sluice::cli
