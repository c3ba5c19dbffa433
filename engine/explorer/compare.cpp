#include "engine/explorer/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "engine/operators/registry.h"

namespace sluice::inline explorer {

namespace {

using Operators = RunProfile::Operators;
using Streams = RunProfile::Streams;

/// An inferred broadcast has the place of its source.
std::string placeOf(const FlatOperator& op) {
  return op.inferred ? op.origin + ".broadcast" : op.origin;
}

std::map<std::string, Operators> operatorsOf(const PointResult& run) {
  std::map<std::string, Operators> places;
  const auto& stats = run.simulation.operators;
  for (std::size_t i = 0; i < std::min(stats.size(), run.symbolic.graph.operators.size()); ++i) {
    const FlatOperator& op = run.symbolic.graph.operators[i];
    Operators& place = places[placeOf(op)];
    place.kind = op.spec->kind;
    ++place.count;
    place.busy += static_cast<double>(stats[i].busy);
    place.starved += static_cast<double>(stats[i].blocked_on_input);
    place.blocked += static_cast<double>(stats[i].blocked_on_output);
    place.finished = std::max(place.finished, static_cast<double>(stats[i].finished));
  }
  return places;
}

std::string lastName(const std::string& place) {
  return place.substr(place.rfind('.') + 1);
}

using Pairs = std::map<std::string, std::string>;  ///< B's place -> A's

/// Positions of what A has and B has not.
template <class Value>
std::vector<std::string> unmatched(const std::map<std::string, Value>& a, const Pairs& matched) {
  std::set<std::string> taken;
  for (const auto& [of_b, of_a] : matched) taken.insert(of_a);
  std::vector<std::string> rest;
  for (const auto& [place, value] : a)
    if (!taken.contains(place)) rest.push_back(place);
  return rest;
}

/// More pairs: where both have the place, or one is `alike` on either side and there is only one such.
template <class Value, class Alike>
void match(const std::map<std::string, Value>& a, const std::map<std::string, Value>& b, Alike&& alike,
           Pairs& matched) {
  std::map<std::string, std::vector<std::string>> left_a, left_b;
  for (const auto& [place, value] : b)
    if (a.contains(place)) matched[place] = place;
  for (const auto& [place, value] : b)
    if (!matched.contains(place)) left_b[alike(place, value)].push_back(place);
  for (const std::string& place : unmatched(a, matched)) left_a[alike(place, a.at(place))].push_back(place);
  for (const auto& [name, places] : left_b) {
    const auto other = left_a.find(name);
    if (places.size() == 1 && other != left_a.end() && other->second.size() == 1)
      matched[places.front()] = other->second.front();
  }
}

/// By last name and kind; where a step put another operator in, as a load by addresses, by what it is for.
Pairs pairsOf(const std::map<std::string, Operators>& a, const std::map<std::string, Operators>& b) {
  Pairs matched;
  match(
      a, b,
      [](const std::string& place, const Operators& value) { return lastName(place) + " " + value.kind; },
      matched);
  match(
      a, b,
      [](const std::string& place, const Operators& value) {
        const Operator* known = findOperator(value.kind);
        return lastName(place) + " " + (known ? known->spec.category : value.kind);
      },
      matched);
  return matched;
}

void take(ComparedOperator& row, const Operators& place, bool is_a) {
  (is_a ? row.count_a : row.count_b) = place.count;
  const auto set = [&](ComparedValue& value, double number) { (is_a ? value.a : value.b) = number; };
  row.kind = place.kind;
  set(row.busy, place.busy), set(row.starved, place.starved);
  set(row.blocked, place.blocked), set(row.finished, place.finished);
}

double difference(const ComparedValue& value) {
  return std::abs(value.b.value_or(0) - value.a.value_or(0));
}

std::vector<ComparedOperator> compareOperators(const std::map<std::string, Operators>& of_a,
                                               const std::map<std::string, Operators>& of_b,
                                               const Pairs& matched) {
  std::vector<ComparedOperator> rows;
  for (const auto& [place, value] : of_b) {
    ComparedOperator& row = rows.emplace_back();
    row.place = place;
    if (const auto other = matched.find(place); other != matched.end()) {
      row.place_a = other->second;
      take(row, of_a.at(other->second), true);
    }
    take(row, value, false);
  }
  for (const std::string& place : unmatched(of_a, matched)) {
    ComparedOperator& row = rows.emplace_back();
    row.place = row.place_a = place;
    take(row, of_a.at(place), true);
  }
  const auto weight = [](const ComparedOperator& row) {
    return difference(row.busy) + difference(row.starved) + difference(row.blocked);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const ComparedOperator& x, const ComparedOperator& y) {
    return weight(x) > weight(y);
  });
  return rows;
}

std::string withoutInstances(const std::string& name) {
  std::string plain;
  int brackets = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '[') ++brackets;
    if (brackets == 0) plain += name[i];
    if (name[i] == ']') --brackets;
  }
  return plain;
}

std::map<std::string, Streams> streamsOf(const PointResult& run) {
  std::map<std::string, Streams> streams;
  const auto& stats = run.simulation.streams;
  for (std::size_t i = 0; i < std::min(stats.size(), run.symbolic.graph.streams.size()); ++i) {
    const FlatStream& stream = run.symbolic.graph.streams[i];
    Streams& place = streams[withoutInstances(stream.name)];
    place.origin = stream.origin;
    place.depth = std::max(place.depth, static_cast<double>(stream.depth));
    place.tokens += static_cast<double>(stats[i].tokens);
    place.most = std::max(place.most, static_cast<double>(stats[i].max_occupancy));
  }
  return streams;
}

std::vector<ComparedStream> compareStreams(const std::map<std::string, Streams>& of_a,
                                           const std::map<std::string, Streams>& of_b) {
  Pairs matched;
  const auto alike = [](const std::string& name, const Streams&) {
    const std::size_t arrow = name.find(" -> ");
    const auto ends = [](const std::string& end) {  // "expert.gate.out" -> "gate.out"
      const std::size_t port = end.rfind('.');
      const std::size_t node = port == std::string::npos || port == 0 ? port : end.rfind('.', port - 1);
      return node == std::string::npos ? end : end.substr(node + 1);
    };
    return arrow == std::string::npos ? name : ends(name.substr(0, arrow)) + ends(name.substr(arrow + 4));
  };
  match(of_a, of_b, alike, matched);
  std::vector<ComparedStream> rows;
  const auto set = [](ComparedStream& row, const Streams& of, bool is_a) {
    (is_a ? row.origin_a : row.origin_b) = of.origin;
    (is_a ? row.depth.a : row.depth.b) = of.depth;
    (is_a ? row.tokens.a : row.tokens.b) = of.tokens;
    (is_a ? row.most.a : row.most.b) = of.most;
  };
  for (const auto& [name, value] : of_b) {
    ComparedStream& row = rows.emplace_back();
    row.name = name;
    if (const auto other = matched.find(name); other != matched.end()) set(row, of_a.at(other->second), true);
    set(row, value, false);
  }
  for (const std::string& name : unmatched(of_a, matched)) {
    ComparedStream& row = rows.emplace_back();
    row.name = name;
    set(row, of_a.at(name), true);
  }
  return rows;
}

constexpr std::string_view has_ended = " (has ended)";

/// Operators by the places that operatorsOf() gives them.
std::string causeName(const FlatGraph& graph, const StallCause& cause) {
  if (cause.source != StallSource::Process && cause.source != StallSource::Ended) return text(graph, cause);
  return placeOf(graph.operators.at(cause.op)) +
         (cause.source == StallSource::Ended ? std::string(has_ended) : "");
}

std::optional<std::map<std::string, double>> causesOf(const PointResult& run) {
  if (!run.simulation.timeline) return std::nullopt;
  std::map<std::string, double> causes;
  const FlatGraph& graph = run.symbolic.graph;
  for (const StallBlame& blame : attributeStalls(graph, *run.simulation.timeline).causes)
    causes[causeName(graph, blame.cause)] += static_cast<double>(blame.lost);
  return causes;
}

/// As B calls it.
std::string renamed(const std::string& cause, const Pairs& of_b) {
  const bool ended = cause.ends_with(has_ended);
  const auto found = of_b.find(ended ? cause.substr(0, cause.size() - has_ended.size()) : cause);
  return found == of_b.end() ? cause : found->second + (ended ? std::string(has_ended) : "");
}

std::vector<ComparedCause> compareCauses(const RunProfile& a, const RunProfile& b, const Pairs& matched) {
  if (!a.causes || !b.causes) return {};
  Pairs of_b;
  for (const auto& [place, other] : matched) of_b[other] = place;
  std::map<std::string, ComparedValue> causes;
  for (const auto& [cause, lost] : *a.causes) causes[renamed(cause, of_b)].a = lost;
  for (const auto& [cause, lost] : *b.causes) causes[cause].b = lost;
  std::vector<ComparedCause> rows;
  for (auto& [cause, value] : causes) {
    // A cause that one run does not have cost it nothing.
    rows.push_back({cause, {value.a.value_or(0), value.b.value_or(0)}});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ComparedCause& x, const ComparedCause& y) {
    return difference(x.lost) > difference(y.lost);
  });
  return rows;
}

}  // namespace

std::optional<double> ComparedValue::change() const {
  if (!a || !b || (*a == 0 && *b != 0)) return std::nullopt;
  return *a == 0 ? 0 : (*b - *a) / *a;
}

std::optional<double> ComparedValue::error() const {
  if (!a || !b || *b == 0) return std::nullopt;
  return (*a - *b) / *b;
}

RunProfile profileOf(const PointResult& run) {
  return {run.point, operatorsOf(run), streamsOf(run), causesOf(run)};
}

Comparison compare(const RunProfile& a, const RunProfile& b) {
  Comparison result;
  for (const MetricSpec* metric : metricsWith(isPriced(a.point.metrics) || isPriced(b.point.metrics))) {
    ComparedMetric& row = result.metrics.emplace_back();
    row.metric = metric;
    if (exactMetric(a.point, *metric)) row.value.a = metric->number(a.point.metrics);
    if (exactMetric(b.point, *metric)) row.value.b = metric->number(b.point.metrics);
  }
  const Pairs matched = pairsOf(a.operators, b.operators);
  result.operators = compareOperators(a.operators, b.operators, matched);
  result.streams = compareStreams(a.streams, b.streams);
  result.causes = compareCauses(a, b, matched);
  return result;
}

Comparison compare(const PointResult& a, const PointResult& b) {
  return compare(profileOf(a), profileOf(b));
}

}  // namespace sluice::inline explorer
