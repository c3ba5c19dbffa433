// Strongly connected components against reachability, on random graphs.

#include "engine/core/components.h"

#include <gtest/gtest.h>

#include "engine/core/random.h"

namespace sluice::components_test {

/// reached[a][b]: a way of at least one edge leads from a to b.
std::vector<std::vector<char>> reachability(const Edges& edges) {
  std::vector<std::vector<char>> reached(edges.size(), std::vector<char>(edges.size(), 0));
  for (std::size_t from = 0; from < edges.size(); ++from)
    for (const std::size_t to : edges[from]) reached[from][to] = 1;
  for (std::size_t by = 0; by < edges.size(); ++by)
    for (std::size_t from = 0; from < edges.size(); ++from)
      for (std::size_t to = 0; to < edges.size(); ++to)
        if (reached[from][by] && reached[by][to]) reached[from][to] = 1;
  return reached;
}

TEST(Components, AreWhoReachesEachOther) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SplitMix64 random(seed);
    Edges edges(1 + random.below(12));
    for (std::size_t i = random.below(2 * edges.size()); i > 0; --i)
      edges[random.below(edges.size())].push_back(random.below(edges.size()));
    const auto reached = reachability(edges);
    const Components components = stronglyConnected(edges);
    for (std::size_t a = 0; a < edges.size(); ++a) {
      const std::size_t own = components.of[a];
      for (std::size_t b = 0; b < edges.size(); ++b) {
        const bool together = a == b || (reached[a][b] && reached[b][a]);
        ASSERT_EQ(own == components.of[b], together) << seed;
        if (reached[a][b] && !together) {
          EXPECT_LT(components.of[b], own) << seed;
        }
      }
      bool left = false;
      for (const std::size_t member : components.members[own])
        for (const std::size_t next : edges[member]) left |= components.of[next] != own;
      EXPECT_EQ(static_cast<bool>(components.circular[own]), static_cast<bool>(reached[a][a])) << seed;
      EXPECT_EQ(static_cast<bool>(components.left[own]), left) << seed;
    }
  }
}

}  // namespace sluice::components_test
