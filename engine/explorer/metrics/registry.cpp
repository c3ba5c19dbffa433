#include "engine/explorer/metrics/registry.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "engine/explorer/metrics/technology_metrics.h"

#include "engine/explorer/metrics/statistic.h"

namespace sluice::inline explorer {

namespace metrics {
#define X(Number, name) const MetricSpec& name();
SLUICE_METRICS(X)
#undef X
}  // namespace metrics

namespace {

std::vector<std::string> namesFrom(Prominence least) {
  std::vector<std::string> names;
  for (const MetricSpec* metric : registeredMetrics())
    if (metric->prominence >= least) names.push_back(metric->name);
  return names;
}

std::vector<const MetricSpec*> builtInMetrics() {
#define X(Number, name) &metrics::name(),
  std::vector<const MetricSpec*> built_in{SLUICE_METRICS(X)};
#undef X
  std::ranges::copy(technologyMetrics(), std::back_inserter(built_in));
  return built_in;
}

}  // namespace

Registry<const MetricSpec*>& metricRegistry() {
  static Registry<const MetricSpec*> registry(builtInMetrics());
  return registry;
}

std::span<const MetricSpec* const> registeredMetrics() {
  return metricRegistry().all();
}

std::span<const MetricSpec* const> metricsWith(bool technology) {
  static const std::vector<const MetricSpec*> without = [] {
    std::vector<const MetricSpec*> metrics;
    std::ranges::copy_if(registeredMetrics(), std::back_inserter(metrics),
                         [](const MetricSpec* metric) { return !metric->priced; });
    return metrics;
  }();
  return technology ? registeredMetrics() : std::span(without);
}

bool isPriced(const Metrics& metrics) {
  return std::ranges::any_of(metrics.added, [](const AddedMetric& added) { return added.metric->priced; });
}

const MetricSpec* findMetric(const std::string& name) {
  const auto all = registeredMetrics();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto* spec) { return spec->name == name; });
  if (found != all.end()) return *found;
  const std::optional<Statistic> statistic = parseStatistic(name);
  return statistic ? &metricOf(*statistic) : nullptr;
}

const MetricSpec* findMetricTyped(std::string_view text) {
  const auto simple = [](std::string_view name) {
    std::string letters;
    for (const char c : name)
      if (c != ' ' && c != '_' && c != '-')
        letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return letters;
  };
  const std::string wanted = simple(text);
  for (const MetricSpec* metric : registeredMetrics())
    for (const std::string* name : {&metric->name, &metric->title, &metric->short_title})
      if (simple(*name) == wanted) return metric;
  const std::optional<Statistic> statistic = parseStatistic(text);
  return statistic ? &metricOf(*statistic) : nullptr;
}

const std::vector<std::string>& metricNames() {
  static const std::vector<std::string> names = namesFrom(Prominence::Detail);
  return names;
}

double minimised(const std::string& name, double value) {
  const MetricSpec* const metric = findMetric(name);
  return metric ? metric->minimised(value) : value;
}

const std::vector<std::string>& defaultObjectives() {
  static const std::vector<std::string> names = namesFrom(Prominence::Objective);
  return names;
}

}  // namespace sluice::inline explorer
