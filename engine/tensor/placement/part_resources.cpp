#include "engine/tensor/placement/part_resources.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "engine/core/csv.h"
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

void add(PartResources& part, const DesignBuffer& buffer, const PlacedBuffer& placed) {
  part.resources += takenBy(buffer, placed);
  part.bits += buffer.memory.word_bits * buffer.memory.depth;
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
    part.resources = placement.logic[at];
  }
  for (std::size_t at = 0; at < placement.buffers.size(); ++at) {
    const DesignBuffer& buffer = placement.buffers[at];
    if (buffer.stream) {
      fifos.push_back({PartKind::Fifo, nameOf(design, design.streams[*buffer.stream]), {}, 0});
      add(fifos.back(), buffer, placement.memory.buffers[at]);
    } else {
      add(parts[part_of.at(buffer.task)], buffer, placement.memory.buffers[at]);
    }
  }
  std::ranges::move(fifos, std::back_inserter(parts));
  return parts;
}

std::string partsCsv(const DataflowDesign& design, std::span<const DesignPlacement> groups) {
  std::vector<std::string> header{"group", "part", "kind", "bits"};
  for (const Resource resource : all_resources) header.emplace_back(text(resource));
  CsvTable table(header);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const PartResources& part : partsOf(design, groups[group])) {
      std::vector<std::string> row{std::to_string(group), part.name, std::string(text(part.kind)),
                                   std::to_string(part.bits)};
      for (const Resource resource : all_resources) row.push_back(std::to_string(part.resources[resource]));
      table.row(row);
    }
  }
  return table.text();
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
