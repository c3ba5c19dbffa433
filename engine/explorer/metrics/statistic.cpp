#include "engine/explorer/metrics/statistic.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>

#include "engine/core/enum_names.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/program/spelling.h"

namespace sluice::inline explorer {
namespace {

constexpr EnumName<StatisticKind> kind_names[] = {{StatisticKind::Mean, "mean"},
                                                  {StatisticKind::Minimum, "min"},
                                                  {StatisticKind::Maximum, "max"},
                                                  {StatisticKind::Worst, "worst"},
                                                  {StatisticKind::Variation, "cv"}};

/// 0.95 of "p95", 0.999 of "p99.9".
std::optional<double> quantileIn(std::string_view word) {
  if (!word.starts_with('p') || word.size() < 2) return std::nullopt;
  double percent = 0;
  const auto [stop, wrong] = std::from_chars(word.data() + 1, word.data() + word.size(), percent);
  const bool is = wrong == std::errc() && stop == word.data() + word.size() && percent > 0 && percent < 100;
  return is ? std::optional(percent / 100) : std::nullopt;
}

std::string percentText(double quantile) {
  char digits[32];
  // Rounded, as 0.95 * 100 is not 95.
  const auto end =
      std::to_chars(digits, digits + sizeof digits, quantile * 100, std::chars_format::general, 10);
  return {digits, end.ptr};
}

bool isShare(StatisticKind kind) {
  return kind == StatisticKind::Deadlocks || kind == StatisticKind::Infeasible;
}

std::string written(const Statistic& statistic, const std::string& of) {
  if (statistic.kind == StatisticKind::Deadlocks) return "P(deadlock)";
  if (statistic.kind == StatisticKind::Infeasible) return "P(overflow)";
  const std::string word = statistic.kind == StatisticKind::Quantile ? "p" + percentText(statistic.quantile)
                                                                     : nameIn(kind_names, statistic.kind);
  return word + "(" + of + ")";
}

MetricSpec describe(const Statistic& statistic) {
  MetricSpec spec;
  spec.name = text(statistic);
  if (isShare(statistic.kind)) {
    spec.title = spec.short_title = spec.column = spec.name;
    spec.kind = MetricKind::Fraction;
    return spec;
  }
  const MetricSpec& of = *statistic.of;
  spec.title = written(statistic, of.title);
  spec.short_title = written(statistic, of.short_title);
  spec.column = written(statistic, of.column);
  spec.priced = of.priced;
  if (statistic.kind == StatisticKind::Variation) {
    spec.kind = MetricKind::Fraction;
    spec.priced = nullptr;
    return spec;
  }
  spec.unit = of.unit;
  spec.smaller_is_better = of.smaller_is_better;
  spec.kind = statistic.kind == StatisticKind::Mean && of.isWhole() ? MetricKind::Ratio : of.kind;
  return spec;
}

struct Described {
  Statistic statistic;
  MetricSpec spec;
};

/// Descriptions that have been asked for. They follow from their names, so that it does not matter who asks
/// first.
class Descriptions {
 public:
  const MetricSpec& of(const Statistic& statistic) {
    const std::lock_guard lock(mutex_);
    const auto [at, fresh] = known_.try_emplace(text(statistic));
    if (fresh) at->second = {statistic, describe(statistic)};
    return at->second.spec;
  }
  std::optional<Statistic> statistic(const MetricSpec& spec) {
    const std::lock_guard lock(mutex_);
    const auto at = known_.find(spec.name);
    return at != known_.end() && &at->second.spec == &spec ? std::optional(at->second.statistic)
                                                           : std::nullopt;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Described> known_;
};

Descriptions& descriptions() {
  static Descriptions all;
  return all;
}

struct StatisticWords {
  std::string word, inner;  ///< "p95" and "cycles" of "p95(cycles)"
};

std::optional<StatisticWords> wordsOf(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
  return StatisticWords{std::string(text.substr(0, open)),
                        std::string(text.substr(open + 1, text.size() - open - 2))};
}

/// What begins like a percentile and is none: "p105", "p0".
bool isNoPercentile(const std::string& word) {
  return word.size() > 1 && word[0] == 'p' && !quantileIn(word) &&
         word.find_first_not_of("0123456789.", 1) == std::string::npos;
}

/// Of a statistic that is not known: what may stand in its place.
std::string likeStatistic(const StatisticWords& given) {
  if (given.word == "P") return "use P(deadlock) or P(overflow)";
  std::vector<std::string> words{"median", "p95"};
  for (const auto& each : kind_names) words.emplace_back(each.name);
  const bool is_word = quantileIn(given.word) || std::ranges::find(words, given.word) != words.end() ||
                       isNoPercentile(given.word);
  std::string word = given.word, inner = given.inner;
  if (isNoPercentile(word)) word = "p95";
  if (!is_word) {
    const auto close = closestSpellings(word, words, 1);
    if (close.empty()) return "use mean, median, min, max, worst, cv, or a percentile as p95";
    word = close.front();
  }
  if (!findMetricTyped(inner)) {
    const auto close = closestSpellings(inner, metricNames(), 1);
    if (close.empty()) return spellingFix(inner, metricNames(), "use a metric");
    inner = close.front();
  }
  return "did you mean '" + word + "(" + inner + ")'?";
}

}  // namespace

Diagnostic unknownMetric(const std::string& name, const Location& place) {
  const std::optional<StatisticWords> given = wordsOf(name);
  if (!given)
    return error("unknown-metric", place, "'" + name + "' is not a metric",
                 spellingFix(name, metricNames(), "use a metric"));
  std::string cause = "'" + name + "' is not a metric";
  if (isNoPercentile(given->word)) {
    cause += ": percentiles are above 0 and below 100";
  } else if (given->word != "P" && !findMetricTyped(given->inner)) {
    cause += ", as '" + given->inner + "' is none";
  }
  return error("unknown-metric", place, std::move(cause), likeStatistic(*given));
}

std::optional<Statistic> parseStatistic(std::string_view text) {
  const std::optional<StatisticWords> given = wordsOf(text);
  if (!given) return std::nullopt;
  const auto& [word, inner] = *given;
  if (word == "P" && inner == "deadlock") return Statistic{StatisticKind::Deadlocks, 0, nullptr};
  if (word == "P" && inner == "overflow") return Statistic{StatisticKind::Infeasible, 0, nullptr};
  if (inner.find('(') != std::string::npos) return std::nullopt;
  const MetricSpec* const of = findMetricTyped(inner);
  if (!of) return std::nullopt;
  if (const auto kind = valueIn(kind_names, word)) return Statistic{*kind, 0, of};
  if (word == "median") return Statistic{StatisticKind::Quantile, 0.5, of};
  const std::optional<double> quantile = quantileIn(word);
  return quantile ? std::optional(Statistic{StatisticKind::Quantile, *quantile, of}) : std::nullopt;
}

std::string text(const Statistic& statistic) {
  return written(statistic, statistic.of ? statistic.of->name : "");
}

const MetricSpec& metricOf(const Statistic& statistic) {
  return descriptions().of(statistic);
}

std::optional<Statistic> statisticOf(const MetricSpec& metric) {
  return descriptions().statistic(metric);
}

std::optional<Diagnostic> statisticOfOneTrace(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const MetricSpec* const metric = findMetric(name);
    if (!metric || !statisticOf(*metric)) continue;
    return error(
        "unknown-objective", "objectives",
        "'" + name + "' is a statistic over a set of traces, and no input is one",
        "explore with a set, --input NAME=set:FOLDER or NAME=set:zipf,count=100,skew=0.5; or name a metric");
  }
  return std::nullopt;
}

}  // namespace sluice::inline explorer
