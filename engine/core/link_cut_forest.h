#pragma once
// LinkCutForest: rooted trees that are joined and taken apart, with a sum along the way from any node to its
// root and a sum over all nodes of a tree. Every operation takes O(log n) amortised (Sleator and Tarjan,
// 1983; sums over trees by those of the children that are not on the preferred path).

#include <cstdint>
#include <utility>
#include <vector>

namespace sluice {

/// A sum of nothing, for forests that need only one of the two.
struct NoSum {
  NoSum& operator+=(NoSum) { return *this; }
  NoSum& operator-=(NoSum) { return *this; }
};

/// `Path` and `Tree` are values with += and, Tree only, -=; value-initialised they are zero.
template <class Path, class Tree = NoSum>
class LinkCutForest {
 public:
  using Id = std::uint32_t;

  /// Trees of one node each, with zero values.
  explicit LinkCutForest(std::size_t nodes) : nodes_(nodes) {}

  /// The node's own values; only change() changes them.
  const Path& path(Id id) const { return nodes_[id].path; }

  template <class Change>
  void change(Id id, Change&& change) {
    access(id);
    change(nodes_[id].path, nodes_[id].tree);
    update(id);
  }

  Id root(Id id) {
    access(id);
    while (nodes_[id].child[0] != none) id = nodes_[id].child[0];
    splay(id);  // else a long way down would be paid for again
    return id;
  }

  /// The sum over the nodes from the root to `id`, both included.
  const Path& pathSum(Id id) {
    access(id);
    return nodes_[id].path_sum;
  }

  /// The sum over the tree of a root.
  const Tree& treeSum(Id root) {
    access(root);
    return nodes_[root].tree_sum;
  }

  /// A root becomes a child of a node of another tree.
  void link(Id root, Id parent) {
    access(root);
    access(parent);
    nodes_[root].parent = parent;
    nodes_[parent].hanging += nodes_[root].tree_sum;
    update(parent);
  }

  /// A node that is no root becomes one.
  void cut(Id id) {
    access(id);
    Node& node = nodes_[id];
    nodes_[node.child[0]].parent = none;
    node.child[0] = none;
    update(id);
  }

 private:
  static constexpr Id none = ~Id{0};

  struct Node {
    Id parent = none;            ///< in the splay tree of its path; of that tree's root: the node it hangs on
    Id child[2] = {none, none};  ///< nearer to the root, farther from it
    Path path{}, path_sum{};
    Tree tree{}, tree_sum{};
    Tree hanging{};  ///< of the trees that hang on this node beside its path
  };

  bool isTop(Id id) const {
    const Id parent = nodes_[id].parent;
    return parent == none || (nodes_[parent].child[0] != id && nodes_[parent].child[1] != id);
  }

  void update(Id id) {
    Node& node = nodes_[id];
    node.path_sum = node.path;
    node.tree_sum = node.tree;
    node.tree_sum += node.hanging;
    for (const Id child : node.child) {
      if (child == none) continue;
      node.path_sum += nodes_[child].path_sum;
      node.tree_sum += nodes_[child].tree_sum;
    }
  }

  void rotate(Id id) {
    const Id parent = nodes_[id].parent, above = nodes_[parent].parent;
    const int side = nodes_[parent].child[1] == id ? 1 : 0;
    if (!isTop(parent)) nodes_[above].child[nodes_[above].child[1] == parent ? 1 : 0] = id;
    const Id inner = std::exchange(nodes_[id].child[1 - side], parent);
    nodes_[parent].child[side] = inner;
    if (inner != none) nodes_[inner].parent = parent;
    nodes_[parent].parent = id;
    nodes_[id].parent = above;
    update(parent);
  }

  void splay(Id id) {
    while (!isTop(id)) {
      const Id parent = nodes_[id].parent;
      if (!isTop(parent)) {
        const Id above = nodes_[parent].parent;
        const bool straight = (nodes_[above].child[1] == parent) == (nodes_[parent].child[1] == id);
        rotate(straight ? parent : id);
      }
      rotate(id);
    }
    update(id);
  }

  /// Makes the way from the root to `id` one path that ends there, and `id` the root of its splay tree.
  void access(Id id) {
    Id below = none;
    for (Id at = id; at != none; at = nodes_[at].parent) {
      splay(at);
      if (nodes_[at].child[1] != none) nodes_[at].hanging += nodes_[nodes_[at].child[1]].tree_sum;
      if (below != none) nodes_[at].hanging -= nodes_[below].tree_sum;
      nodes_[at].child[1] = below;
      update(at);
      below = at;
    }
    splay(id);
  }

  std::vector<Node> nodes_;
};

}  // namespace sluice
