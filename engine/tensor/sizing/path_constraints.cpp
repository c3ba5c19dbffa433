#include "engine/tensor/sizing/path_constraints.h"

#include <algorithm>
#include <limits>

#include "engine/core/cancelled.h"
#include "engine/tensor/sizing/linear_programs.h"

namespace sluice::inline tensor {
namespace {

constexpr std::size_t no_number = static_cast<std::size_t>(-1);

/// The solver's own accuracy, relative for large delays.
double tolerance(double bound) {
  return 1e-6 * std::max(1.0, bound);
}

/// Finds violated path constraints, from one kernel at a time.
class PathSearch {
 public:
  PathSearch(const TimedGraph& graph, std::span<const double> least)
      : graph_(graph),
        least_(least),
        order_(topologicalOrder(graph)),
        outputs_(graph.kernels.size()),
        inputs_(graph.kernels.size(), 0) {
    for (std::size_t stream = 0; stream < graph.streams.size(); ++stream) {
      outputs_[graph.streams[stream].producer].push_back(stream);
      ++inputs_[graph.streams[stream].consumer];
    }
  }

  /// Adds the shortest paths that are too short, from every fork; the number added.
  std::size_t require(CoveringProgram& program, const std::vector<double>& delays) {
    std::size_t added = 0;
    for (std::size_t position = 0; position < order_.size(); ++position)
      if (outputs_[order_[position]].size() > 1) added += requireFrom(position, program, delays);
    return added;
  }

 private:
  std::size_t requireFrom(std::size_t position, CoveringProgram& program, const std::vector<double>& delays) {
    const std::size_t fork = order_[position];
    shortest_.assign(order_.size(), std::numeric_limits<double>::infinity());
    longest_.assign(order_.size(), 0);
    last_.assign(order_.size(), no_number);
    covered_.assign(order_.size(), false);
    shortest_[fork] = 0;
    std::size_t added = 0;
    for (; position < order_.size(); ++position) {
      const std::size_t kernel = order_[position];
      if (shortest_[kernel] == std::numeric_limits<double>::infinity()) continue;
      added += requireTo(kernel, fork, program);
      for (const std::size_t stream : outputs_[kernel]) {
        const std::size_t consumer = graph_.streams[stream].consumer;
        longest_[consumer] = std::max(longest_[consumer], longest_[kernel] + least_[stream]);
        if (shortest_[kernel] + delays[stream] >= shortest_[consumer]) continue;
        shortest_[consumer] = shortest_[kernel] + delays[stream];
        last_[consumer] = stream;
      }
    }
    return added;
  }

  /// The constraint of the shortest path to one kernel, unless it goes on from a path that was just made
  /// longer.
  std::size_t requireTo(std::size_t kernel, std::size_t fork, CoveringProgram& program) {
    if (last_[kernel] == no_number) return 0;
    covered_[kernel] = covered_[graph_.streams[last_[kernel]].producer];
    if (covered_[kernel] || inputs_[kernel] < 2) return 0;
    if (shortest_[kernel] >= longest_[kernel] - tolerance(longest_[kernel])) return 0;
    path_.clear();
    for (std::size_t at = kernel; at != fork; at = graph_.streams[last_[at]].producer)
      path_.push_back(last_[at]);
    program.require(path_, longest_[kernel]);
    covered_[kernel] = true;
    return 1;
  }

  const TimedGraph& graph_;
  std::span<const double> least_;
  std::vector<std::size_t> order_;
  std::vector<std::vector<std::size_t>> outputs_;
  std::vector<std::size_t> inputs_;
  std::vector<double> shortest_, longest_;  ///< from the fork: sums of delays, sums of initial delays
  std::vector<std::size_t> last_;           ///< the last stream of the shortest path
  std::vector<bool> covered_;
  std::vector<std::size_t> path_;
};

}  // namespace

std::uint64_t countPaths(const TimedGraph& graph) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const auto sum = [](std::uint64_t a, std::uint64_t b) { return a > most - b ? most : a + b; };
  std::vector<std::vector<std::size_t>> consumers(graph.kernels.size());
  for (const TimedStream& stream : graph.streams) consumers[stream.producer].push_back(stream.consumer);
  std::vector<std::uint64_t> ending(graph.kernels.size(), 0);  // paths of one stream or more that end here
  std::uint64_t paths = 0;
  for (const std::size_t kernel : topologicalOrder(graph)) {
    paths = sum(paths, ending[kernel]);
    for (const std::size_t consumer : consumers[kernel])
      ending[consumer] = sum(ending[consumer], sum(ending[kernel], 1));
  }
  return paths;
}

Result<std::vector<double>> shortestPathDelays(const TimedGraph& graph, std::span<const double> weights,
                                               std::span<const double> least, std::size_t row_limit,
                                               const std::stop_token& stop) {
  CoveringProgram program(weights, least);
  PathSearch search(graph, least);
  std::vector<double> delays(least.begin(), least.end());
  std::size_t rows = 0;
  while (const std::size_t added = search.require(program, delays)) {
    rows += added;
    if (rows > row_limit) {
      const std::uint64_t paths = countPaths(graph);
      const bool saturated = paths == std::numeric_limits<std::uint64_t>::max();
      return error("too-many", "path sizing of " + std::to_string(graph.kernels.size()) + " kernels",
                   "more than " + std::to_string(row_limit) + " path constraints are needed, of " +
                       (saturated ? "more than " : "") + std::to_string(paths) + " in the printed form",
                   "use start-time sizing, which has one constraint per stream, or raise the limit");
    }
    std::optional<std::vector<double>> solution = program.solve(stop);
    if (!solution) return cancelledDiagnostic();
    delays = *std::move(solution);
  }
  return delays;
}

}  // namespace sluice::inline tensor
