#include "engine/tensor/loop_nests/array_partition.h"

#include <algorithm>
#include <map>

#include "engine/core/enum_names.h"

namespace sluice::inline tensor {
namespace {

/// The partition for elements used at once: distinct and ascending.
DimensionPartition partitionFor(std::span<const std::int64_t> indices) {
  const auto count = static_cast<std::int64_t>(indices.size());
  if (count == 1) return {};
  const std::int64_t stride = indices[1] - indices[0];
  for (std::size_t i = 2; i < indices.size(); ++i)
    if (indices[i] - indices[i - 1] != stride) return {count, PartitionKind::Block};
  // The span, rounded up to a multiple of the stride.
  return {count * stride, PartitionKind::Cyclic};
}

/// What one nest asks of one dimension. Accesses by the same loop have their elements together; how those of
/// different loops lie to one another changes as the loops run, so the larger demand counts.
DimensionPartition demandOf(const LoopNest& nest, std::size_t array, std::size_t dimension,
                            std::span<const std::int64_t> unroll) {
  std::map<std::optional<std::size_t>, std::vector<std::int64_t>> together;
  for (const ArrayAccess& access : nest.accesses) {
    if (access.array != array) continue;
    const AccessIndex& index = access.indices[dimension];
    const std::int64_t copies = index.loop ? unroll[*index.loop] : 1;
    for (std::int64_t copy = 0; copy < copies; ++copy)
      together[index.loop].push_back(index.scale * copy + index.offset);
  }
  DimensionPartition demand;
  for (auto& [loop, indices] : together) {
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    const DimensionPartition partition = partitionFor(indices);
    if (partition.factor > demand.factor) demand = partition;
  }
  return demand;
}

}  // namespace

std::string text(PartitionKind kind) {
  constexpr EnumName<PartitionKind> names[] = {
      {PartitionKind::None, "none"}, {PartitionKind::Cyclic, "cyclic"}, {PartitionKind::Block, "block"}};
  return nameIn(names, kind);
}

std::int64_t ArrayPartition::banks() const {
  std::int64_t product = 1;
  for (const DimensionPartition& dimension : dimensions) product *= dimension.factor;
  return product;
}

std::vector<ArrayPartition> partitionArrays(const LoopProgram& program,
                                            std::span<const std::vector<std::int64_t>> unroll) {
  std::vector<std::vector<std::size_t>> users(program.arrays.size());  // nests, ascending
  for (std::size_t nest = 0; nest < program.nests.size(); ++nest)
    for (const ArrayAccess& access : program.nests[nest].accesses)
      if (std::vector<std::size_t>& own = users[access.array]; own.empty() || own.back() != nest)
        own.push_back(nest);
  std::vector<ArrayPartition> partitions;
  for (std::size_t array = 0; array < program.arrays.size(); ++array) {
    ArrayPartition partition;
    for (std::size_t k = 0; k < program.arrays[array].shape.size(); ++k) {
      DimensionPartition largest;
      for (const std::size_t nest : users[array]) {
        const DimensionPartition demand = demandOf(program.nests[nest], array, k, unroll[nest]);
        if (demand.factor > largest.factor) largest = demand;
      }
      largest.factor = std::min(largest.factor, program.arrays[array].shape[k]);
      partition.dimensions.push_back(largest);
    }
    partitions.push_back(std::move(partition));
  }
  return partitions;
}

ArrayPartition withinBanks(ArrayPartition partition, std::int64_t most) {
  while (partition.banks() > most) {
    auto largest = std::max_element(
        partition.dimensions.begin(), partition.dimensions.end(),
        [](const DimensionPartition& a, const DimensionPartition& b) { return a.factor < b.factor; });
    largest->factor = (largest->factor + 1) / 2;
    if (largest->factor == 1) largest->kind = PartitionKind::None;
  }
  return partition;
}

}  // namespace sluice::inline tensor
