#include "engine/tensor/lowering/task_nests.h"

#include <algorithm>
#include <map>

#include "engine/tensor/programs/operator_nest.h"

namespace sluice::inline tensor {
namespace {

const TensorOperator& operatorOf(const DataflowDesign& design, const Task& task) {
  return design.program.operators[task.subject];
}

/// Nothing where a dimension merges several loops.
std::optional<ArrayAccess> plainAccess(const OperatorAccess& access) {
  ArrayAccess plain{access.tensor, access.written, {}};
  for (const AffineForm& form : access.index) {
    if (form.isZero())
      plain.indices.push_back({std::nullopt, 1, form.constant});
    else if (const std::optional<std::size_t> loop = form.bareLoop())
      plain.indices.push_back({loop, 1, 0});
    else
      return std::nullopt;
  }
  return plain;
}

/// Reductions, and rows that the result does not have: the taps of a window, what is summed up.
LoopKind kindOf(const OperatorNest& nest, std::size_t loop) {
  const bool in_result = std::ranges::any_of(nest.accesses, [&](const OperatorAccess& access) {
    return access.written &&
           std::ranges::any_of(access.index, [&](const AffineForm& form) { return form.uses(loop); });
  });
  return in_result ? LoopKind::Parallel : LoopKind::Reduction;
}

}  // namespace

LoopNest loopNestOf(const TensorProgram& program, const TensorOperator& op) {
  const OperatorNest nest = withoutUnitLoops(nestOf(program, op));
  LoopNest loops;
  loops.name = op.name;
  for (std::size_t loop = 0; loop < nest.loops.size(); ++loop)
    loops.loops.push_back({"d" + std::to_string(loop), nest.loops[loop].extent, kindOf(nest, loop)});
  const std::int64_t operations = operationCount(program, op), times = iterations(loops);
  loops.operations = std::max<std::int64_t>(1, quotientUp(operations, times));
  return loops;
}

LoopProgram loopProgramOf(const DataflowDesign& design) {
  LoopProgram loops;
  for (const TensorValue& tensor : design.program.tensors)
    loops.arrays.push_back({tensor.name, tensor.shape, tensor.scalar.bits});
  for (const Task& task : design.tasks) {
    if (task.kind != TaskKind::Compute) continue;
    const TensorOperator& op = operatorOf(design, task);
    loops.nests.push_back(loopNestOf(design.program, op));
    loops.nests.back().name = task.name;
    for (const OperatorAccess& access : withoutUnitLoops(nestOf(design.program, op)).accesses)
      if (std::optional<ArrayAccess> plain = plainAccess(access))
        loops.nests.back().accesses.push_back(*std::move(plain));
  }
  return loops;
}

Result<std::vector<NestTiling>> taskTilings(const DataflowDesign& design, const TilingOptions& options) {
  LoopProgram all = loopProgramOf(design);
  std::map<std::size_t, std::vector<std::size_t>> groups;  // nests of each
  std::size_t next = 0;
  for (const Task& task : design.tasks)
    if (task.kind == TaskKind::Compute) groups[task.group].push_back(next++);
  std::vector<NestTiling> tilings(next);
  for (const auto& [group, nests] : groups) {
    LoopProgram own;
    std::map<std::size_t, std::size_t> arrays;  // number among all -> among those of the group
    for (const std::size_t nest : nests) {
      own.nests.push_back(std::move(all.nests[nest]));
      for (ArrayAccess& access : own.nests.back().accesses) {
        const auto [number, added] = arrays.try_emplace(access.array, own.arrays.size());
        if (added) own.arrays.push_back(all.arrays[access.array]);
        access.array = number->second;
      }
    }
    SLUICE_TRY(std::vector<NestTiling> found, tileNests(own, options));
    for (std::size_t i = 0; i < nests.size(); ++i) tilings[nests[i]] = std::move(found[i]);
  }
  return tilings;
}

std::vector<ArrayPartition> tensorPartitions(const DataflowDesign& design,
                                             std::span<const NestTiling> tilings,
                                             const TilingOptions& options) {
  std::vector<std::vector<std::int64_t>> unroll;
  for (const NestTiling& tiling : tilings) unroll.push_back(tiling.unroll);
  std::vector<ArrayPartition> partitions = partitionArrays(loopProgramOf(design), unroll);
  for (ArrayPartition& partition : partitions)
    partition = withinBanks(std::move(partition), options.most_banks);
  return partitions;
}

std::vector<std::vector<std::int64_t>> portVectors(const DataflowDesign& design, const Task& task,
                                                   const NestTiling& tiling) {
  const OperatorNest nest = withoutUnitLoops(nestOf(design.program, operatorOf(design, task)));
  std::vector<std::vector<std::int64_t>> vectors;
  for (const OperatorAccess& access : nest.accesses) {
    vectors.emplace_back();
    for (const AffineForm& form : access.index) {
      std::int64_t at_once = 1;
      for (std::size_t loop = 0; loop < nest.loops.size(); ++loop)
        if (form.uses(loop)) at_once *= tiling.unroll[loop];
      vectors.back().push_back(at_once);
    }
  }
  return vectors;
}

}  // namespace sluice::inline tensor
