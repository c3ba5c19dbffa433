#pragma once
// A design between fusion and the simulator: tasks joined by typed streams (StreamTensor 3.3; README.md).
// The rewrites of this module take it from abstract - streams whose ends disagree, tasks that read tensors -
// to materialised: every converter and every transfer to external memory is a task of its own.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/itensor/itensor.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// Tiles that are under way in a folded stream: the halves of the buffer that both ends work in.
constexpr std::int64_t folded_tiles = 2;

enum class TaskKind {
  Compute,    ///< an operator of the tensor program
  Load,       ///< DMA: a tensor from external memory, as a stream
  Store,      ///< DMA: a stream to a tensor in external memory
  Converter,  ///< another order, through a double buffer
  Fork,       ///< every token to all outputs
  Join        ///< round-robin over the inputs
};

/// One end of a task. Its type is that of the tokens it passes; a Compute's tile may be sent in vectors by
/// the stream (DataflowStream::vector), which does not change what the task computes on.
struct TaskPort {
  std::size_t tensor = 0;  ///< of the program: what the tokens are tiles of
  ITensor type;
  /// Reads or writes external memory itself: a transfer that is not materialised yet.
  bool external = false;

  bool operator==(const TaskPort&) const = default;
};

struct Task {
  std::string name;  ///< unique
  TaskKind kind = TaskKind::Compute;
  std::size_t subject = 0;  ///< Compute: the operator of the program
  std::vector<TaskPort> inputs;
  std::vector<TaskPort> outputs;
  std::vector<std::int64_t> buffer;  ///< Converter: one half's shape; Load, Store: one tile's
  std::size_t before_loop = 0;       ///< Converter: shared loops around the buffer
  std::size_t group = 0;             ///< of kernels that share a device (fusion.h)

  bool operator==(const Task&) const = default;
};

struct PortRef {
  std::size_t task = 0;
  std::size_t port = 0;

  bool operator==(const PortRef&) const = default;
};

/// From an output to an input. An output may feed several streams: the task then pushes every token into all
/// of them. Where the types of the two ends are not the same stream, a converter is still to be materialised.
struct DataflowStream {
  PortRef from, to;
  /// Elements sent at once, a divisor of the tile in every dimension; empty: whole tiles.
  std::vector<std::int64_t> vector;
  bool folded = false;                ///< no FIFO: both ends work in one buffer
  std::optional<std::int64_t> depth;  ///< tokens, once sized

  bool operator==(const DataflowStream&) const = default;
};

/// How a tensor lies in external memory.
struct ExternalLayout {
  std::vector<std::int64_t> tile;    ///< packed: tiles of this shape lie together; empty: row-major
  std::vector<std::int64_t> vector;  ///< widened: elements of this shape are one word; empty: scalars

  bool operator==(const ExternalLayout&) const = default;
};

struct DataflowDesign {
  TensorProgram program;  ///< what is computed
  std::vector<Task> tasks;
  std::vector<DataflowStream> streams;
  std::vector<ExternalLayout> layouts;  ///< each tensor's

  bool operator==(const DataflowDesign&) const = default;
};

std::string_view text(TaskKind kind);
/// "task.in0" or "task.out0", for messages.
std::string nameOf(const DataflowDesign& design, PortRef port, bool output);

/// Ends that exist, inputs with one source each, types of the port's tensor and both ends of one tensor, no
/// cycle, vectors that divide the tile of both ends, every result stored once.
Diagnostics verify(const DataflowDesign& design);

}  // namespace sluice::inline tensor
