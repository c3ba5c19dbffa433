#pragma once
// Strongly connected components of a directed graph, in linear time (Tarjan's algorithm, without recursion: a
// chain may be as long as the program).

#include <cstddef>
#include <vector>

namespace sluice {

/// Of node i: the nodes that its edges lead to.
using Edges = std::vector<std::vector<std::size_t>>;

struct Components {
  std::vector<std::vector<std::size_t>> members;  ///< those that an edge leads to come before where it begins
  std::vector<std::size_t> of;                    ///< by node: its component
  std::vector<char> circular;                     ///< by component: whether it holds a cycle
  std::vector<char> left;                         ///< by component: whether an edge leads out of it
};

Components stronglyConnected(const Edges& edges);

}  // namespace sluice
