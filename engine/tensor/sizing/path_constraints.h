#pragma once
// The path constraints of StreamTensor's linear program: for every pair of kernels and every path between
// them, the delays on the path add up to at least the longest sum of initial delays between the two.

#include <cstdint>
#include <stop_token>

#include "engine/core/result.h"
#include "engine/tensor/sizing/timed_graph.h"

namespace sluice::inline tensor {

/// How many constraints the program has in its printed form, one per path; the largest number stands for
/// anything above it.
std::uint64_t countPaths(const TimedGraph& graph);

/// Delays that minimise the sum of weight * delay under all path constraints; `least` is what each stream's
/// producer needs.
///
/// The printed form has a row per path, exponentially many. Rows are generated lazily instead: the program
/// starts with one per stream, and the shortest path from each fork to each join under the current delays is
/// added where it is too short, until none is. That gives the optimum of the printed form, since a shortest
/// path that is long enough makes all others long enough, and forks and joins are enough, since a path's only
/// possible first or last stream adds the same to both sides. It fails with a diagnostic when more than
/// `row_limit` rows are needed: there the printed form is out of reach and this one does not save it.
Result<std::vector<double>> shortestPathDelays(const TimedGraph& graph, std::span<const double> weights,
                                               std::span<const double> least, std::size_t row_limit,
                                               const std::stop_token& stop = {});

}  // namespace sluice::inline tensor
