#include "engine/schedule/tile_limit.h"

#include <algorithm>

#include "engine/operators/task.h"
#include "engine/tensor/lowering/compile.h"
#include "engine/tensor/programs/operator_nest.h"

namespace sluice::inline schedule {

std::optional<std::size_t> operatorOfTooManyTiles(const TensorProgram& program) {
  const std::int64_t most = CompileOptions().tiling.default_tile_size;
  for (std::size_t i = 0; i < program.operators.size(); ++i) {
    std::int64_t tiles = 1;
    for (const OperatorLoop& loop : nestOf(program, program.operators[i]).loops) {
      const std::int64_t tile = loop.kind == OperatorLoopKind::Row    ? loop.extent
                                : loop.kind == OperatorLoopKind::Each ? 1
                                                                      : most;
      const std::int64_t trips = (loop.extent - 1) / std::max<std::int64_t>(1, tile) + 1;
      if (trips > most_task_count / tiles) return i;
      tiles *= trips;
    }
  }
  return {};
}

}  // namespace sluice::inline schedule
