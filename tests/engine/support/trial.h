#pragma once
// What the laws about token streams share: random trials, and the reference's list operations.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "engine/operators/simulate.h"
#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/nested_list.h"

namespace sluice::laws {

using List = std::vector<std::int64_t>;

/// A stream of known rank under construction.
struct Feed {
  Output from;
  std::uint32_t rank = 0;
};

/// One random trial: a graph, its inputs, and what the run captured.
class Trial {
 public:
  explicit Trial(std::uint64_t seed) : seed_(seed), random_(seed * 7919 + 17) { builder.depth = 4096; }

  FlatBuilder builder;

  std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
  }
  bool chance(std::size_t percent) { return below(100) < percent; }
  List shape(std::int64_t fewest, std::int64_t most) {
    List extents(static_cast<std::size_t>(between(fewest, most)));
    for (std::int64_t& extent : extents) extent = between(1, 4);
    return extents;
  }

  /// The name of a fresh input with these values.
  std::string input(const List& values);
  Feed numbers(const List& shape);                   ///< distinct numbers
  Feed tiles(const List& shape, std::int64_t rows);  ///< rows x 8 tiles
  Feed ragged(Feed regular,
              const List& shape);  ///< each element 1 to 3 times, in a new ragged innermost dimension
  Feed disguised(Feed feed);       ///< perhaps with dimensions merged, so that others become ragged
  Feed packed(Feed tiles);         ///< innermost groups packed into one (dynamic) tile each
  /// Numbers or dynamic tiles in a stream of some shape: regular, ragged or empty.
  Feed anyStream(std::int64_t most_dims = 3);
  Feed anyTiles(std::int64_t rows);
  Output selectors(const List& groups, std::size_t ways);

  Feed through(const std::string& kind, const Settings& settings, Feed feed, std::int64_t rank_change) {
    return {builder.through(kind, settings, {feed.from}),
            static_cast<std::uint32_t>(feed.rank + rank_change)};
  }

  void run();
  Nested list(Feed feed) const { return decode(tokens(feed.from), feed.rank); }
  std::vector<LeveledLeaf> tokens(Output output) const {
    return leveled(result_.captured.at(builder.stream(output)));
  }
  std::vector<std::vector<std::uint32_t>> selected(Output output) const {
    std::vector<std::vector<std::uint32_t>> result;
    for (const CapturedToken& token : result_.captured.at(builder.stream(output)))
      result.push_back(token.selected);
    return result;
  }
  /// The tokens that left `feed` are those of `expected`.
  void expect(Feed feed, const Nested& expected, const std::string& what) const;

 private:
  std::uint64_t seed_;
  std::mt19937_64 random_;
  InputSet inputs_;
  SimulationResult result_;
};

/// Runs `law` on many random trials, until one fails.
void forAll(const std::function<void(Trial&)>& law);

Nested concatenated(const Nested& list, std::int64_t times);
Nested chunked(const Nested& list, std::size_t chunk, const Leaf& pad);
std::vector<Nested> copies(const Nested& item, std::int64_t times);
Nested wrapped(std::vector<Nested> items);

}  // namespace sluice::laws
