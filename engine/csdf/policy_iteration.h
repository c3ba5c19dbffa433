#pragma once
// Howard's policy iteration for the maximum cycle ratio of a strongly connected graph, in floating point: it
// finds a cycle that nearly always is the one, and times that nearly are its own. cycle_ratio.cpp decides in
// integers. A. Dasdan: "Experimental analysis of the fastest optimum cycle ratio and mean algorithms", ACM
// TODAES 9(4), 2004; J. Cochet-Terrasson et al.: "Numerical computation of spectral elements in max-plus
// algebra", 1998.

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

namespace sluice::inline csdf {

struct PolicyEdge {
  std::uint32_t from = 0, to = 0;
  double length = 0, height = 0;
};

class PolicyIteration {
 public:
  /// `edges` are sorted by where they begin. Begins with the edges by which nodes are reached last at these
  /// times and this ratio.
  PolicyIteration(const std::vector<PolicyEdge>& edges, std::vector<double> times, double ratio);

  /// Until nothing gets better, or too often. The cycle that is best then, as positions of `edges`; empty
  /// where it was stopped. A cycle without height ends it at once.
  std::vector<std::size_t> run(double slack, const std::stop_token& stop);

  /// By node: when it is reached at the ratio of that cycle.
  std::vector<double>& times() { return times_; }
  /// By node: the edge by which it is reached; following them from any node leads to a cycle.
  const std::vector<std::size_t>& by() const { return by_; }

 private:
  struct Cycle {
    std::size_t node = 0;
    double length = 0, height = 0;
  };

  /// Of the cycles of all nodes' edges the one with the largest ratio.
  Cycle best();
  std::vector<std::size_t> edgesOf(const Cycle& cycle) const;
  /// Times of all nodes, reached from that one.
  void spread(std::size_t node);
  void take(std::size_t edge);
  bool improve(double slack);

  const std::vector<PolicyEdge>& edges_;
  std::vector<double> times_;
  double ratio_;
  std::vector<std::size_t> by_, first_;  ///< by node: the edge that it is reached by, its first edge
  std::vector<std::uint32_t> seen_;
  std::vector<std::size_t> path_;
};

}  // namespace sluice::inline csdf
