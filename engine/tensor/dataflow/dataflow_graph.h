#pragma once
// Walking a dataflow design and changing its lists of tasks and streams. Numbers are positions in the lists.

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/tensor/dataflow/dataflow.h"

namespace sluice::inline tensor {

const TaskPort& outputPort(const DataflowDesign& design, PortRef port);
const TaskPort& inputPort(const DataflowDesign& design, PortRef port);
/// Where a task looks up rows: it reads external memory itself for good, as no transfer knows which rows.
bool looksUp(const Task& task, std::size_t input, const TensorProgram& program);
/// The type that the stream's producer pushes, and the one that its consumer pulls.
const TaskPort& sourceOf(const DataflowDesign& design, const DataflowStream& stream);
const TaskPort& targetOf(const DataflowDesign& design, const DataflowStream& stream);

/// "query.out0 -> scores.in0".
std::string endsOf(const DataflowDesign& design, const DataflowStream& stream);
/// "stream 'query.out0 -> scores.in0'".
std::string nameOf(const DataflowDesign& design, const DataflowStream& stream);

std::vector<std::size_t> streamsFrom(const DataflowDesign& design, PortRef output);
std::optional<std::size_t> streamInto(const DataflowDesign& design, PortRef input);
/// Each task after those whose streams it reads; shorter than the tasks where there is a cycle.
std::vector<std::size_t> taskOrder(const DataflowDesign& design);
/// Names for new tasks of a design.
class TaskNames {
 public:
  explicit TaskNames(const DataflowDesign& design);
  /// `name`, or where a task has it, "name 2", "name 3" ...; taken from then on.
  std::string take(const std::string& name);

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> last_;  ///< number of a name
};
/// One of them.
std::string freeTaskName(const DataflowDesign& design, const std::string& name);

/// Vectors that a tile of the stream is sent in; depths count them.
std::int64_t vectorsPerTile(const DataflowDesign& design, const DataflowStream& stream);
/// A task gives whole tiles; those of this stream are cut into vectors behind it. Converters and loads have
/// their tokens in a buffer and need nothing to cut them.
bool isCut(const DataflowDesign& design, const DataflowStream& stream);

/// Clears what streams no longer may have after an end of them changed: their depth, a vector that divides
/// not both tiles, a fold. Folds of streams that now share their source go as well.
void resetStreams(DataflowDesign& design, std::span<const std::size_t> streams);

/// The same for these streams alone; the caller sees to those that share their source.
void resetEnds(DataflowDesign& design, std::span<const std::size_t> streams);

/// All streams from a task leave an output instead.
void moveStreams(DataflowDesign& design, std::size_t task, PortRef output);

/// Takes tasks out, with their streams; the others keep their order.
void removeTasks(DataflowDesign& design, const std::vector<bool>& removed);
void removeStream(DataflowDesign& design, std::size_t stream);

/// The tensor whose external memory each tensor lies in: its own, or where no task computes a reshape, that
/// of the tensor reshaped.
std::vector<std::size_t> storages(const DataflowDesign& design);

}  // namespace sluice::inline tensor
