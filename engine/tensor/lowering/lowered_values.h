#pragma once
// What a lowered design computes while it runs in functional mode: every token carries the elements of its
// tile or vector through the simulator's FIFOs, kernels apply their operator to the tiles that have come,
// converters fill and drain. So the run proves what it stores, and that no token leaves before those it is
// made of.
//
// Numbers. In bfloat16 what is read from external memory and every result of an operator, with what was fused
// into it, is rounded once; sums are float32 within. Tensors of integers and truth values keep theirs.
//
//   LoweredValues values(compiled.design, lowered, given);
//   compute(graph, {}, {.tasks = values.tasks()});
//   values.results();

#include <memory>

#include "engine/operators/functional.h"
#include "engine/tensor/lowering/compile.h"

namespace sluice::inline tensor {

class LoweredValues {
 public:
  /// Both must outlive it. What `given` does not name is filled from tensors' names. For one run. `before`
  /// are the regions that the design lies in, as in the names of their operators: "layer[2].".
  LoweredValues(const DataflowDesign& design, const LoweredDesign& lowered, const TensorSet& given = {},
                const std::string& before = {}, Precision precision = Precision::Float32);
  ~LoweredValues();

  const TaskValuesByName& tasks() const { return tasks_; }
  /// The program's results in order, once everything has been stored.
  std::vector<FloatTensor> results() const;

  struct Shared;  ///< what its tasks have in common

 private:
  std::unique_ptr<Shared> shared_;
  std::vector<std::unique_ptr<TaskValues>> owned_;
  TaskValuesByName tasks_;
};

}  // namespace sluice::inline tensor
