#include "engine/tensor/placement/part_resources.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "engine/core/enum_names.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_tiles.h"

namespace sluice::inline tensor {
namespace {

constexpr EnumName<PartKind> kind_names[] = {{PartKind::Kernel, "kernel"},
                                             {PartKind::Converter, "converter"},
                                             {PartKind::Transfer, "transfer"},
                                             {PartKind::Fifo, "fifo"}};

PartKind kindOf(const Task& task) {
  if (task.kind == TaskKind::Compute) return PartKind::Kernel;
  return task.kind == TaskKind::Converter ? PartKind::Converter : PartKind::Transfer;
}

void add(PartResources& part, const MemoryBuffer& memory, const PlacedBuffer& placed) {
  part.resources[placed.memory] += placed.blocks;
  if (placed.memory == Resource::LutRam) part.resources[Resource::Lut] += placed.blocks;
  part.bits += memory.word_bits * memory.depth;
}

}  // namespace

std::string_view text(PartKind kind) {
  return nameIn(kind_names, kind);
}

std::vector<PartResources> partsOf(const DataflowDesign& design, const DesignPlacement& placement) {
  std::vector<PartResources> parts, fifos;
  std::map<std::size_t, std::size_t> part_of;  // task -> part
  for (std::size_t at = 0; at < placement.tasks.size(); ++at) {
    const Task& task = design.tasks[placement.tasks[at]];
    if (task.kind == TaskKind::Fork || task.kind == TaskKind::Join) continue;
    part_of[placement.tasks[at]] = parts.size();
    PartResources& part = parts.emplace_back();
    part.kind = kindOf(task);
    part.name = task.name;
    part.resources[Resource::Dsp] = placement.die_tasks[at].resources[Resource::Dsp];
  }
  for (std::size_t at = 0; at < placement.buffers.size(); ++at) {
    const DesignBuffer& buffer = placement.buffers[at];
    if (buffer.stream) {
      fifos.push_back({PartKind::Fifo, nameOf(design, design.streams[*buffer.stream]), {}, 0});
      add(fifos.back(), buffer.memory, placement.memory.buffers[at]);
    } else {
      add(parts[part_of.at(buffer.task)], buffer.memory, placement.memory.buffers[at]);
    }
  }
  std::ranges::move(fifos, std::back_inserter(parts));
  return parts;
}

Bytes crossingBytes(const DataflowDesign& design, const DesignPlacement& placement) {
  std::uint64_t bits = 0;
  for (std::size_t at = 0; at < placement.streams.size(); ++at) {
    const ITensor& type = sourceOf(design, design.streams[placement.streams[at]]).type;
    const auto passed =
        static_cast<std::uint64_t>(tokenCount(type)) * static_cast<std::uint64_t>(tokenBits(type));
    bits += passed * static_cast<std::uint64_t>(placement.dies.crossings[at]);
  }
  return bits / 8;
}

}  // namespace sluice::inline tensor
