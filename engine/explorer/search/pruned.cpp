// Every point, but those that symbolic lower bounds rule out. A point is ruled out by a point that is no
// worse than its bounds in any objective and better in one (or comes before it in the space): then it is no
// worse than the point itself, which is therefore not on the frontier, or only as a twin that is not listed.

#include <algorithm>
#include <numeric>

#include "engine/explorer/search/strategies.h"

namespace sluice::inline explorer {
namespace {

using Row = std::span<const double>;

/// The evaluated points that are not dominated, with their indices in the space.
class Front {
 public:
  explicit Front(std::size_t objectives) : objectives_(objectives) {}

  bool rulesOut(Row bound, std::uint64_t index) const {
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      if (covers(row(i), bound) && (indices_[i] < index || !covers(bound, row(i)))) return true;
    }
    return false;
  }

  void add(Row values, std::uint64_t index) {
    if (values[0] >= SearchContext::infinite_cost || rulesOut(values, index)) return;
    for (std::size_t i = indices_.size(); i-- > 0;) {
      if (covers(values, row(i))) drop(i);
    }
    indices_.push_back(index);
    rows_.insert(rows_.end(), values.begin(), values.end());
  }

 private:
  static bool covers(Row better, Row worse) {
    for (std::size_t k = 0; k < better.size(); ++k) {
      if (better[k] > worse[k]) return false;
    }
    return true;
  }
  Row row(std::size_t i) const { return Row(rows_).subspan(i * objectives_, objectives_); }
  void drop(std::size_t i) {
    indices_.erase(indices_.begin() + static_cast<std::ptrdiff_t>(i));
    const auto at = rows_.begin() + static_cast<std::ptrdiff_t>(i * objectives_);
    rows_.erase(at, at + static_cast<std::ptrdiff_t>(objectives_));
  }

  std::size_t objectives_;
  std::vector<std::uint64_t> indices_;
  std::vector<double> rows_;
};

}  // namespace

void searchPruned(SearchContext& context) {
  constexpr std::size_t batch = 16;  // fixed: what is pruned must not depend on the number of threads
  const std::size_t objectives = context.objectives();
  std::vector<std::uint64_t> all(context.size());
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  const std::vector<double> bounds = context.bounds(all);
  if (context.over()) return;
  const auto bound = [&](std::uint64_t index) { return Row(bounds).subspan(index * objectives, objectives); };
  // The most promising first: they rule out the most.
  std::stable_sort(all.begin(), all.end(), [&](std::uint64_t a, std::uint64_t b) {
    return std::lexicographical_compare(bound(a).begin(), bound(a).end(), bound(b).begin(), bound(b).end());
  });

  Front front(objectives);
  std::vector<std::uint64_t> chosen;
  const auto run = [&] {
    const std::vector<double> values = context.evaluate(chosen);
    for (std::size_t i = 0; i < chosen.size(); ++i)
      front.add(Row(values).subspan(i * objectives, objectives), chosen[i]);
    chosen.clear();
  };
  for (const std::uint64_t index : all) {
    if (bound(index)[0] >= SearchContext::infinite_cost || front.rulesOut(bound(index), index)) {
      context.prune(1);
      continue;
    }
    chosen.push_back(index);
    if (chosen.size() == batch) run();
    if (context.over()) return;
  }
  run();
}

}  // namespace sluice::inline explorer
