#pragma once
// A materialised design with timings as what the rest of Sluice works on: a timed graph, which sizes FIFOs,
// and a program of the operator registry, which runs in the simulator and opens in the window.

#include <set>
#include <string>
#include <vector>

#include "engine/program/document.h"
#include "engine/tensor/lowering/kernel_timing.h"
#include "engine/tensor/sizing/fifo_sizing.h"

namespace sluice::inline tensor {

/// Its kernels are the tasks, its streams the streams of the design, in tiles.
TimedGraph timedGraph(const DataflowDesign& design, const std::vector<TaskTiming>& timings);

/// The design with the depths of a sizing of its timed graph; folded streams have none.
DataflowDesign withDepths(const DataflowDesign& design, const FifoSizing& sizing);

/// What stands before the node of a task that looks up rows of a table.
struct LoweredLookup {
  std::size_t task = 0;
  std::string asker;  ///< the node that takes the places and gives addresses
  std::string load;   ///< the node that loads the rows
};

/// Nodes and streams, to be added to a program.
struct LoweredDesign {
  Graph graph;
  std::vector<std::string> nodes;           ///< of each task
  std::vector<std::size_t> streams;         ///< of the graph, each stream of the design
  std::vector<std::string> crossings = {};  ///< nodes of registers between dies
  /// Nodes that cut a task's tiles into vectors, each with its stream of the design.
  std::vector<std::pair<std::string, std::size_t>> cutters = {};
  std::vector<LoweredLookup> lookups = {};
};

/// A stream between dies: registers that every token passes, behind a FIFO.
struct StreamCrossing {
  std::int64_t cycles = 0;  ///< 0: none
  std::int64_t depth =
      2;  ///< of the FIFO before the registers, as the design's depths; the stream's own is behind
  std::int64_t borders = 1;  ///< that it crosses

  bool operator==(const StreamCrossing&) const = default;
};

struct LoweringOptions {
  std::int64_t requests_per_cycle = 1;         ///< of one transfer's port
  std::set<std::string> taken_names;           ///< that nodes must not have
  std::vector<StreamCrossing> crossings = {};  ///< each stream's; empty: all on one die
};

/// Compute tasks, forks and joins become Kernels, converters LayoutConverters, transfers loads and stores of
/// tiles counted in bytes. FIFOs are no part of a task's on-chip memory. A folded stream has
/// no FIFO: its two slots are the halves of the buffer that both ends work in. A lookup is three nodes: a
/// Kernel that makes addresses of the places, a RandomOffChipLoad of the rows, and the Kernel of the task.
/// Groups run one after the other: what a group loads waits until the group before has stored everything.
/// Fails for designs that are not materialised, and for converters whose readers want vectors of different
/// sizes.
Result<LoweredDesign> lowered(const DataflowDesign& design, const std::vector<TaskTiming>& timings,
                              const LoweringOptions& options);

/// A timed graph without a design behind it, as Kernels alone.
Graph kernelGraph(const TimedGraph& graph, std::span<const std::int64_t> depths);

}  // namespace sluice::inline tensor
