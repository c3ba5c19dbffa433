#include "engine/explorer/search/knob_exchange.h"

#include <algorithm>
#include <numeric>

#include "engine/core/random.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/program/fields.h"
#include "engine/schedule/graph_hash.h"
#include "engine/schedule/schedule.h"

namespace sluice::inline explorer {
namespace {

using Digits = std::vector<std::uint64_t>;

bool sameValues(const Knob& a, const Knob& b) {
  Knob other = b;
  other.name = a.name;
  other.help = a.help;
  other.initial = a.initial;
  return other == a && a.size() > 1;
}

/// Points that rise from k of n values: n + k - 1 over k.
std::uint64_t multisets(std::uint64_t n, std::uint64_t k) {
  std::uint64_t count = 1;
  for (std::uint64_t i = 1; i <= k; ++i) count = count * (n + i - 1) / i;
  return count;
}

}  // namespace

KnobExchange::KnobExchange(const Workload& workload, std::vector<Knob> knobs)
    : workload_(workload), knobs_(std::move(knobs)), numbering_(knobs_) {
  std::vector<bool> placed(knobs_.size());
  for (std::size_t a = 0; a < knobs_.size(); ++a) {
    if (placed[a]) continue;
    std::vector<std::size_t> group{a};
    for (std::size_t b = a + 1; b < knobs_.size(); ++b) {
      if (placed[b] || !sameValues(knobs_[a], knobs_[b]) || !exchangeable(a, b)) continue;
      group.push_back(b);
      placed[b] = true;
    }
    if (group.size() > 1) groups_.push_back(std::move(group));
  }
}

bool KnobExchange::exchangeable(std::size_t a, std::size_t b) const {
  constexpr int looks = 6;
  const std::optional<std::uint64_t> start = numbering_.indexOf(defaultKnobs(workload_.document));
  Digits point = digitsOf(start.value_or(0), numbering_.radices());
  SplitMix64 random(1);
  bool seen = false;
  for (int look = 0; look < looks; ++look) {
    for (std::size_t k = 0; k < point.size() && look > 0; ++k)
      point[k] = random.below(numbering_.radices()[k]);
    if (point[a] == point[b]) point[b] = (point[a] + 1) % numbering_.radices()[b];
    Digits other = point;
    std::swap(other[a], other[b]);
    const std::string graph = graphAt(point);
    if (graph != graphAt(other)) return false;
    seen |= !graph.empty();
  }
  return seen;
}

std::string KnobExchange::graphAt(const Digits& digits) const {
  const KnobValues knobs = numbering_.point(indexOfDigits(digits, numbering_.radices()));
  const Result<ScheduledProgram> scheduled = applySchedule(workload_.document, workload_.inputs, knobs);
  if (!scheduled) return {};
  const Result<FlatGraph> graph = elaborate(scheduled->document, knobs, builtInCatalog());
  if (!graph || graph->operators.empty()) return {};
  std::string key = graphHash(*graph, scheduled->inputs);
  for (const auto& field : fields<Machine>())
    if (field.bound) key += " " + std::to_string(graph->machine.*field.bound);
  return key;
}

std::vector<std::vector<std::string>> KnobExchange::names() const {
  std::vector<std::vector<std::string>> names;
  for (const std::vector<std::size_t>& group : groups_) {
    names.emplace_back();
    for (const std::size_t knob : group) names.back().push_back(knobs_[knob].name);
  }
  return names;
}

std::uint64_t KnobExchange::representative(std::uint64_t index) {
  if (groups_.empty()) return index;
  const auto [known, is_new] = known_.try_emplace(index, index);
  if (!is_new) return known->second;
  const Digits digits = digitsOf(index, numbering_.radices());
  Digits sorted = digits;
  for (const std::vector<std::size_t>& group : groups_) {
    Digits values;
    for (const std::size_t knob : group) values.push_back(digits[knob]);
    std::ranges::sort(values);
    for (std::size_t i = 0; i < group.size(); ++i) sorted[group[i]] = values[i];
  }
  if (sorted == digits) return index;
  const std::string graph = graphAt(digits);
  if (!graph.empty() && graph == graphAt(sorted)) known->second = indexOfDigits(sorted, numbering_.radices());
  return known->second;
}

std::uint64_t KnobExchange::size() const {
  std::uint64_t size = 1;
  std::vector<bool> grouped(knobs_.size());
  for (const std::vector<std::size_t>& group : groups_) {
    size *= multisets(numbering_.radices()[group.front()], group.size());
    for (const std::size_t knob : group) grouped[knob] = true;
  }
  for (std::size_t k = 0; k < knobs_.size(); ++k)
    if (!grouped[k]) size *= numbering_.radices()[k];
  return size;
}

}  // namespace sluice::inline explorer
