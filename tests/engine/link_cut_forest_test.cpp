// LinkCutForest against trees that are walked node by node.

#include "engine/core/link_cut_forest.h"

#include <gtest/gtest.h>

#include "engine/core/random.h"

namespace sluice::link_cut_forest_test {

struct Sum {
  long value = 0;
  Sum& operator+=(Sum other) {
    value += other.value;
    return *this;
  }
  Sum& operator-=(Sum other) {
    value -= other.value;
    return *this;
  }
};

/// The same trees as parents and values.
struct Plain {
  static constexpr std::uint32_t none = ~0U;
  struct Node {
    std::uint32_t parent = none;
    long path = 0, tree = 0;
  };
  std::vector<Node> nodes;

  std::uint32_t root(std::uint32_t id) const {
    while (nodes[id].parent != none) id = nodes[id].parent;
    return id;
  }
  long pathSum(std::uint32_t id) const {
    long sum = 0;
    for (; id != none; id = nodes[id].parent) sum += nodes[id].path;
    return sum;
  }
  long treeSum(std::uint32_t of) const {
    long sum = 0;
    for (std::uint32_t id = 0; id < nodes.size(); ++id)
      if (root(id) == of) sum += nodes[id].tree;
    return sum;
  }
};

TEST(LinkCutForest, IsTheForestThatItsLinksAndCutsMake) {
  int links = 0, cuts = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SplitMix64 random(seed);
    const auto count = static_cast<std::uint32_t>(1 + random.below(40));
    LinkCutForest<Sum, Sum> forest(count);
    Plain plain{std::vector<Plain::Node>(count)};
    for (int step = 0; step < 1500; ++step) {
      const auto id = static_cast<std::uint32_t>(random.below(count));
      const auto other = static_cast<std::uint32_t>(random.below(count));
      Plain::Node& node = plain.nodes[id];
      switch (random.below(5)) {
        case 0:
          node.path = static_cast<long>(random.below(100)), node.tree = static_cast<long>(random.below(100));
          forest.change(id, [&](Sum& path, Sum& tree) { path.value = node.path, tree.value = node.tree; });
          break;
        case 1:
          if (node.parent != Plain::none) {
            forest.cut(id);
            node.parent = Plain::none;
            ++cuts;
          }
          break;
        case 2:
        case 3:
          if (node.parent == Plain::none && plain.root(other) != id) {
            forest.link(id, other);
            node.parent = other;
            ++links;
          }
          break;
        default:
          ASSERT_EQ(forest.pathSum(other).value, plain.pathSum(other));
          ASSERT_EQ(forest.treeSum(plain.root(id)).value, plain.treeSum(plain.root(id)));
      }
      ASSERT_EQ(forest.root(id), plain.root(id)) << "seed " << seed << " step " << step;
    }
  }
  EXPECT_GT(links, 1000);
  EXPECT_GT(cuts, 1000);
}

/// A path of so many nodes that following it from each would take minutes.
TEST(LinkCutForest, FindsTheRootOfALongPathFromEveryNode) {
  constexpr std::uint32_t count = 200'000;
  LinkCutForest<Sum> forest(count);
  for (std::uint32_t id = 1; id < count; ++id) forest.link(id, id - 1);
  for (std::uint32_t id = 0; id < count; ++id) ASSERT_EQ(forest.root(id), 0U);
  forest.cut(count / 2);
  EXPECT_EQ(forest.root(count - 1), count / 2);
  EXPECT_EQ(forest.root(count / 2 - 1), 0U);
}

}  // namespace sluice::link_cut_forest_test
