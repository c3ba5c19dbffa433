#pragma once
// Tasks to dies: few bits over the borders between dies, all dies about equally full, none fuller than a part
// of it, tasks that touch external memory on its die. A 0-1 program over "the task lies beyond this border".

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/tensor/placement/platform.h"
#include "engine/tensor/sizing/timed_graph.h"

namespace sluice::inline tensor {

/// A buffer of a task, for the words of a refusal.
struct DieBuffer {
  std::string name;
  Resource memory = Resource::Bram;
  std::int64_t blocks = 0;
  std::optional<Resource> full = {};  ///< the memory that suits it better, in which there was no room

  bool operator==(const DieBuffer&) const = default;
};

struct DieTask {
  std::string name;
  Resources resources;
  bool external = false;                ///< moves data to or from the external memory
  std::vector<DieBuffer> buffers = {};  ///< what of `resources` is which

  bool operator==(const DieTask&) const = default;
};

struct DieStream {
  std::size_t producer = 0;
  std::size_t consumer = 0;
  std::int64_t bits = 1;  ///< wires

  bool operator==(const DieStream&) const = default;
};

struct DieOptions {
  /// The part of a die that may be used; above about this, designs are hard to route (AutoBridge, FADO).
  double fill = 0.8;
  /// Of the bits over borders, counted once a border, as a part of all streams' bits; and of the difference
  /// between the fullest and the emptiest die, averaged over the resources in use. The paper gives no
  /// weights; both parts are about 0 to 1.
  double crossing_weight = 1;
  double imbalance_weight = 1;
  std::size_t node_limit = 1000;  ///< of the search; beyond it the best found is given, with a bound
  std::stop_token stop = {};      ///< a request makes it fail
};

struct DieAssignment {
  std::vector<std::size_t> die;         ///< per task
  std::vector<std::int64_t> crossings;  ///< borders, per stream
  std::vector<Resources> used;          ///< per die
  double crossing_share = 0;            ///< bits * borders as a part of all bits
  double imbalance = 0;                 ///< mean difference of utilisation
  double objective = 0;
  double bound = 0;      ///< no assignment has a lower objective
  bool optimal = false;  ///< the search was completed
  std::size_t nodes = 0;
};

/// Why no assignment can be: what all tasks need and all dies have not, and the tasks that no die is large
/// enough for, those that are too large by most first and beyond some only their number. Empty: nothing
/// tells.
Diagnostics lackOfRoom(std::span<const DieTask> tasks, const Platform& platform,
                       const DieOptions& options = {});

/// Fails for streams to tasks that are not there, negative numbers, tasks that fit no die, and where no
/// assignment was found within the fill.
Result<DieAssignment> assignDies(std::span<const DieTask> tasks, std::span<const DieStream> streams,
                                 const Platform& platform, const DieOptions& options = {});

/// The graph with a kernel of registers in every stream that crosses: its delay is `crossing_cycles` a
/// border, it passes a token whenever one comes. Stream i of the result ends at the same FIFO as before; the
/// new streams, into the registers, follow behind in the order of the crossings.
TimedGraph withCrossings(const TimedGraph& graph, std::span<const std::int64_t> crossings,
                         std::int64_t crossing_cycles);

}  // namespace sluice::inline tensor
