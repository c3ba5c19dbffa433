#include "engine/tensor/placement/design_placement.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_tiles.h"
#include "engine/tensor/dataflow/external_layout.h"
#include "engine/tensor/placement/logic_estimate.h"

namespace sluice::inline tensor {
namespace {

constexpr std::size_t absent = std::numeric_limits<std::size_t>::max();

/// A row of a tile, or where that is longer than the bus is wide, as much as the bus takes.
std::int64_t rowBits(const ITensor& type) {
  const std::int64_t row = (type.tile.empty() ? 1 : type.tile.back()) * type.scalar.bits;
  return std::min<std::int64_t>(row, std::max<std::int64_t>(bus_bits, type.scalar.bits));
}

/// Banks of a buffer of these extents: of the tensor's, as many as there are elements for.
std::int64_t banksOf(std::span<const ArrayPartition> partitions, std::size_t tensor,
                     std::span<const std::int64_t> extents) {
  if (tensor >= partitions.size()) return 1;
  const std::vector<DimensionPartition>& dimensions = partitions[tensor].dimensions;
  std::int64_t banks = 1;
  for (std::size_t k = 0; k < std::min(dimensions.size(), extents.size()); ++k)
    banks *= std::min(dimensions[k].factor, extents[k]);
  return banks;
}

/// `copies` equal parts of `bits`, each in `banks` banks; a bank's words are its share of an access, in whole
/// elements.
MemoryBuffer memoryOf(std::string name, std::int64_t bits, std::int64_t access_bits, std::int64_t copies,
                      std::int64_t element_bits = 1, std::int64_t banks = 1) {
  const std::int64_t elements = quotientUp(quotientUp(access_bits, element_bits), banks);
  const std::int64_t word = elements * element_bits;
  return {std::move(name), word, copies * banks * quotientUp(bits, banks * word), copies * banks};
}

/// The widest access of the streams at a task.
std::int64_t widestAccess(const DataflowDesign& design, std::size_t task) {
  std::int64_t widest = 1;
  for (const DataflowStream& stream : design.streams)
    if (stream.from.task == task || stream.to.task == task)
      widest = std::max(widest, accessBits(design, stream));
  return widest;
}

void addTaskBuffers(const DataflowDesign& design, std::size_t number,
                    std::span<const ArrayPartition> partitions, std::vector<DesignBuffer>& buffers) {
  const Task& task = design.tasks[number];
  if (task.kind == TaskKind::Fork || task.kind == TaskKind::Join) return;
  if (task.kind == TaskKind::Compute) {
    for (const std::vector<TaskPort>* ports : {&task.inputs, &task.outputs}) {
      for (const TaskPort& port : *ports) {
        const std::string name = task.name + ": tile of " + design.program.tensors[port.tensor].name;
        const std::int64_t banks = banksOf(partitions, port.tensor, port.type.tile);
        buffers.push_back({number, memoryOf(name, tokenBits(port.type), rowBits(port.type), 1,
                                            port.type.scalar.bits, banks)});
      }
    }
    return;
  }
  const TaskPort& port = task.outputs.empty() ? task.inputs.front() : task.outputs.front();
  const std::int64_t element = port.type.scalar.bits;
  buffers.push_back({number, memoryOf(task.name + ": both halves", elementsOf(task.buffer) * element,
                                      widestAccess(design, number), 2, element,
                                      banksOf(partitions, port.tensor, task.buffer))});
}

void addFifo(const DataflowDesign& design, std::size_t number, std::vector<DesignBuffer>& buffers) {
  const DataflowStream& stream = design.streams[number];
  if (stream.folded) return;
  const std::int64_t word = accessBits(design, stream);
  const std::int64_t token = stream.vector.empty() ? tokenBits(sourceOf(design, stream).type) : word;
  const std::int64_t depth = stream.depth.value_or(2);
  const std::string name = "FIFO of " + nameOf(design, stream);
  buffers.push_back({stream.to.task, memoryOf(name, depth * token, word, 1), number});
}

}  // namespace

std::int64_t accessBits(const DataflowDesign& design, const DataflowStream& stream) {
  const ITensor& type = sourceOf(design, stream).type;
  return stream.vector.empty() ? rowBits(type) : elementsOf(stream.vector) * type.scalar.bits;
}

std::vector<DesignBuffer> buffersOf(const DataflowDesign& design, std::size_t group,
                                    std::span<const ArrayPartition> partitions) {
  std::vector<DesignBuffer> buffers;
  for (std::size_t task = 0; task < design.tasks.size(); ++task)
    if (design.tasks[task].group == group) addTaskBuffers(design, task, partitions, buffers);
  for (std::size_t stream = 0; stream < design.streams.size(); ++stream)
    if (design.tasks[design.streams[stream].to.task].group == group) addFifo(design, stream, buffers);
  return buffers;
}

Resources takenBy(const DesignBuffer& buffer, const PlacedBuffer& placed) {
  Resources taken;
  if (buffer.stream)
    taken = fifoLogic(buffer.memory, placed);
  else if (placed.memory == Resource::LutRam)
    taken[Resource::Lut] = placed.blocks;
  taken[placed.memory] += placed.blocks;
  return taken;
}

Result<DesignPlacement> placeDesign(const DataflowDesign& design, std::size_t group,
                                    std::span<const Resources> logic, const Platform& platform,
                                    const PlacementOptions& options,
                                    std::span<const ArrayPartition> partitions) {
  if (logic.size() != design.tasks.size()) throw std::logic_error("placeDesign needs every task's logic");
  DesignPlacement placement;
  placement.buffers = buffersOf(design, group, partitions);
  std::vector<MemoryBuffer> memories;
  for (const DesignBuffer& buffer : placement.buffers) memories.push_back(buffer.memory);
  Resources blocks_of_logic;
  for (std::size_t task = 0; task < design.tasks.size(); ++task)
    if (design.tasks[task].group == group) blocks_of_logic[Resource::Bram] += logic[task][Resource::Bram];
  SLUICE_TRY(placement.memory, allocateMemory(memories, share(totalResources(platform), options.dies.fill),
                                              options.memory, blocks_of_logic));

  std::vector<std::size_t> member(design.tasks.size(), absent);
  for (std::size_t task = 0; task < design.tasks.size(); ++task) {
    const Task& own = design.tasks[task];
    if (own.group != group) continue;
    member[task] = placement.tasks.size();
    placement.tasks.push_back(task);
    DieTask& die_task = placement.die_tasks.emplace_back();
    die_task.name = own.name;
    die_task.external = own.kind == TaskKind::Load || own.kind == TaskKind::Store;
    die_task.resources = logic[task];
    placement.logic.push_back(logic[task]);
  }
  for (std::size_t at = 0; at < placement.buffers.size(); ++at) {
    const DesignBuffer& buffer = placement.buffers[at];
    const PlacedBuffer& placed = placement.memory.buffers[at];
    const Resource preferred = preferredMemory(buffer.memory, options.memory);
    DieTask& die_task = placement.die_tasks[member[buffer.task]];
    die_task.resources += takenBy(buffer, placed);
    die_task.buffers.push_back({buffer.memory.name, placed.memory, placed.blocks,
                                placed.memory == preferred ? std::nullopt : std::optional(preferred)});
  }
  std::vector<DieStream> streams;
  for (std::size_t at = 0; at < design.streams.size(); ++at) {
    const DataflowStream& stream = design.streams[at];
    if (member[stream.from.task] == absent || member[stream.to.task] == absent) continue;
    placement.streams.push_back(at);
    streams.push_back({member[stream.from.task], member[stream.to.task], accessBits(design, stream)});
  }
  SLUICE_TRY(placement.dies, assignDies(placement.die_tasks, streams, platform, options.dies));
  return placement;
}

std::vector<std::int64_t> crossingsOf(const DesignPlacement& placement, std::size_t streams) {
  std::vector<std::int64_t> crossings(streams, 0);
  for (std::size_t at = 0; at < placement.streams.size(); ++at)
    crossings[placement.streams[at]] = placement.dies.crossings[at];
  return crossings;
}

}  // namespace sluice::inline tensor
