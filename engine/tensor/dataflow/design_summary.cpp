#include "engine/tensor/dataflow/design_summary.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/itensor/access_sequence.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_types.h"
#include "engine/tensor/dataflow/external_layout.h"
#include "engine/tensor/dataflow/materialise.h"
#include "engine/tensor/dataflow/pack.h"

namespace sluice::inline tensor {
namespace {

std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t result = 1;
  for (const std::int64_t extent : shape) result *= extent;
  return result;
}

std::int64_t tileBytes(const TaskPort& port) {
  return bytesOf(tokenBits(port.type));
}

/// Without FIFOs.
std::int64_t bufferBytes(const DataflowDesign& design, const Task& task) {
  switch (task.kind) {
    case TaskKind::Compute: {
      std::int64_t bytes = 0;
      for (const auto* ports : {&task.inputs, &task.outputs})
        for (const TaskPort& port : *ports) bytes += tileBytes(port);
      for (std::size_t input = 0; input < task.inputs.size(); ++input)  // as a load of the rows would have
        if (looksUp(task, input, design.program)) bytes += 2 * tileBytes(task.inputs[input]);
      return bytes;
    }
    case TaskKind::Converter:
      return 2 * bytesOf(product(task.buffer) * task.inputs[0].type.scalar.bits);
    case TaskKind::Load:
    case TaskKind::Store: {
      const TaskPort& port = task.inputs.empty() ? task.outputs[0] : task.inputs[0];
      return 2 * bytesOf(product(task.buffer) * design.program.tensors[port.tensor].scalar.bits);
    }
    default:
      return 0;
  }
}

std::int64_t fifoWords(const DataflowStream& stream) {
  return stream.folded ? 0 : stream.depth.value_or(unsized_depth);
}

std::int64_t fifoBytes(const DataflowDesign& design, const DataflowStream& stream) {
  const TaskPort& source = sourceOf(design, stream);
  const std::int64_t elements = product(stream.vector.empty() ? source.type.tile : stream.vector);
  return bytesOf(fifoWords(stream) * elements * source.type.scalar.bits);
}

void addTransfer(const DataflowDesign& design, const ExternalAccess& access, DesignSummary& summary) {
  const ITensor& type = access.port.type;
  const TensorValue& tensor = design.program.tensors[access.port.tensor];
  const ExternalLayout& layout = design.layouts[access.port.tensor];
  const AccessSequence first(type);
  const std::vector<std::int64_t> tile =
      type.tile.empty() ? std::vector<std::int64_t>(type.rank(), 1) : type.tile;
  summary.external_bytes += bytesOf(volumeBits(type));
  summary.external_bursts += tokenCount(type) * burstCount(layout, tensor.shape, first.offset(), tile);
  summary.external_accesses += volumeBits(type) / wordBits(layout, tensor);
  ++summary.transfers;
}

/// Every number with its name.
std::vector<std::pair<std::string, std::int64_t>> numbers(const DesignSummary& s) {
  return {{"tasks", static_cast<std::int64_t>(s.tasks)},
          {"converters", static_cast<std::int64_t>(s.converters)},
          {"transfers", static_cast<std::int64_t>(s.transfers)},
          {"streams", static_cast<std::int64_t>(s.streams)},
          {"FIFO words", s.fifo_words},
          {"FIFO bytes", s.fifo_bytes},
          {"on-chip bytes", s.on_chip_bytes},
          {"on-chip bytes of the largest group", s.largest_group_bytes},
          {"external bytes", s.external_bytes},
          {"external bursts", s.external_bursts},
          {"external accesses", s.external_accesses},
          {"bytes packed by the host", s.host_bytes}};
}

}  // namespace

std::vector<std::int64_t> onChipBytesOfGroups(const DataflowDesign& design) {
  std::vector<std::int64_t> bytes;
  for (const Task& task : design.tasks) {
    if (task.group >= bytes.size()) bytes.resize(task.group + 1, 0);
    bytes[task.group] += bufferBytes(design, task);
  }
  for (const DataflowStream& stream : design.streams) {
    std::int64_t& own = bytes[design.tasks[stream.from.task].group];
    own += fifoBytes(design, stream);
    if (stream.folded) own -= tileBytes(targetOf(design, stream));
  }
  return bytes;
}

std::int64_t onChipBytes(const DataflowDesign& design, std::size_t group) {
  const std::vector<std::int64_t> bytes = onChipBytesOfGroups(design);
  return group < bytes.size() ? bytes[group] : 0;
}

DesignSummary summarise(const DataflowDesign& design) {
  DesignSummary summary;
  summary.tasks = design.tasks.size();
  summary.streams = design.streams.size();
  for (const Task& task : design.tasks)
    if (task.kind == TaskKind::Converter) ++summary.converters;
  for (const DataflowStream& stream : design.streams) {
    summary.fifo_words += fifoWords(stream);
    summary.fifo_bytes += fifoBytes(design, stream);
  }
  for (const std::int64_t bytes : onChipBytesOfGroups(design)) {
    summary.on_chip_bytes += bytes;
    summary.largest_group_bytes = std::max(summary.largest_group_bytes, bytes);
  }
  for (const ExternalAccess& access : externalAccesses(design)) addTransfer(design, access, summary);
  for (std::size_t tensor = 0; tensor < design.layouts.size(); ++tensor)
    if (layoutWork(design, tensor, true) == LayoutWork::Host)
      summary.host_bytes += storedBytes(design.program.tensors[tensor]);
  return summary;
}

std::string text(const DesignSummary& summary) {
  std::string result;
  for (const auto& [name, number] : numbers(summary))
    result += (result.empty() ? "" : ", ") + name + " " + std::to_string(number);
  return result;
}

std::string difference(const DesignSummary& before, const DesignSummary& after) {
  const auto from = numbers(before), to = numbers(after);
  std::string result;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i].second == to[i].second) continue;
    result += (result.empty() ? "" : ", ") + from[i].first + " " + std::to_string(from[i].second) + " -> " +
              std::to_string(to[i].second);
  }
  return result.empty() ? "no change" : result;
}

}  // namespace sluice::inline tensor
