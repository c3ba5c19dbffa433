#include "engine/tensor/lowering/stream_choices.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/external_layout.h"
#include "engine/tensor/dataflow/fold.h"
#include "engine/tensor/dataflow/vectorise.h"
#include "engine/tensor/lowering/kernel_timing.h"
#include "engine/tensor/lowering/task_nests.h"

namespace sluice::inline tensor {
namespace {

using Shape = std::vector<std::int64_t>;

class Vectors {
 public:
  Vectors(const DataflowDesign& design, std::span<const NestTiling> tilings) : design_(design) {
    std::size_t next = 0;
    for (const Task& task : design.tasks)
      ports_.push_back(task.kind == TaskKind::Compute ? portVectors(design, task, tilings[next++])
                                                      : std::vector<Shape>{});
  }

  /// What the kernels at the ends ask for; empty where there is no kernel.
  Shape wanted(const DataflowStream& stream) const {
    Shape vector;
    const auto ask = [&](std::size_t task, std::size_t port) {
      if (port >= ports_[task].size()) return;
      const Shape& own = ports_[task][port];
      vector.resize(std::max(vector.size(), own.size()), 1);
      for (std::size_t k = 0; k < own.size(); ++k) vector[k] = std::max(vector[k], own[k]);
    };
    ask(stream.from.task, design_.tasks[stream.from.task].inputs.size() + stream.from.port);
    ask(stream.to.task, stream.to.port);
    return vector;
  }

 private:
  const DataflowDesign& design_;
  std::vector<std::vector<Shape>> ports_;  ///< of compute tasks: inputs, then outputs
};

/// The vector, made to divide the tiles of both ends.
Shape divided(const DataflowDesign& design, const DataflowStream& stream, Shape vector) {
  const ITensor &from = sourceOf(design, stream).type, &to = targetOf(design, stream).type;
  for (std::size_t k = 0; k < vector.size(); ++k) {
    const std::int64_t both = std::gcd(from.extent(k), to.extent(k));
    if (both % vector[k] != 0) vector[k] = std::gcd(both, vector[k]);
  }
  return vector;
}

/// The streams that leave one output are vectorised alike where a converter feeds them.
std::vector<std::vector<std::size_t>> streamsDecidedTogether(const DataflowDesign& design) {
  std::vector<std::vector<std::size_t>> sets;
  const DesignIndex index(design);
  for (std::size_t stream = 0; stream < design.streams.size(); ++stream) {
    const PortRef from = design.streams[stream].from;
    if (design.tasks[from.task].kind != TaskKind::Converter)
      sets.push_back({stream});
    else if (const auto readers = index.streamsFrom(from); readers.front() == stream)
      sets.emplace_back(readers.begin(), readers.end());
  }
  return sets;
}

}  // namespace

DataflowDesign withVectors(DataflowDesign design, std::span<const NestTiling> tilings,
                           StreamVectors vectors) {
  if (vectors == StreamVectors::Tiles) return design;
  const Vectors asked(design, tilings);
  const DesignIndex index(design);
  for (const std::vector<std::size_t>& together : streamsDecidedTogether(design)) {
    Shape vector;
    bool legal = true;
    for (const std::size_t number : together) {
      const DataflowStream& stream = design.streams[number];
      const Shape own = vectors == StreamVectors::Bus ? suggestedVector(index, number, bus_bits)
                                                      : divided(design, stream, asked.wanted(stream));
      vector.resize(std::max(vector.size(), own.size()), 1);
      for (std::size_t k = 0; k < own.size(); ++k) vector[k] = std::max(vector[k], own[k]);
      legal =
          legal && !isTransfer(design.tasks[stream.from.task]) && !isTransfer(design.tasks[stream.to.task]);
    }
    for (const std::size_t number : together)
      legal = legal && !vector.empty() && checkVectorise(index, number, vector);
    if (!legal) continue;
    for (const std::size_t number : together) {
      design.streams[number].vector = vector;
      design.streams[number].depth.reset();  // it counted tiles
    }
  }
  return design;
}

DataflowDesign withFolds(DataflowDesign design, const FifoSizing& sizing) {
  const DesignIndex index(design);
  for (std::size_t stream = 0; stream < design.streams.size(); ++stream) {
    if (sizing.fifos[stream].depth > folded_tiles || !checkFold(index, stream)) continue;
    design.streams[stream].folded = true;
    design.streams[stream].depth.reset();
  }
  return design;
}

}  // namespace sluice::inline tensor
